"""What all tests share."""

import os

import pytest


@pytest.fixture(scope="session")
def device():
    """The device that tests run on: the host, or the one that GPU_LSM_TEST_DEVICE names."""
    return os.environ.get("GPU_LSM_TEST_DEVICE", "host")
