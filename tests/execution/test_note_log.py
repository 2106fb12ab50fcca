"""Logs of runs in notes: where they stand, and how."""

from __future__ import annotations

import pytest
from tests.execution.conftest import Desk

from paperagents.registry.tool_registry import ToolRegistry


def test_a_log_stands_under_its_heading_whatever_comes_after_it(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: return 1;")
    file = desk.root / "tools/own.md"
    written = file.read_text() + "\n## Execution log\n\nOld.\n\n```sh\n# not a heading\n```\n"
    file.write_text(written)
    desk.run("own")
    assert file.read_text().count("## Execution log") == 1
    file.write_text(written + "\n# More\n\nWords.\n")
    desk.run("own")
    desk.run("own")
    before, _, after = file.read_text().rpartition("## Execution log\n")
    assert before == written + "\n# More\n\nWords.\n\n"
    assert after.count("execution_log:") == 2


def test_a_log_keeps_the_line_ends_of_its_note(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: return 1;")
    file = desk.root / "tools/own.md"
    text = file.read_text() + "\n## Execution log\n"
    file.write_bytes(text.replace("\n", "\r\n").encode())
    desk.run("own")
    desk.run("own")
    content = file.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    assert (content.count(b"## Execution log"), content.count(b"execution_log:")) == (1, 2)


@pytest.mark.parametrize("opening", ["```js", "~~~~ js", "  ```js"])
def test_a_log_never_becomes_part_of_a_block_that_was_not_closed(desk: Desk, opening: str) -> None:
    desk.tool("own", "log: file", f"{opening}\n// @postprocess\nreturn 5;")
    for _ in range(3):
        desk.run("own")
    assert desk.text("tools/own.md").count("execution_log:") == 3
    script = ToolRegistry(desk.root).tool("own").postprocess
    assert script is not None
    assert script.text.split() == ["//", "@postprocess", "return", "5;"]
