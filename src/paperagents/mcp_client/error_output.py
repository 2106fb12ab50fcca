"""What a server writes to standard error: kept, bounded and without secrets, for whoever asks why it failed."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Self, TextIO

from paperagents.definitions.text import lossless_bytes
from paperagents.files.state_files import replace_file
from paperagents.secrets.redaction import Redaction

MOST_LINES = 200
LONGEST_LINE = 1_000
SHOWN_LINES = 5
_CHUNK = 65_536


class ErrorOutput:
    """The other end of a server's standard error: inside the context, the last lines are read and kept."""

    def __init__(self, file: Path, secrets: Iterable[str] = ()) -> None:
        self._file = file
        self._redaction = Redaction(secrets)
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self._reader = threading.Thread(target=self._read, name="paper-mcp-errors", daemon=True)

    def __enter__(self) -> Self:
        self._source, sink = os.pipe()
        self.sink: TextIO = open(sink, "w", encoding="utf-8")  # noqa: PTH123  by descriptor, closed below
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.sink.close()
        # A grandchild may hold the other end for ever.
        self._reader.join(1.0)
        self.save()

    def tail(self) -> str:
        """The last lines."""
        return "\n".join([*self._lines][-SHOWN_LINES:])

    def settle(self) -> str:
        """The last lines of a server that has ended; what it wrote last may still be on its way."""
        self.sink.close()
        self._reader.join(1.0)
        return self.tail()

    def save(self) -> None:
        """Keep the lines for the next command; a folder that cannot be written is no reason to fail."""
        if self._lines:
            with suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                replace_file(self._file, "\n".join([*self._lines, ""]))

    def _read(self) -> None:
        rest = b""
        with open(self._source, "rb", buffering=0) as source:  # noqa: PTH123  by descriptor
            while data := source.read(_CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                self._add(lines)
                if len(rest) > _CHUNK:
                    self._add([rest])
                    rest = b""
            self._add([rest] if rest else [])

    def _add(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            shown = self._redaction.text(line.decode("utf-8", "replace").rstrip("\r"))
            self._lines.append(shown[:LONGEST_LINE])


def error_file(folder: Path, vault: Path, server: str) -> Path:
    """Where the lines of one server are kept: with the user, and not in a vault that anybody may have made."""
    digest = sha256(lossless_bytes(f"{vault}\n{server}")).hexdigest()[:16]
    return folder / "mcp_errors" / f"{digest}.log"


def read_errors(file: Path) -> list[str]:
    """The lines that were kept last."""
    try:
        return file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
