"""The log of a run: which entries are results that a resumed run does not come to again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.signing import journal_of

from paperagents.errors import DeniedError, PaperError, ToolError, WaitingError
from paperagents.runs.journal import Journal
from paperagents.runs.log import RunLog
from paperagents.runs.record import Place, StepPath
from paperagents.secrets.redaction import Redaction
from paperagents.storage.database import Database

RUN = "a" * 16
PLACE = Place(path=StepPath("1"), step=1, block="tool", name="t")


@pytest.fixture
def journal(database: Database) -> Iterator[Journal]:
    with closing(journal_of(database)) as made:
        yield made


@pytest.mark.parametrize(("is_result", "error", "kept"), [
    (True, ToolError("no-agents-here", tool="t"), "error"),
    (True, DeniedError("no", tool="t"), "denied"),
    (True, WaitingError("t", "1"), None),
    (False, ToolError("no-agents-here", tool="t"), None),
])  # fmt: skip
def test_a_failure_is_a_result_where_the_run_goes_on_with_it_and_a_wait_never_is(
    journal: Journal, error: PaperError, kept: str | None, *, is_result: bool
) -> None:
    log = RunLog(RUN, journal, Redaction(), lambda _: None)
    with pytest.raises(PaperError), log.block(PLACE, {}, failures_are_results=lambda: is_result):
        raise error
    assert journal.results(RUN).get("1", {}).get("status") == kept


@pytest.mark.parametrize("is_idempotent", [True, False])
def test_a_result_without_its_secret_is_none_where_it_can_be_had_again(
    journal: Journal, *, is_idempotent: bool
) -> None:
    log = RunLog(RUN, journal, Redaction(["HIDDENWORD"]), lambda _: None)
    with log.block(PLACE, {}) as entry:
        entry.output, entry.is_idempotent = "HIDDENWORD", is_idempotent
    assert ("1" in journal.results(RUN)) is not is_idempotent
    assert "HIDDENWORD" not in str(log.entries)
