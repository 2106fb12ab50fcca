"""Health and figures: alive, ready, and how much is done."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.waiting import wait_until

from paperagents.cluster.operations import JsonLines, check_database, metrics, readiness, serve_health
from paperagents.errors import StorageError
from paperagents.vault import Vault

from .conftest import working


def test_a_worker_tells_that_it_is_alive_and_ready_and_what_it_does(vault: Vault) -> None:
    vault.run("greet", {"who": "you"})
    vault.run("note")
    with serve_health(vault, "127.0.0.1", 0) as port:
        answers = {path: urlopen(f"http://127.0.0.1:{port}/{path}").read() for path in ("health", "ready", "metrics")}
        with urlopen(Request(f"http://127.0.0.1:{port}/metrics", method="HEAD")) as head:
            assert (head.status, head.headers["content-length"]) == (200, str(len(answers["metrics"])))
        with pytest.raises(HTTPError) as caught:
            urlopen(f"http://127.0.0.1:{port}/else")
        caught.value.close()
    assert json.loads(answers["health"]) == {"alive": True}
    assert json.loads(answers["ready"]) == {"ready": True, "reason": None}
    assert b'paper_runs{tool="greet",status="succeeded"} 1\n' in answers["metrics"]
    assert b"paper_open_approvals 1\n" in answers["metrics"]


def test_every_line_of_the_figures_has_the_form_that_is_read(vault: Vault) -> None:
    vault.run('no "such"\\tool\n')
    line = re.compile(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="([^"\\\n]|\\.)*"(,\w+="([^"\\\n]|\\.)*")*\})? [\d.]+')
    for each in metrics(vault).splitlines():
        assert line.fullmatch(each), each


def test_a_database_that_cannot_be_used_makes_it_not_ready(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StorageError("database-unreachable", file="x", reason="gone")

    assert readiness(vault)["ready"]
    monkeypatch.setattr(vault.database, "rows", fail)
    assert readiness(vault) == {"ready": False, "reason": "database-unreachable"}
    with serve_health(vault, "127.0.0.1", 0) as port:
        for path in ("ready", "metrics"):
            with pytest.raises(HTTPError) as caught:
                urlopen(f"http://127.0.0.1:{port}/{path}")
            assert caught.value.code == 503
            caught.value.close()


def test_the_doctor_counts_workers_and_what_waits(vault: Vault) -> None:
    vault.run("note")
    before = check_database(vault)
    assert (before["problems"], before["waiting"]) == ([], 1)
    if before["workers"] is not None:
        assert before["workers"] == 0
        with working(vault):
            wait_until(lambda: check_database(vault)["workers"] == 1)


def test_a_line_of_the_log_is_one_json_object() -> None:
    record = logging.makeLogRecord({"msg": "run %s\nended", "args": ("x",), "levelno": 20, "levelname": "INFO",
                                    "name": "paper.worker", "run_id": "x"})  # fmt: skip
    written = JsonLines().format(record)
    assert "\n" not in written
    read = json.loads(written)
    assert (read["message"], read["level"], read["run_id"]) == ("run x\nended", "info", "x")


def test_what_libraries_and_warnings_say_is_json_too() -> None:
    code = (
        "import logging, warnings; from paperagents.cluster.operations import write_log; write_log('json'); "
        "logging.getLogger('some.library').warning('two\\nlines'); warnings.warn('old'); "
        "logging.getLogger('some.library').info('chatter'); logging.getLogger('paper.worker').info('ours')"
    )
    written = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    ).stderr
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["logger"] for line in lines] == ["some.library", "py.warnings", "paper.worker"]
