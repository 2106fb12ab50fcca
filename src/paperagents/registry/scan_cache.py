"""What a scan found, kept for the next command: unchanged files are not read again.

The cache is plain JSON, never code, and only ever decides what is listed: a tool is read from its own
file before it runs. It can be deleted at any time. A vault may come from a stranger, so nothing here
follows a link, waits for a pipe or believes what it reads.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from paperagents.registry.cached_record import record_from_json, record_to_json
from paperagents.registry.folder_scan import FileRecord
from paperagents.version import __version__

FORMAT = 6
LARGEST = 64 * 1024 * 1024
_DAMAGED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def load_records(file: Path) -> dict[str, FileRecord]:
    """What the last scan found; nothing where there is none, or none of this version."""
    try:
        data = json.loads(_content(file))
        if data["format"] != FORMAT or data["version"] != __version__:
            return {}
        return dict(_good_records(data["files"]))
    except (OSError, *_DAMAGED):
        return {}


def save_records(file: Path, records: dict[str, FileRecord]) -> None:
    """Keep what was found, in one step; a folder that cannot be written is no reason to fail."""
    with suppress(OSError, *_DAMAGED):
        kept = {name: record_to_json(record) for name, record in records.items() if record.stamp is not None}
        data = {"format": FORMAT, "version": __version__, "files": kept}
        _replace(file, json.dumps(data, separators=(",", ":")).encode("ascii"))


def _good_records(files: dict[str, Any]) -> Iterator[tuple[str, FileRecord]]:
    for name, record in files.items():
        with suppress(*_DAMAGED):
            yield name, record_from_json(record, name)


def _content(file: Path) -> bytes:
    with _opened_folder(file.parent) as folder, open(os.open(file.name, _READ, dir_fd=folder), "rb") as opened:  # noqa: PTH123  by descriptor
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise ValueError(file)
        return opened.read(LARGEST)


def _replace(file: Path, content: bytes) -> None:
    with _opened_folder(file.parent, make=True) as folder:
        temporary = f"{file.name}.{secrets.token_hex(8)}"
        try:
            with open(os.open(temporary, _CREATE, 0o600, dir_fd=folder), "wb") as opened:  # noqa: PTH123  by descriptor
                opened.write(content)
            os.replace(temporary, file.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise


@contextmanager
def _opened_folder(folder: Path, *, make: bool = False) -> Iterator[int]:
    """The folder, opened so that neither it nor the one above can be a link."""
    above = os.open(folder.parent, _FOLDER)
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(folder.name, dir_fd=above)
        opened = os.open(folder.name, _FOLDER, dir_fd=above)
    finally:
        os.close(above)
    try:
        yield opened
    finally:
        os.close(opened)
