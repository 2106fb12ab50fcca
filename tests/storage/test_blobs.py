"""Large values are stored once, come back as they were, and go with the last run that needs them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.signing import journal_of

from paperagents.errors import DamagedRowError
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.record import LogEntry, RunRecord, new_run
from paperagents.storage.blobs import LARGE, pack, pack_fields
from paperagents.storage.database import Database, encode

TEXT = "".join(random.Random(1).choices("abcdefgh", k=2 * LARGE))


@pytest.fixture
def journal(database: Database) -> Iterator[Journal]:
    with closing(journal_of(database)) as made:
        yield made


def run_with(journal: Journal, output: Any, *, arguments: Any = None, data: Any = None, redact: Any = None) -> str:
    run = new_run("t", arguments or {}, {})
    journal.start(run, file=None, content=None)
    entry = LogEntry(step=1, block="tool", name="n", status="success", message="m", timestamp="t", duration_ms=1.0,
                     output=output, parameters=arguments or {})  # fmt: skip
    journal.append(run.run_id, "1", entry, state="final")
    record = RunRecord(run_id=run.run_id, tool="t", status="succeeded", started=run.started, duration_ms=1.0,
                       data=output if data is None else data)  # fmt: skip
    journal.finish(record, arguments or {}, redact=redact)
    return run.run_id


def count(database: Database, table: str) -> int:
    return int(database.rows(f"SELECT count(*) AS found FROM {table}")[0]["found"])


def test_a_large_output_is_stored_once_and_comes_back_wherever_it_is_read(journal: Journal) -> None:
    output, arguments = {"content": TEXT + "\ud800", "n": [1]}, {"text": TEXT}
    runs = [run_with(journal, output, arguments=arguments) for _ in range(2)]
    assert count(journal.database, "blobs") == 2
    record = History(journal).record(runs[1])
    assert (record.data, record.execution_log[0]["output"]) == (output, output)
    assert list(record.execution_log[0])[:7] == ["step", "block", "name", "status", "message", "parameters", "output"]
    assert History(journal).arguments(runs[1]) == ("t", arguments)
    assert journal.results(runs[0])["1"]["output"] == output
    stored = journal.database.rows("SELECT SUM(LENGTH(entry)) AS size FROM journal")[0]["size"]
    assert stored < LARGE


def test_an_outline_is_read_without_the_large_values_and_one_step_with_them(journal: Journal) -> None:
    run = run_with(journal, {"content": TEXT}, arguments={"text": TEXT})
    with journal.database.transaction() as connection:
        connection.execute("DELETE FROM blobs")
    ((path, entry),) = History(journal).outline(run)
    assert (path, entry["name"], entry["output"], entry["parameters"]) == ("1", "n", None, {})
    with pytest.raises(DamagedRowError):
        History(journal).step(run, "1")
    small = run_with(journal, [1], arguments={"text": "short"})
    step = History(journal).step(small, "1")
    assert step is not None
    assert (step["output"], History(journal).outline(small)[0][1]) == ([1], step)
    assert History(journal).step(small, "2") is None


def test_a_small_value_stands_in_its_row_also_where_it_looks_like_a_reference(journal: Journal) -> None:
    output = "blob:" + "0" * 64
    assert History(journal).record(run_with(journal, output)).data == output
    assert count(journal.database, "blobs") == 0


def test_a_waiting_run_with_large_arguments_is_still_the_users_own(journal: Journal, second: Database) -> None:
    run = new_run("t", {"text": TEXT}, {})
    journal.start(run, file=None, content=None)
    record = RunRecord(run_id=run.run_id, tool="t", status="waiting", started=run.started, duration_ms=1.0)
    journal.finish(record, run.arguments)
    with closing(journal_of(second)) as other:
        assert other.is_own(run.run_id)
        assert (found := History(other).run(run.run_id)) is not None
        assert found.arguments == run.arguments


@pytest.mark.parametrize("statement", ["DELETE FROM blobs", "UPDATE blobs SET content = 'x'"])
def test_a_value_that_is_not_what_was_stored_is_told_as_damaged(journal: Journal, statement: str) -> None:
    run_id = run_with(journal, TEXT)
    with journal.database.transaction() as connection:
        connection.execute(statement)
    with pytest.raises(DamagedRowError):
        History(journal).record(run_id)
    assert [each["run_id"] for each in History(journal).runs()] == [run_id]


def test_a_secret_does_not_stay_in_a_large_value(journal: Journal) -> None:
    def redact(value: Any) -> Any:
        return json.loads(json.dumps(value).replace("s3cret", "***"))

    run_id = run_with(journal, f"s3cret {TEXT}", data=f"*** {TEXT}", redact=redact)
    assert History(journal).record(run_id).execution_log[0]["output"] == f"*** {TEXT}"
    assert count(journal.database, "blobs") == count(journal.database, "blob_uses") == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_packed_never_reads_as_json(value: Any) -> None:
    large = encode([value, "x" * LARGE])
    for text in (pack(large).text, pack_fields({"a": [value, "x" * LARGE]}, encode).text):
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(text)
