"""What all tests share."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import gpu_lsm
import pytest

SERVER = Path(__file__).parents[2] / "gpu-lsm-store" / "tests" / "server.py"
# `.ci/install-store` installs SeaweedFS, which speaks S3.
PLACES = ["file", "memory", *(["s3"] if shutil.which("weed") else [])]


@pytest.fixture(scope="session")
def device():
    """The device that tests run on: the host, or the one that GPU_LSM_TEST_DEVICE names."""
    return os.environ.get("GPU_LSM_TEST_DEVICE", "host")


@dataclass
class Place:
    """A place for one store."""

    url: str
    device: str
    settings: dict[str, str] = field(default_factory=dict)

    def open(self, mode="r", **options):
        return gpu_lsm.open(self.url, mode=mode, settings=self.settings, **{"device": self.device} | options)

    def store(self):
        return gpu_lsm.Store(self.url, settings=self.settings)


@pytest.fixture(scope="session")
def server():
    """The URL and the settings of an object store that runs as long as the tests."""
    command = [sys.executable, SERVER, "seaweedfs"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        answer = json.loads(process.stdout.readline())
        yield answer["url"], answer["environment"]
        process.stdin.close()


@pytest.fixture
def folder(tmp_path, device):
    """A place on local files."""
    return Place(str(tmp_path / "store"), device)


@pytest.fixture(params=PLACES)
def place(request, tmp_path, device):
    """A place of each kind."""
    if request.param == "s3":
        url, settings = request.getfixturevalue("server")
        return Place(f"{url}/{uuid.uuid4()}", device, settings)
    return Place(str(tmp_path / "store") if request.param == "file" else f"memory:///{uuid.uuid4()}", device)
