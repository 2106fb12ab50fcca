from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.safe_open import has_openat2, open_strictly, rename_without_replacing

TRIES = 4000
RENAME_EXCHANGE = 2


@contextmanager
def swapping(root: Path, outside: Path) -> Iterator[None]:
    """Swap ``root/notes`` between a real folder and a link that leads out, as fast as possible."""
    (root / "link").symlink_to(outside)
    stop = threading.Event()
    names = os.fsencode(root / "notes"), os.fsencode(root / "link")

    def swap() -> None:
        while not stop.is_set():
            assert ctypes.CDLL(None).renameat2(-100, names[0], -100, names[1], RENAME_EXCHANGE) == 0

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def outside(folder: VaultFolder) -> Path:
    place = folder.root.parent / "outside"
    place.mkdir()
    (place / "a.md").write_text("secret")
    return place


def test_no_read_escapes_while_a_folder_is_swapped_for_a_link(folder: VaultFolder, outside: Path) -> None:
    folder.write_text("notes/a.md", "public")
    outcomes = set()
    with swapping(folder.root, outside):
        for _ in range(TRIES):
            try:
                outcomes.add(folder.read_text("notes/a.md").content)
            except ToolError as error:
                outcomes.add(error.code)
    assert {"public", "path-outside-vault"} <= outcomes
    assert outcomes <= {"public", "path-outside-vault", "not-a-folder"}


def test_no_write_escapes_while_a_folder_is_swapped_for_a_link(folder: VaultFolder, outside: Path) -> None:
    folder.write_text("notes/b.md", "start")
    written = 0
    with swapping(folder.root, outside):
        for number in range(10 * TRIES):
            if written and number > TRIES // 10:
                break
            with contextlib.suppress(ToolError):
                folder.write_text("notes/b.md", str(number), overwrite=True)
                written += 1
    assert written > 0
    assert sorted(os.listdir(outside)) == ["a.md"]  # noqa: PTH208  names alone are what counts
    assert (outside / "a.md").read_text() == "secret"


@pytest.mark.parametrize("by_kernel", [True, False])
def test_strict_opening_refuses_every_link_and_step_up(tmp_path: Path, by_kernel: bool) -> None:  # noqa: FBT001  a test case
    if by_kernel and not has_openat2():
        pytest.skip("this kernel has no openat2")
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").symlink_to("real/a")
    root = os.open(tmp_path, os.O_RDONLY)
    os.close(open_strictly(root, ("real", "a"), os.O_RDONLY, by_kernel=by_kernel))
    for segments in (("link", "a"), ("file",), ("real", "nothing")):
        with pytest.raises(OSError, match=r"symbolic|directory"):
            open_strictly(root, segments, os.O_RDONLY, by_kernel=by_kernel)
    os.close(root)


def test_renaming_never_replaces(tmp_path: Path) -> None:
    root = os.open(tmp_path, os.O_RDONLY)
    (tmp_path / "a").write_text("new")
    (tmp_path / "b").write_text("old")
    with pytest.raises(FileExistsError):
        rename_without_replacing(root, "a", "b")
    rename_without_replacing(root, "a", "c")
    os.close(root)
    assert (tmp_path / "b").read_text() == "old"
    assert (tmp_path / "c").read_text() == "new"
    assert not (tmp_path / "a").exists()
