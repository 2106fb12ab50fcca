"""What was read from a tool's file, kept for the next command: it need not load the libraries that read files.

It lies in the vault's own folder, sealed with the user's key, and holds for the very bytes that were read. What carries
no such seal, because somebody else has made it or the program is another, is not even opened.
"""

from __future__ import annotations

import hmac
import os
import pickle
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from paperagents.definitions.file_reading import FileReading
from paperagents.registry.cache import FORMAT, ScanCache

_ROOMS = ("definitions", "reading")
_SOURCE = [(Path(__file__).parents[1] / room).stat().st_mtime_ns for room in _ROOMS]
"""When files that say what a reading is were last replaced: a checkout changes under one version."""
_PROGRAM = f"{FORMAT} {sys.version} {_SOURCE}".encode()
_SEAL_BYTES = 32


class SealedReadings:
    """The readings of files by their bytes. ``seal`` makes of bytes 32 others, which only this user can make."""

    def __init__(self, cache: ScanCache, seal: Callable[[bytes], bytes]) -> None:
        self._cache = cache
        self._seal = seal

    def read(self, file: str, content: bytes, read: Callable[[bytes], FileReading]) -> FileReading:
        """What these bytes were found to be when they were read before; else they are read now."""
        kept = self._cache.reading(file)
        if kept is not None and hmac.compare_digest(kept[:_SEAL_BYTES], self._make_seal(file, content, kept)):
            known: FileReading = pickle.loads(kept[_SEAL_BYTES:])  # noqa: S301  sealed: this user has written it
            return known
        reading = read(content)
        # Only what can be used: what is wrong may be the fault of the engine or the disk.
        if reading.valid:
            written = bytes(_SEAL_BYTES) + pickle.dumps(reading)
            self._cache.keep_reading(file, self._make_seal(file, content, written) + written[_SEAL_BYTES:])
        return reading

    def _make_seal(self, file: str, content: bytes, written: bytes) -> bytes:
        parts = (_PROGRAM, os.fsencode(file), content, written[_SEAL_BYTES:])
        return self._seal(b"reading" + b"".join(sha256(each).digest() for each in parts))
