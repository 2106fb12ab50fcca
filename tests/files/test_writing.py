from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.writing import DRAFT_PREFIX

KILLS = int(os.environ.get("PAPER_TEST_KILLS", "15"))
WRITER = """
import sys
from paperagents.files.folder import VaultFolder
folder = VaultFolder(sys.argv[1])
number = 0
while True:
    number += 1
    folder.write_text("a.md", f"{number % 10}" * 300_000, overwrite=True)
    folder.write_text(f"made/{sys.argv[2]}-{number}.md", "complete")
    print(number, flush=True)
"""


def drafts_in(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.name.startswith(DRAFT_PREFIX)]


def test_a_killed_writer_leaves_only_complete_files_and_nothing_to_pile_up(tmp_path: Path) -> None:
    random_moment = random.Random(7)
    for turn in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(turn)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        # A pause of random length is the point here: the kill must fall on any moment of a write.
        time.sleep(random_moment.uniform(0, 0.02))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        content = (tmp_path / "a.md").read_text()
        assert content == content[0] * 300_000
        assert all(path.read_text() == "complete" for path in (tmp_path / "made").glob("[!.]*"))
        assert len(drafts_in(tmp_path)) <= 2
        with VaultFolder(tmp_path) as folder:
            folder.write_text("a.md", content, overwrite=True)
            assert not drafts_in(tmp_path) or drafts_in(tmp_path)[0].parent.name == "made"
            list(folder.list_files())
        assert drafts_in(tmp_path) == []


def test_nothing_is_left_when_the_disk_refuses(folder: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("a.md", "old")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(ToolError) as caught:
            folder.write_text("a.md", "new", overwrite=True)
    assert caught.value.code == "disk-full"
    assert [path.name for path in folder.root.iterdir()] == ["a.md"]
    assert folder.read_text("a.md").content == "old"


def test_an_editor_s_save_during_an_append_is_kept(folder: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("a.md", "old\n")
    real = os.fsync
    saved: list[int] = []

    def save_once(descriptor: int) -> None:
        real(descriptor)
        if not saved:
            saved.append((folder.root / "a.md").write_text("saved by the editor\n"))

    monkeypatch.setattr(os, "fsync", save_once)
    folder.write_text("a.md", "appended", append=True)
    assert folder.read_text("a.md").content == "saved by the editor\nappended"


def test_an_editor_s_save_during_an_agreed_write_is_kept(folder: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("a.md", "old")
    agreed, real = folder.digest("a.md"), os.fsync

    def save(descriptor: int) -> None:
        real(descriptor)
        (folder.root / "a.md").write_text("saved by the editor")

    monkeypatch.setattr(os, "fsync", save)
    with pytest.raises(ToolError) as caught:
        folder.write_text("a.md", "new", overwrite=True, expected_digest=agreed)
    assert caught.value.code == "file-changed"
    assert folder.read_text("a.md").content == "saved by the editor"


def test_a_draft_that_is_a_trap_is_not_written_into(folder: VaultFolder) -> None:
    victim = folder.root.parent / "victim"
    victim.write_text("precious")
    draft = folder.root / (DRAFT_PREFIX + hashlib.sha256(b"a.md").hexdigest()[:32])
    for make in (draft.symlink_to, draft.hardlink_to):
        make(victim)
        folder.write_text("a.md", "new", overwrite=True)
        assert victim.read_text() == "precious"
        assert folder.read_text("a.md").content == "new"
        assert drafts_in(folder.root) == []
