"""The standard streams. The one place that knows that they may be closed; everybody else uses them as they are."""

from __future__ import annotations

import io
import os
import sys

_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare_streams() -> None:
    """Three open streams, in UTF-8 whatever the locale says; a character that cannot be written ends nothing.

    One that was closed (``<&-``) is empty and takes everything.
    """
    # Numbers first: a file that is opened gets the lowest free one, and would be written to in place of the stream.
    for number in range(len(_MODES)):
        _occupy(number)
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        # Those below are open, so this is the lowest free number. Processes that we start inherit it, too.
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  the library's signature
