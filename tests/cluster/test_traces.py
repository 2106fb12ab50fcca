"""One trace for each run, whichever processes carry it out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from tests.servers import Collector
from tests.waiting import wait_until

from paperagents.approval.question import Approved
from paperagents.runs.open_telemetry import ids_of
from paperagents.vault import Vault


@pytest.fixture(autouse=True)
def send_traces(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.web.url(""))


def work_until(vault: Vault, run_id: str, status: str) -> None:
    """A worker process of its own carries the run on, and ends."""
    command = [sys.executable, "-m", "paperagents", "--vault", str(vault.root), "worker"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ)) as process:
        try:
            wait_until(lambda: vault.history.record(run_id).status == status)
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_two_workers_add_to_one_trace(vault: Vault, collector: Collector) -> None:
    run_id = vault.enqueue("note").run_id
    work_until(vault, run_id, "waiting")
    assert [each.name for each in collector.spans] == ["execute_tool write_file"]
    assert "error.type" not in {each.key for each in collector.spans[0].attributes}
    (approval,) = vault.history.questions()
    vault.continuation.answer(approval.id, Approved(), announce=True)
    work_until(vault, run_id, "succeeded")
    assert sorted(each.name for each in collector.spans) == [
        "execute_tool write_file",
        "execute_tool write_file",
        "run note",
    ]
    trace, top = (number.to_bytes(length) for number, length in zip(ids_of(run_id), (16, 8), strict=True))
    assert {each.trace_id for each in collector.spans} == {trace}
    assert {each.parent_span_id for each in collector.spans if each.name != "run note"} == {top}
    assert [each.span_id for each in collector.spans if each.name == "run note"] == [top]
