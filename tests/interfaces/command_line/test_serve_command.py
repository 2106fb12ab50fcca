"""``paper serve`` as a process: the link, the token, the end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from paperagents.interfaces.command_line.app import run as paper
from paperagents.vault import Vault

pytestmark = pytest.mark.process


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    return tmp_path / "vault"


@contextmanager
def serve(folder: Path, *options: str) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "paperagents", "serve", "--vault", str(folder), "--port", "0", "--json", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        try:
            yield json.loads("".join(lines)), process
        finally:
            process.kill()


def test_the_link_opens_and_an_interrupt_ends_it_cleanly(folder: Path) -> None:
    with serve(folder) as (served, process):
        with httpx2.Client(timeout=30, follow_redirects=True) as browser:
            assert browser.get(served["url"]).status_code == 401
            assert browser.get(served["link"]).url.path == "/"
            assert browser.get(f"{served['api']}/status").json()["vault"] == "vault"
        headers = {"authorization": f"Bearer {served['token']}"}
        with httpx2.stream("GET", f"{served['api']}/events", headers=headers, timeout=30) as stream:
            assert stream.status_code == 200
            process.send_signal(signal.SIGINT)
            # Somebody who looks on is let go and does not hold the end up.
            stream.read()
        assert process.wait(30) == 0


def test_the_token_of_programs_outlives_a_restart(folder: Path) -> None:
    with serve(folder) as (first, _):
        pass
    with serve(folder) as (second, _):
        headers = {"authorization": f"Bearer {first['token']}"}
        assert httpx2.get(f"{second['api']}/status", headers=headers, timeout=30).status_code == 200
        assert httpx2.get(first["link"].replace(first["url"], second["url"]), timeout=30).status_code == 401


def test_another_address_is_told_and_needs_the_token_too(folder: Path) -> None:
    with serve(folder, "--host", "0.0.0.0") as (served, process):
        port = served["url"].rsplit(":", 1)[1]
        assert httpx2.get(f"http://127.0.0.1:{port}/api/status", timeout=30).status_code == 401
        process.terminate()
        assert process.stderr is not None
        assert "0.0.0.0" in process.stderr.read()


def test_the_log_is_one_json_object_for_each_line(folder: Path) -> None:
    (folder / "shout.md").write_text("---\ntool: true\nname: shout\ncustom_function: return 1;\n---\n")
    with serve(folder, "--log-format", "json", "--host", "0.0.0.0") as (served, process):
        port = served["url"].rsplit(":", 1)[1]
        headers = {"authorization": f"Bearer {served['token']}"}
        run = httpx2.post(f"http://127.0.0.1:{port}/api/runs", headers=headers, timeout=30,
                          json={"tool": "shout", "arguments": {"words": "not-for-the-log"}}).json()  # fmt: skip
        process.terminate()
        assert process.stderr is not None
        written = process.stderr.read()
    lines = [json.loads(line) for line in written.splitlines()]
    assert ("0.0.0.0" in lines[0]["message"], lines[0]["level"]) == (True, "warning")
    ended = next(line for line in lines if line.get("run_id") == run["run_id"])
    assert (ended["tool"], ended["status"], ended["level"]) == ("shout", "succeeded", "info")
    assert "not-for-the-log" not in written


def test_without_being_asked_for_there_is_no_log(folder: Path) -> None:
    with serve(folder) as (_, process):
        process.terminate()
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert paper(["--vault", str(folder), "serve", "--port", str(taken.getsockname()[1])]) == 1
    assert "--port 0" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["99999", "-1", "65536", "x", "1.5", ""])
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_what_is_no_port_is_wrong_usage(
    folder: Path, command: str, port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert paper(["--vault", str(folder), command, "--port", port]) == 2
    assert "--port must be a whole number from 0 to 65535." in capsys.readouterr().err


def test_a_short_token_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_SERVE_TOKEN", "short")
    assert paper(["--vault", str(folder), "serve", "--port", "0"]) == 2


@pytest.mark.parametrize("line", ['token = "known-to-somebody-else"', 'hosts = ["evil.example"]'])
def test_a_vault_cannot_bring_its_own_way_in(folder: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".paper" / "settings.toml").write_text(f"[serve]\n{line}\n")
    assert paper(["--vault", str(folder), "stats"]) == 0
    assert "settings.toml" in capsys.readouterr().err, "it is left out, and that is said"
    with Vault(folder) as vault:
        assert vault.settings.get("serve.token") is None
        assert vault.settings.get("serve.hosts") == ()
