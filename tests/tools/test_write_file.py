"""``write_file``: what is written is what was shown, to the file it was shown for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from paperagents.approval.question import ApprovalRequest, Approved
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.vault import Vault


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    with Vault(tmp_path / "vault") as opened:
        yield opened


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(
    ("before", "change"),
    [
        ("old", lambda file: file.write_text("someone else's")),
        ("old", lambda file: file.unlink()),
        (None, lambda file: file.write_text("someone else's")),
    ],
    ids=["changed", "deleted", "created"],
)
def test_a_file_that_is_another_one_than_was_shown_is_not_written(
    vault: Vault,
    before: str | None,
    change: Callable[[Path], None],
    append: bool,  # noqa: FBT001  a table
) -> None:
    file = vault.root / "a.md"
    if before is not None:
        file.write_text(before)
    arguments: JsonObject = {"filePath": "a.md", "content": "new", "overwrite": not append, "append": append}
    effect = vault.services.built_in["write_file"](arguments)
    change(file)
    now = file.read_text() if file.exists() else None
    with pytest.raises(ToolError) as raised:
        effect.perform()
    assert raised.value.code == "file-changed"
    assert (file.read_text() if file.exists() else None) == now


def test_a_file_that_changes_while_a_person_reads_the_question_is_shown_again(
    vault: Vault,
) -> None:
    file = vault.root / "a.md"
    file.write_text("one\n")
    shown = []

    def decide(request: ApprovalRequest) -> Approved:
        shown.append(request.preview)
        if len(shown) == 1:
            file.write_text("two\n")
        return Approved()

    arguments: JsonObject = {"filePath": "a.md", "content": "three\n", "overwrite": True}
    assert vault.run("write_file", arguments, approver=decide).status == "succeeded"
    assert ["-one" in shown[0], "-two" in shown[1], len(shown)] == [True, True, 2]
    assert file.read_text() == "three\n"


def test_the_state_that_is_foreseen_is_the_state_that_comes(vault: Vault) -> None:
    effect = vault.services.built_in["write_file"]({"filePath": "a.md", "content": "ä\n"})
    assert effect.current() == effect.before == "absent"
    assert effect.perform() == effect.answer
    assert effect.current() == effect.after


def test_writing_a_new_file_looks_at_no_other(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(*_: object) -> NoReturn:
        raise AssertionError("a vault of a hundred thousand notes was looked through")

    monkeypatch.setattr(VaultFolder, "list_folders", look)
    effect = vault.services.built_in["write_file"]({"filePath": "new.md", "content": "x"})
    assert effect.perform() == {"filePath": "new.md", "size": 1, "created": True}
    assert vault.folder.find_text("other.md") is None


def test_the_effect_names_the_whole_text_before_and_after(vault: Vault) -> None:
    (vault.root / "a.md").write_text("one\n")
    effect = vault.services.built_in["write_file"]({"filePath": "a.md", "content": "two\n", "append": True})
    assert [(each.path, each.before, each.after) for each in effect.changes] == [("a.md", "one\n", "one\ntwo\n")]
