"""The Python code of the guides runs, page by page."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["tutorial", "shards", "devices", "stores"])
def test_the_code_of_a_guide_runs(page: str) -> None:
    blocks = BLOCK.findall((DOCS / f"{page}.md").read_text())
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, f"{page}.md", "exec"), names)
