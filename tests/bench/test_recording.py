"""A bench that has run is printed, kept with the machine it ran on, and in the report."""

from __future__ import annotations

import pytest

import recording
import report
from result_files import Result
from table import Row


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    results: list[Result] = []
    monkeypatch.setattr(recording, "store", results.append)
    monkeypatch.setattr(report, "write", lambda: None)
    return results


@pytest.mark.parametrize(("met", "fine"), [(True, True), (None, True), (False, False)])
def test_the_rows_are_printed_and_kept(
    kept: list[Result], capsys: pytest.CaptureFixture[str], *, met: bool | None, fine: bool
) -> None:
    rows = [Row(bench="made-up", measure="jumps", ours="3", met=met)]
    assert recording.record("made-up", lambda: rows, lambda: {"rival": "1"}) is fine
    (result,) = kept
    assert (result.bench, result.rows, result.peers) == ("made-up", rows, {"rival": "1"})
    assert result.machine.processors >= 1
    assert "| made-up | jumps | 3 |" in capsys.readouterr().out


def test_nothing_is_kept_of_a_bench_that_fails(kept: list[Result]) -> None:
    def fails() -> list[Row]:
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        recording.record("made-up", fails)
    assert kept == []
