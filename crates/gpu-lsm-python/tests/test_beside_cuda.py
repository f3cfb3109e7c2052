"""Tests of tools/beside_cuda.py with numpy and pandas in the place of cupy and cudf, which have the same interfaces."""

import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

TOOLS = pathlib.Path(__file__).parents[3] / "tools"


@pytest.fixture(scope="module")
def tool():
    return runpy.run_path(str(TOOLS / "beside_cuda.py"))


def test_sorted_arrays_answer_as_a_plain_search_does(tool):
    work = tool["Work"](1 << 12)
    _, found = tool["measure"](lambda: tool["SortedArrays"](np), work)
    keys = np.sort(work.keys)

    def entries(intervals):
        return sum(int(((keys >= lower) & (keys <= upper)).sum()) for lower, upper in zip(*intervals, strict=True))

    assert found == {
        "lookup of present keys": len(work.present),
        "lookup of missing keys": 0,
        "first count of 1024": entries(work.long),
        "range of 8": entries(work.short),
        "range of 1024": entries(work.long),
    }


def test_the_newest_value_of_a_key_is_kept(tool):
    structure = tool["SortedArrays"](np)
    structure.insert(np.array([3, 1], "uint32"), np.array([30, 10], "uint32"))
    structure.insert(np.array([2, 3], "uint32"), np.array([20, 31], "uint32"))
    found, values = structure.lookup(np.array([1, 2, 3], "uint32"))
    assert (found, values.tolist()) == (3, [10, 20, 31])


def test_both_kinds_agree_and_a_missing_library_is_named(tool, capsys):
    answers = tool["main"](["--log-n", "12", "--rounds", "1", "--with", "numpy", "pandas"])
    assert answers["pandas"].items() <= answers["numpy"].items()
    assert "| lookup of present keys | M queries/s |" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="none of the libraries"):
        tool["main"](["--with", "cupy"])
    assert "cupy is left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--rounds", "0", "0 is not from 1 to 1000"),
        ("--rounds", "-1", "-1 is not from 1 to 1000"),
        ("--log-n", "11", "11 is not from 12 to 26"),
        ("--log-n", "27", "27 is not from 12 to 26"),
        ("--log-n", "many", "invalid whole number value: 'many'"),
    ],
)
def test_numbers_that_cannot_be_measured_are_refused(tool, capsys, option, text, said):
    with pytest.raises(SystemExit) as refused:
        tool["main"](["--with", "numpy", option, text])
    assert refused.value.code == 2
    assert f"argument {option}: {said}" in capsys.readouterr().err


def test_without_numpy_it_says_what_to_do():
    # Without `site`, Python finds its own modules only.
    command = [sys.executable, "-I", "-S", str(TOOLS / "beside_cuda.py")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("beside_cuda.py needs numpy")
