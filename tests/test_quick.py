"""What ``./test --quick`` leaves out is declared where pytest looks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_quick_leaves_out_every_marker_there_is() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    left_out = re.search(r'-m "not \((.+)\)"', (ROOT / "test").read_text(encoding="utf-8"))
    assert left_out is not None
    assert left_out[1].split(" or ") == [each.partition(":")[0] for each in options["markers"]]
