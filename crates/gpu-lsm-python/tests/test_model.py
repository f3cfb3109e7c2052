"""Random lives against a dict."""

import bisect
import os

import gpu_lsm
import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

# Together they perform 10^5 operations on keys: see `OPERATIONS` below.
EXAMPLES = int(os.environ.get("GPU_LSM_EXAMPLES", "200"))
SMALL = st.integers(-40, 40)
KEYS = st.lists(SMALL, min_size=10, max_size=100)
OPERATIONS = 0


class Life(RuleBasedStateMachine):
    """A dictionary with int64 keys beside a dict."""

    @initialize(batch_size=st.integers(1, 16))
    def begin(self, batch_size):
        device = os.environ.get("GPU_LSM_TEST_DEVICE", "host")
        self.d = gpu_lsm.Dictionary("int64", "uint32", device=device, batch_size=batch_size)
        self.model, self.before, self.number = {}, None, 0

    def count(self, operations):
        global OPERATIONS
        OPERATIONS += len(operations)
        self.number += len(operations)
        return list(range(self.number - len(operations), self.number))

    @rule(keys=KEYS)
    def insert(self, keys):
        values = self.count(keys)
        self.d.insert(keys, values)
        self.model.update(zip(keys, values, strict=True))

    @rule(keys=KEYS)
    def delete(self, keys):
        self.count(keys)
        self.d.delete(np.array(keys, "int64"))
        for key in keys:
            self.model.pop(key, None)

    @rule(keys=KEYS, deletes=KEYS)
    def update(self, keys, deletes):
        values = self.count(keys)
        self.count(deletes)
        self.d.update(keys, values, deletes)
        self.model.update(zip(keys, values, strict=True))
        for key in deletes:
            self.model.pop(key, None)

    @rule(operations=st.lists(st.tuples(SMALL, st.booleans()), min_size=10, max_size=100))
    def apply_columns(self, operations):
        values = self.count(operations)
        self.d.apply_columns([key for key, _ in operations], values, [gone for _, gone in operations])
        for (key, gone), value in zip(operations, values, strict=True):
            if gone:
                self.model.pop(key, None)
            else:
                self.model[key] = value

    @rule(lower=SMALL, length=st.integers(-2, 20))
    def delete_range(self, lower, length):
        self.d.delete_range(lower, lower + length)
        self.model = {key: value for key, value in self.model.items() if not lower <= key <= lower + length}

    @rule()
    def cleanup(self):
        self.d.cleanup()

    @rule()
    def snapshot(self):
        self.before = self.d.snapshot(), dict(self.model)

    @rule(keys=KEYS)
    def lookup(self, keys):
        self.count(keys)
        values, found = self.d.lookup(keys)
        assert found.tolist() == [key in self.model for key in keys]
        assert values.tolist() == [self.model.get(key, 0) for key in keys]

    @rule(keys=KEYS, length=st.integers(-2, 30), limit=st.none() | st.integers(0, 5))
    def range(self, keys, length, limit):
        self.count(keys)
        ordered = sorted(self.model)
        upper = [key + length for key in keys]
        bounds = zip(keys, upper, strict=True)
        expected = [[key for key in ordered if low <= key <= high][:limit] for low, high in bounds]
        offsets, found, values = self.d.range(keys, upper, limit=limit)
        assert offsets.tolist() == [0, *np.cumsum([len(each) for each in expected]).tolist()]
        assert found.tolist() == [key for each in expected for key in each]
        assert values.tolist() == [self.model[key] for key in found.tolist()]
        if limit is None:
            assert self.d.count(keys, upper).tolist() == [len(each) for each in expected]

    @rule(keys=KEYS)
    def neighbours(self, keys):
        self.count(keys)
        ordered = sorted(self.model)
        above, _, is_above = self.d.successor(keys)
        below, _, is_below = self.d.predecessor(keys)
        for i, key in enumerate(keys):
            up, down = bisect.bisect_left(ordered, key), bisect.bisect_right(ordered, key)
            assert (above[i] if is_above[i] else None) == (ordered[up] if up < len(ordered) else None)
            assert (below[i] if is_below[i] else None) == (ordered[down - 1] if down else None)

    @invariant()
    def has_the_entries_of_the_model(self):
        if not hasattr(self, "model"):
            return
        assert len(self.d) == len(self.model)
        _, keys, values = self.d.range()
        assert dict(zip(keys.tolist(), values.tolist(), strict=True)) == self.model
        assert keys.tolist() == sorted(self.model)
        self.d.verify()
        if self.before:
            snapshot, model = self.before
            assert dict(zip(*(part.tolist() for part in snapshot.range()[1:]), strict=True)) == model


def test_random_lives_agree_with_a_dict():
    settings = hypothesis.settings(
        max_examples=EXAMPLES, stateful_step_count=50, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
    )
    # How long lives are is left to Hypothesis, so now and then it takes more of them.
    while OPERATIONS < 500 * EXAMPLES:
        hypothesis.stateful.run_state_machine_as_test(Life, settings=settings)
    print(f"{OPERATIONS} operations")


@hypothesis.settings(deadline=None, max_examples=200)
@hypothesis.given(keys=st.lists(st.floats(width=32), max_size=50), asked=st.lists(st.floats(width=32), max_size=50))
def test_floats_have_their_total_order(keys, asked):
    keys, asked = np.array(keys, "float32"), np.array(asked, "float32")
    d = gpu_lsm.Dictionary.build(keys, np.arange(len(keys), dtype="uint32"), device="host")
    bits = {int(word): i for i, word in enumerate(keys.view("uint32"))}
    order = sorted(bits, key=lambda word: ~word & 0xFFFFFFFF if word >> 31 else word | 1 << 31)
    assert d.range()[1].view("uint32").tolist() == order
    assert d.lookup(asked)[1].tolist() == [int(word) in bits for word in asked.view("uint32")]
