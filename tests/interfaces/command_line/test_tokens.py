"""``paper serve token``: tokens with names and rights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperagents.interfaces.command_line.app import run as paper


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    return tmp_path / "vault"


def call(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """The exit code, and the document."""
    code = paper(["--vault", str(folder), "serve", "token", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_token_is_shown_once_listed_and_revoked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, made = call(folder, capsys, "new", "desk", "--may", "answer,call")
    assert (code, made["name"], made["may"]) == (0, "desk", ["call", "answer"])
    code, listed = call(folder, capsys, "list")
    assert (code, [(each["name"], each["may"]) for each in listed]) == (0, [("desk", ["call", "answer"])])
    assert made["token"] not in json.dumps(listed)
    assert call(folder, capsys, "revoke", "desk")[0] == 0
    assert call(folder, capsys, "list") == (0, [])


def test_a_token_may_call_unless_more_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(folder, capsys, "new", "desk")[1]["may"] == ["call"]


def test_the_token_alone_is_on_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper(["--vault", str(folder), "serve", "token", "new", "desk", "--may", "call", "--may", "edit"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.split()) == 1
    assert "call, edit" in shown.err
    assert paper(["--vault", str(folder), "serve", "token", "list"]) == 0
    assert "desk  call, edit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("new", "desk", "--may", "fly"), "unknown-right"),
        (("new", "desk", "--may", ""), "unknown-right"),
        (("new", "two words"), "invalid-token-name"),
        (("revoke", "nobody"), "unknown-token"),
    ],
)
def test_wrong_usage_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: str
) -> None:
    exit_code, document = call(folder, capsys, *arguments)
    assert (exit_code, document["error"]["code"]) == (2, code)


def test_a_pairing_code_is_alone_on_standard_output_and_the_link_beside_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert paper(["--vault", str(folder), "serve", "pair", "--url", "https://notes.example.com/"]) == 0
    shown = capsys.readouterr()
    assert f"https://notes.example.com/pair?code={shown.out.strip()}" in shown.err
    assert paper(["--vault", str(folder), "serve", "pair", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (len(made["code"]), made["seconds"]) == (9, 600)
    assert paper(["--vault", str(folder), "serve", "pair", "--url", "notes", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "pairing-address"
