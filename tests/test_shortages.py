"""Too little memory, too few descriptors, a full disk and one that can only be read, each by a real limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.shortages import error_from

TOOL = """---
tool: true
name: format_list
description: Formats a list.
parameters:
  - {name: items, type: string, description: Items., required: true}
custom_function: return input.items.split(',').join('; ');
---
"""
RUN = ("run", "format_list", "-p", "items=a,b")
LOOKS = (("runs", "list"), ("runs", "show", "last"), ("store", "memory"), ("stats",))


def paper(vault: Path, *arguments: str, limit: str = "") -> subprocess.CompletedProcess[str]:
    """A command in a new process, under a limit of the system such as ``-n 8``."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(vault.parent / "config"), "LANG": "C.UTF-8"}
    script = f'ulimit {limit}; exec "$@"' if limit else 'exec "$@"'
    command = ["bash", "-c", script, "bash", sys.executable, "-m", "paperagents", "--vault", str(vault), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)


def make_vault(folder: Path) -> Path:
    (folder / ".paper").mkdir(parents=True)
    (folder / "format_list.md").write_text(TOOL, encoding="utf-8")
    done = paper(folder, *RUN)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("only root may mount")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass


@pytest.mark.parametrize("descriptors", [5, 7])
def test_too_few_descriptors_are_named(tmp_path: Path, descriptors: int) -> None:
    done = paper(make_vault(tmp_path / "vault"), *RUN, limit=f"-n {descriptors}")
    assert done.returncode == 1
    assert "open any more files" in done.stderr
    assert "ulimit -n" in done.stderr


@pytest.mark.parametrize("kilobytes", [50_000])
def test_too_little_memory_is_named(tmp_path: Path, kilobytes: int) -> None:
    done = paper(make_vault(tmp_path / "vault"), *RUN, limit=f"-v {kilobytes}")
    assert done.returncode == 1
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_can_still_be_read(small_disk: Path) -> None:
    vault = make_vault(small_disk / "vault")
    fill(small_disk)
    for look in LOOKS:
        assert paper(vault, *look).returncode == 0, look
    done = paper(vault, *RUN)
    assert done.returncode == 1
    assert "no space left" in done.stderr


def test_what_only_the_log_of_a_killed_process_holds_is_read_on_a_full_disk(small_disk: Path) -> None:
    vault = make_vault(small_disk / "vault")
    code = (
        "import os, sys, pathlib\n"
        "from paperagents.storage.entries import EntryStore\n"
        "from paperagents.storage.sqlite import SqliteDatabase\n"
        "EntryStore(SqliteDatabase(pathlib.Path(sys.argv[1]))).put('memory', 'kept', {'content': 'told'})\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(vault / ".paper" / "paper.db")], check=True)
    assert (vault / ".paper" / "paper.db-wal").stat().st_size > 0
    (vault / ".paper" / "paper.db-shm").unlink()
    fill(small_disk)
    assert "kept" in paper(vault, "store", "memory").stdout


def test_a_vault_that_can_only_be_read_is_named(small_disk: Path) -> None:
    vault = make_vault(small_disk / "vault")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for look in LOOKS:
        assert paper(vault, *look).returncode == 0, look
    done = paper(vault, *RUN)
    assert done.returncode == 1
    assert "may only be read" in done.stderr
    assert "backup" not in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), "out-of-memory"),
        (OSError(24, "x"), "too-many-open-files"),
        (OSError(28, "x"), "no-space-left"),
        (RuntimeError("can't start new thread"), "out-of-memory"),
        (ImportError("/x.so: failed to map segment from shared object"), "out-of-memory"),
        (OSError(5, "x"), "internal-error"),
        (ImportError("No module named 'x'"), "internal-error"),
    ],
)
def test_what_the_system_lacks_is_no_flaw_of_the_program(error: Exception, code: str) -> None:
    assert error_from(error).code == code
