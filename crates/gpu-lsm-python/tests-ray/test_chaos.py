"""The short form of the chaos run, and the guide."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GUIDE = HERE.parents[2] / "docs" / "ray.md"


def test_the_code_of_the_guide_runs(cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)


def test_nothing_is_lost_while_actors_and_nodes_are_killed(tmp_path: Path) -> None:
    # A process of its own, because it is connected to another cluster.
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    file = tmp_path / "figures.json"
    # On a busy machine, half a minute is not enough for so many reads.
    command = [sys.executable, HERE / "chaos.py", "--short", "--seconds", "30", "--reads", "11", "--figures", file]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]
    figures = json.loads(file.read_text())
    assert figures["reads compared"] > 10
    assert figures["seconds until all parts answer"]["node"]["kills"] >= 1
