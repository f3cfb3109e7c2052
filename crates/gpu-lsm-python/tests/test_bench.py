"""The bench: every contender gives the right answers, and the table has them."""

import subprocess
import sys

import pytest
from gpu_lsm.bench.contenders import contenders
from gpu_lsm.bench.measure import OPERATIONS, Workload, rates
from gpu_lsm.bench.report import markdown

ALL = ["gpu_lsm on host", "numpy", "pandas", "Polars", "DuckDB", "sortedcontainers"]


@pytest.mark.parametrize("name", ALL)
def test_a_contender_gives_right_answers(name):
    measured = rates(contenders()[name], Workload(keys=4096, batch=1024, calls=2, repeats=1))
    assert set(measured) == set(OPERATIONS)
    assert all(rate > 0 for rate in measured.values())


def test_wrong_answers_are_noticed():
    numpy = contenders()["numpy"]

    class Forgetful(type(numpy())):
        def upsert(self, keys, values):
            super().upsert(keys[:-1], values[:-1])

    with pytest.raises((AssertionError, IndexError)):
        rates(Forgetful, Workload(keys=4096, batch=1024, calls=2, repeats=1))


def test_the_table_has_a_row_for_each():
    table = markdown({"ours": dict.fromkeys(OPERATIONS, 24e6), "others": dict.fromkeys(OPERATIONS, 0.37e6)})
    assert table.splitlines()[2:] == ["| ours | 24 | 24 | 24 | 24 |", "| others | 0.37 | 0.37 | 0.37 | 0.37 |"]


def test_the_command_prints_a_table():
    command = [sys.executable, "-m", "gpu_lsm.bench", "--only", "numpy", "--keys", "4096", "--batch", "1024"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.startswith("| M operations/s | upsert | lookup | count | range |\n")
    assert "| numpy |" in output
