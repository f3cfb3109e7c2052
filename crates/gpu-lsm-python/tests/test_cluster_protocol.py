"""The protocol of shards on many machines, without Ray: histories with losses, repetitions, delays and deaths."""

import os

import pytest
from cluster_world import World

HISTORIES = int(os.environ.get("GPU_LSM_HISTORIES", "4000"))
BLOCKS = 8


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_batch_counts_once_and_every_read_is_of_one_moment(block: int) -> None:
    for seed in range(block, HISTORIES, BLOCKS):
        world = World(seed)
        for _ in range(world.chance.randrange(5, 60)):
            world.step()
        try:
            world.finish()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
