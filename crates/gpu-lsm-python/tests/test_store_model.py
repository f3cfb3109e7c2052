"""Random lives of stores beside a dict, through close and reopen."""

import os
import shutil
import tempfile
import uuid

import gpu_lsm
import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

EXAMPLES = int(os.environ.get("GPU_LSM_EXAMPLES", "200")) // 8
SMALL = st.integers(-30, 30)
KEYS = st.lists(SMALL, min_size=1, max_size=40)
OPTIONS = gpu_lsm.WriteOptions(versions=3, checkpoint_bytes=20_000, part_bytes=500)


class Life(RuleBasedStateMachine):
    """A durable dictionary beside a dict, with the versions that it published."""

    @initialize(place=st.sampled_from(["file", "memory"]), shards=st.sampled_from([None, 3]))
    def begin(self, place, shards):
        self.folder = tempfile.mkdtemp()
        self.url = self.folder if place == "file" else f"memory:///{uuid.uuid4()}"
        self.home = {"device": os.environ.get("GPU_LSM_TEST_DEVICE", "host"), "shards": shards}
        self.d = self.open(key="int64", value="int64", batch_size=8)
        self.model, self.versions, self.sent = {}, {}, 0

    def open(self, **types):
        return gpu_lsm.open(self.url, mode="a", options=OPTIONS, **self.home, **types)

    def teardown(self):
        if hasattr(self, "folder"):
            self.d.close()
            # The writer may still be collecting, and delete files in the meantime.
            shutil.rmtree(self.folder, ignore_errors=True)

    def inserted(self, keys):
        values = [self.sent * 1000 + i for i in range(len(keys))]
        self.model.update(zip(keys, values, strict=True))
        return values

    @rule(keys=KEYS, deletes=KEYS)
    def update(self, keys, deletes):
        self.d.update(keys, self.inserted(keys), deletes)
        self.model = {key: value for key, value in self.model.items() if key not in deletes}

    @rule(keys=KEYS, repeats=st.integers(1, 2))
    def insert_once(self, keys, repeats):
        self.sent += 1
        values = self.inserted(keys)
        for _ in range(repeats):
            self.d.insert(keys, values, caller="life", number=self.sent)

    @rule(keys=KEYS)
    def submit(self, keys):
        batch = gpu_lsm.Batch()
        batch.insert(keys, self.inserted(keys))
        batch.delete(keys[:1])
        self.model.pop(keys[0], None)
        self.d.submit(batch)

    @rule(lower=SMALL, length=st.integers(0, 9))
    def delete_range(self, lower, length):
        self.d.delete_range(lower, lower + length)
        self.model = {key: value for key, value in self.model.items() if not lower <= key <= lower + length}

    @rule()
    def checkpoint(self):
        self.versions[self.d.checkpoint()] = dict(self.model)

    @rule(how=st.sampled_from(["close", "drop", "take over"]))
    def reopen(self, how):
        self.d.flush()
        if how == "close":
            self.d.close()
        other = self.d if how == "take over" else None
        self.d = None
        self.d = self.open()
        assert self.d.last_of("life") == self.sent
        del other

    @rule()
    def read_versions(self):
        for version in self.d.versions():
            if version.version in self.versions:
                found = gpu_lsm.open(self.url, version=version.version, device=self.home["device"])
                assert entries(found) == self.versions[version.version]

    @rule()
    def read(self):
        self.d.flush()
        assert entries(gpu_lsm.open(self.url, device=self.home["device"])) == self.model

    @invariant()
    def all_is_there(self):
        if hasattr(self, "model"):
            assert entries(self.d) == self.model


def entries(state):
    _, keys, values = state.range()
    assert (np.diff(keys) > 0).all()
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


def test_random_lives_survive():
    settings = hypothesis.settings(
        max_examples=EXAMPLES,
        stateful_step_count=30,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.stateful.run_state_machine_as_test(Life, settings=settings)
