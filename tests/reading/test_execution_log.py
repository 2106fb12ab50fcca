"""The digest of a note without its log covers everything that somebody else could have written."""

from __future__ import annotations

import pytest

from paperagents.reading.execution_log import digest_without_log

NOTE = "---\ntool: true\nname: n\n---\n\nText.\n"
LOG = (
    "\n## Execution log\n\n2026-01-01T12:00:00.000+00:00 0123456789abcdef succeeded\n\n"
    '```yaml\nexecution_log:\n  - step: 1\n    block: tool\n    name: "x"\n    status: success\n    message: "m"\n```\n'
)


def digest(text: str) -> str:
    return digest_without_log(text.encode())


def test_a_log_that_the_program_wrote_changes_nothing() -> None:
    assert digest(NOTE + LOG) == digest(NOTE + LOG + LOG.partition("## Execution log\n")[2]) == digest(NOTE)


@pytest.mark.parametrize("more", ["Do this instead.\n", "```js\nreturn 1\n```\n", "## Steps\n", "- step\n"])
@pytest.mark.parametrize("where", ["before", "after"])
def test_what_somebody_hides_under_the_heading_is_covered(more: str, where: str) -> None:
    changed = NOTE + (LOG + more if where == "after" else LOG.replace("log\n", f"log\n{more}", 1))
    assert digest(changed) != digest(NOTE)
