"""``paper obsidian install``: the plugin is copied into a vault, and into nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperagents.interfaces.command_line.app import run as paper
from paperagents.interfaces.command_line.obsidian_command import FILES, plugin_folder
from paperagents.version import __version__

PLACE = Path(".obsidian/plugins/paper-agents")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    return tmp_path / "vault"


def install(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """The exit code, and the document."""
    code = paper(["obsidian", "install", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_plugin_is_copied_and_nothing_else_is_touched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = install(capsys, str(folder))
    assert (code, told["folder"], told["version"]) == (0, str(folder / PLACE), __version__)
    copied = {file.name: file.read_bytes() for file in (folder / PLACE).iterdir()}
    assert copied == {name: (plugin_folder() / name).read_bytes() for name in FILES}
    assert [file.name for file in folder.iterdir()] == [".obsidian"]


def test_without_a_name_it_goes_into_this_vault_and_says_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert paper(["obsidian", "install"]) == 0
    shown = capsys.readouterr()
    assert str(PLACE) in shown.out
    assert "Community plugins" in shown.err


def test_an_update_keeps_what_the_plugin_has_stored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(capsys, str(folder))
    (folder / PLACE / "data.json").write_text("{}", "utf-8")
    (folder / PLACE / "main.js").write_text("// of an older version", "utf-8")
    assert install(capsys, str(folder))[0] == 0
    assert (folder / PLACE / "main.js").read_bytes() == (plugin_folder() / "main.js").read_bytes()
    assert (folder / PLACE / "data.json").read_text("utf-8") == "{}"


@pytest.mark.parametrize(
    "there", [{"main.js": "mine"}, {"manifest.json": '{"id": "other"}'}, {"manifest.json": "{", "styles.css": "mine"}]
)
def test_files_of_another_plugin_are_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], there: dict[str, str]
) -> None:
    (folder / PLACE).mkdir(parents=True)
    for name, content in there.items():
        (folder / PLACE / name).write_text(content, "utf-8")
    code, told = install(capsys, str(folder))
    assert (code, told["error"]["code"]) == (2, "obsidian-foreign-files")
    assert {file.name: file.read_text("utf-8") for file in (folder / PLACE).iterdir()} == there


def test_a_folder_that_obsidian_does_not_know_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = install(capsys, str(tmp_path))
    assert (code, told["error"]["code"]) == (2, "not-obsidian")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("link", [".obsidian", ".obsidian/plugins", str(PLACE), str(PLACE / "main.js")])
def test_no_link_of_a_strangers_vault_leads_the_writing_out_of_it(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str], link: str
) -> None:
    outside = tmp_path / "outside"
    if link.endswith(".js"):
        outside.write_text("mine", "utf-8")
        (folder / PLACE).mkdir(parents=True)
        (folder / PLACE / "manifest.json").write_text('{"id": "paper-agents"}', "utf-8")
    else:
        outside.mkdir()
        (folder / link).parent.mkdir(parents=True, exist_ok=True)
        if link == ".obsidian":
            (folder / ".obsidian").rmdir()
    (folder / link).symlink_to(outside)
    code, told = install(capsys, str(folder))
    assert code != 0, told
    assert outside.read_text("utf-8") == "mine" if link.endswith(".js") else [*outside.iterdir()] == []


def test_the_manifest_says_the_version_of_the_package() -> None:
    manifest = json.loads((plugin_folder() / "manifest.json").read_text("utf-8"))
    assert (manifest["id"], manifest["version"]) == ("paper-agents", __version__)
    assert sum(file.stat().st_size for file in plugin_folder().iterdir()) < 60_000
