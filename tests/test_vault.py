"""Finding and opening a vault."""

from __future__ import annotations

from pathlib import Path

import pytest

import paperagents
from paperagents.errors import UsageError
from paperagents.notes_folder import find_vault, nearest_vault
from paperagents.vault import Vault, open_vault


@pytest.fixture
def nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a folder two levels down, which is the current one."""
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    deep = tmp_path / "vault" / "notes" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.delenv("PAPER_VAULT", raising=False)
    monkeypatch.chdir(deep)
    return deep


def test_the_nearest_folder_upwards_is_the_vault(nested: Path, tmp_path: Path) -> None:
    assert find_vault() == tmp_path / "vault"
    assert open_vault().root == tmp_path / "vault"
    assert nested.is_dir()


def test_the_innermost_of_two_vaults_is_taken(nested: Path) -> None:
    (nested / ".paper").mkdir()
    assert find_vault() == nested


def test_without_any_vault_the_current_folder_is_one(tmp_path: Path) -> None:
    assert nearest_vault(tmp_path / "plain") == tmp_path / "plain"


def test_a_file_named_like_the_keeping_folder_makes_no_vault(tmp_path: Path) -> None:
    (tmp_path / ".paper").write_text("", encoding="utf-8")
    assert nearest_vault(tmp_path) == tmp_path


def test_the_variable_is_stronger_than_the_nearest_folder(
    nested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("PAPER_VAULT", str(other))
    assert open_vault().root == other
    assert open_vault(nested).root == nested


@pytest.mark.parametrize("name", ["missing", "file.md"])
def test_what_is_no_folder_is_no_vault(name: str, tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        open_vault(tmp_path / name)
    assert caught.value.code == "no-such-vault"


def test_the_public_name_opens_a_vault_from_a_text(tmp_path: Path) -> None:
    assert isinstance(paperagents.open_vault(str(tmp_path)), Vault)


def test_opening_and_listing_a_folder_without_a_keeping_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# a note\n", encoding="utf-8")
    vault = open_vault(tmp_path)
    assert vault.registry.entries()
    assert vault.settings.get("sandbox.timeout")
    assert [each.name for each in tmp_path.iterdir()] == ["note.md"]


def test_changed_settings_also_reach_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / ".paper").mkdir()
    settings = tmp_path / ".paper" / "settings.toml"
    settings.write_text('timezone = "UTC"\n', encoding="utf-8")
    with Vault(tmp_path) as vault:
        code = {"code": "return new Date(2026, 0, 1, 12).toISOString();"}
        assert vault.run("js_execute", code).data == "2026-01-01T12:00:00.000Z"
        before = vault.sandbox
        settings.write_text('timezone = "Asia/Tokyo"\n', encoding="utf-8")
        vault.read_settings_again()
        assert vault.run("js_execute", code).data == "2026-01-01T03:00:00.000Z"
        settings.write_text('timezone = "Asia/Tokyo"\nlanguage = "de"\n', encoding="utf-8")
        kept = vault.sandbox
        vault.read_settings_again()
        assert vault.sandbox is kept is not before


def test_a_vault_can_be_checked_from_python(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.md").write_text("---\ntool: true\nname: b\n---\n", encoding="utf-8")
    (tmp_path / "sub" / "a.md").write_text("---\ntool: true\n---\n", encoding="utf-8")
    with paperagents.open_vault(tmp_path) as vault:
        assert {problem.file for problem in vault.check()} == {"b.md", "sub/a.md"}
        assert {problem.file for problem in vault.check("/sub/")} == {"sub/a.md"}
        assert vault.check()[0].span.line == 2
        assert vault.check("other") == []


def test_an_open_vault_is_checked_and_tested_as_its_folder_is_now(tmp_path: Path) -> None:
    tool = "---\ntool: true\nname: {}\ndescription: d\ncustom_function: return 1;\nexamples: [{{output: 1}}]\n---\n"
    (tmp_path / "a.md").write_text(tool.format("one"), encoding="utf-8")
    with paperagents.open_vault(tmp_path) as vault:
        assert vault.check() == []
        assert [result.tool for result in vault.test()] == ["one"]
        (tmp_path / "a.md").unlink()
        (tmp_path / "b.md").write_text(tool.format("two"), encoding="utf-8")
        assert [result.tool for result in vault.test()] == ["two"]
        (tmp_path / "c.md").write_text(tool.format("two"), encoding="utf-8")
        assert [(problem.file, problem.code) for problem in vault.check()] == [
            ("b.md", "duplicate-id"),
            ("c.md", "duplicate-id"),
        ]


def test_the_public_names_can_be_seen() -> None:
    assert dir(paperagents) == sorted(paperagents.__all__)
