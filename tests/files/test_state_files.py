"""Small files are replaced at once or not at all, and nothing else stays behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from paperagents.errors import PaperError
from paperagents.files.state_files import LARGEST_FILE, file_lock, read_object, replace_file
from paperagents.messages import in_language


def test_a_file_is_the_owners_alone(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.json", "{}")
    assert (tmp_path / "a.json").read_text() == "{}"
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600


def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a.json").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(tmp_path / "a.json", "new")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a.json", "old")]


def test_a_place_that_cannot_be_written_is_told_in_the_readers_language(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file in the way")
    with in_language("de"), pytest.raises(PaperError) as told, file_lock(tmp_path / "folder" / "a.json"):
        pass
    assert "die Datei gibt es schon" in told.value.message


def test_no_pipe_device_or_endless_file_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", LARGEST_FILE + 1)
    for name in ("pipe", "device", "large"):
        with pytest.raises(ValueError, match=r"not a file|too large"):
            read_object(tmp_path / name)
