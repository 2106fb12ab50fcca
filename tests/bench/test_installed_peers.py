"""Peers are installed once, and a bench goes on without one that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import installed_peers


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(installed_peers, "FOLDER", tmp_path)
    return tmp_path


def test_what_is_there_in_this_version_is_used(folder: Path) -> None:
    wanted = installed_peers.PYTHON["fastmcp-venv"]
    (folder / "fastmcp-venv").mkdir()
    (folder / "fastmcp-venv" / "installed.json").write_text(json.dumps(wanted), encoding="utf-8")
    assert installed_peers.python_peer("fastmcp-venv") == folder / "fastmcp-venv" / "bin" / "python"


def test_without_npm_there_is_no_peer(folder: Path) -> None:
    assert installed_peers.node_peer(".", npm="no-such-program") is None
    assert list(folder.iterdir()) == []


def test_what_cannot_be_installed_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    python = folder / "tools-venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/false")
    assert installed_peers.python_peer("tools-venv") is None
    assert "goes on without that peer" in capfd.readouterr().err


def test_only_the_versions_of_what_is_there_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(installed_peers.PYTHON, "here", ("dbos==3.3.0", "psycopg[binary]==3.3.8"))
    monkeypatch.setitem(installed_peers.NODE, "there", ("@scope/name@1.2.0",))
    monkeypatch.setitem(installed_peers.NODE, "nowhere", ("name@1.0.0",))
    for name, place in (("here", folder / "here"), ("there", folder / "there" / "node_modules")):
        place.mkdir(parents=True)
        installed_peers._stamp(name)
    told = installed_peers.versions("here", "there", "nowhere")
    assert told == {"dbos": "3.3.0", "psycopg": "3.3.8", "@scope/name": "1.2.0"}


def test_every_peer_has_a_fixed_version() -> None:
    groups = [*installed_peers.PYTHON.values(), *installed_peers.NODE.values()]
    assert all(installed_peers._named(each)[1][:1].isdigit() for group in groups for each in group)


def test_a_program_tells_its_version() -> None:
    assert installed_peers.program_version("no-such-program") == {}
    assert installed_peers.program_version("git")["git"].count(".") >= 1
