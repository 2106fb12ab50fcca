"""Many files change together, or none does."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paperagents.definitions.change import Change
from paperagents.errors import FileChangedError, StorageError, ToolError
from paperagents.files.commit import commit_changes, complete_changes, delete_file, digest_text
from paperagents.files.folder import VaultFolder
from paperagents.files.writing import flush_folder

KILLS = int(os.environ.get("PAPER_TEST_KILLS", "15"))


def contents(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def changes(folder: VaultFolder) -> list[Change]:
    folder.write_text("old.md", "old")
    folder.write_text("gone.md", "gone")
    return [
        Change(path="gone.md", before="gone", after=None),
        Change(path="old.md", before="old", after="new"),
        Change(path="made/deep/a.md", before=None, after="a"),
    ]


def test_files_are_created_changed_and_deleted(folder: VaultFolder, changes: list[Change]) -> None:
    (folder.root / "old.md").chmod(0o640)
    commit_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "new", "made/deep/a.md": "a"}
    assert (folder.root / "old.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("changed", ["old.md", "gone.md", "made/deep/a.md"])
def test_where_one_file_is_another_by_now_none_is_changed(
    folder: VaultFolder, changes: list[Change], changed: str
) -> None:
    folder.write_text(changed, "of an editor", overwrite=True)
    before = contents(folder.root)
    with pytest.raises(FileChangedError):
        commit_changes(folder, changes, "set")
    assert contents(folder.root) == before


def test_where_the_disk_is_full_none_is_changed_and_nothing_is_left(
    folder: VaultFolder, changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real = contents(folder.root), os.fsync

    def fsync(descriptor: int) -> None:
        if os.fstat(descriptor).st_size == len("new"):
            raise OSError(errno.ENOSPC, "full")
        real(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(ToolError) as raised:
        commit_changes(folder, changes, "set")
    assert raised.value.code == "disk-full"
    assert contents(folder.root) == before
    assert not (folder.root / "made").exists()


def test_what_was_made_is_taken_back_where_the_folder_cannot_be_flushed(
    folder: VaultFolder, changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real, flushed = contents(folder.root), flush_folder, []

    def refuse_once(descriptor: int) -> None:
        flushed.append(descriptor)
        if len(flushed) == 1:
            raise OSError(errno.EIO, "broken")
        real(descriptor)

    monkeypatch.setattr("paperagents.files.commit.flush_folder", refuse_once)
    with pytest.raises(ToolError):
        commit_changes(folder, changes, "set")
    assert contents(folder.root) == before


def test_what_cannot_be_taken_back_is_known_as_unfinished_and_completed_later(
    folder: VaultFolder, changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        broken.setattr("paperagents.files.commit.flush_folder", refuse)
        broken.setattr("paperagents.files.writing.flush_folder", refuse)
        with pytest.raises(StorageError) as raised:
            commit_changes(folder, changes, "set")
    assert raised.value.code == "changes-unfinished"
    assert complete_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "new", "made/deep/a.md": "a"}


def test_what_was_made_is_taken_back_where_a_later_file_cannot_be(
    folder: VaultFolder, changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real = contents(folder.root), os.unlink

    def unlink(name: str, *, dir_fd: int) -> None:
        if name == "gone.md":
            raise OSError(errno.EROFS, "read only")
        real(name, dir_fd=dir_fd)

    monkeypatch.setattr("os.unlink", unlink)
    with pytest.raises(ToolError):
        commit_changes(folder, changes, "set")
    assert contents(folder.root) == before


def test_a_killed_commit_is_completed(folder: VaultFolder, changes: list[Change]) -> None:
    folder.write_text("made/deep/a.md", "a")
    assert complete_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "new", "made/deep/a.md": "a"}
    assert complete_changes(folder, changes, "set")


def test_a_killed_commit_is_taken_back_where_somebody_has_changed_what_was_not_made_yet(
    folder: VaultFolder, changes: list[Change]
) -> None:
    folder.write_text("made/deep/a.md", "a")
    folder.write_text("gone.md", "of an editor", overwrite=True)
    assert not complete_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "old", "gone.md": "of an editor"}


def test_a_killed_commit_is_taken_back_where_the_disk_is_full_by_now(
    folder: VaultFolder, changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("made/deep/a.md", "a")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("paperagents.files.commit.fill_draft", refuse)
    assert not complete_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "old", "gone.md": "gone"}


def test_what_was_made_and_edited_after_the_kill_keeps_the_edit(folder: VaultFolder, changes: list[Change]) -> None:
    folder.write_text("made/deep/a.md", "a and more")
    folder.write_text("old.md", "new", overwrite=True)
    assert complete_changes(folder, changes, "set")
    assert contents(folder.root) == {"old.md": "new", "made/deep/a.md": "a and more"}


def test_only_the_file_that_is_meant_is_deleted(folder: VaultFolder) -> None:
    folder.write_text("a.md", "a")
    with pytest.raises(FileChangedError):
        delete_file(folder, "a.md", digest_text("b"))
    delete_file(folder, "a.md", digest_text("a"))
    assert contents(folder.root) == {}


COMMITTER = """
import sys
from paperagents.definitions.change import Change
from paperagents.files.commit import commit_changes
from paperagents.files.folder import VaultFolder
folder = VaultFolder(sys.argv[1])
print(flush=True)
commit_changes(folder, [Change(path=f"{n}.md", before="old", after="new") for n in range(40)], "set")
"""


def test_a_commit_that_is_killed_at_any_moment_is_whole_after_it_is_completed(tmp_path: Path) -> None:
    random_moment = random.Random(7)
    changes = [Change(path=f"{number}.md", before="old", after="new") for number in range(40)]
    for _ in range(KILLS):
        for each in changes:
            (tmp_path / each.path).write_text("old")
        child = subprocess.Popen([sys.executable, "-c", COMMITTER, str(tmp_path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        # A pause of random length is the point here: the kill must fall on any moment of the commit.
        time.sleep(random_moment.uniform(0, 0.03))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert {text for name, text in contents(tmp_path).items() if name[0] != "."} <= {"old", "new"}
        with VaultFolder(tmp_path) as folder:
            assert complete_changes(folder, changes, "set")
            list(folder.list_files())
        assert contents(tmp_path) == {each.path: "new" for each in changes}
