"""The examples of the README and of every docstring run as they are written."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import gpu_lsm
import gpu_lsm.cluster
import numpy
import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_quick_start_of_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})


MODULES = [module.name for module in pkgutil.iter_modules(gpu_lsm.__path__) if not module.name.startswith("_")]
MODULES += [f"cluster.{module.name}" for module in pkgutil.iter_modules(gpu_lsm.cluster.__path__)]
MODULES.remove("ray")  # `tests-ray` tests what needs Ray.


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_run(name):
    module = importlib.import_module(f"gpu_lsm.{name}".rstrip("."))
    names = {"np": numpy, "gpu_lsm": gpu_lsm, **{each: getattr(gpu_lsm, each) for each in gpu_lsm.__all__}}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_every_method_has_an_explanation():
    classes = gpu_lsm.Dictionary, gpu_lsm.Snapshot, gpu_lsm.Batch, gpu_lsm.Durable, gpu_lsm.Reader, gpu_lsm.Store
    for owner in classes:
        for name in dir(owner):
            if not name.startswith("_"):
                assert getattr(owner, name).__doc__, f"{owner.__name__}.{name}"
