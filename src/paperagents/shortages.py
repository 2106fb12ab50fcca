"""What the system has too little of, named as what it is: memory, descriptors, space."""

from __future__ import annotations

import errno

from paperagents.errors import PaperError

_SHORTAGES = {
    errno.EMFILE: "too-many-open-files",
    errno.ENFILE: "too-many-open-files",
    errno.ENOMEM: "out-of-memory",
    errno.ENOSPC: "no-space-left",
    errno.EDQUOT: "no-space-left",
}
_WORDS_OF_LITTLE_MEMORY = ("can't start new thread", "failed to map segment", "cannot allocate memory")
"""How Python and the loader of libraries say it, who have no number for it."""


def find_shortage(error: BaseException) -> str | None:
    """The code for what the system had too little of, where that is the reason."""
    match error:
        case MemoryError():
            return "out-of-memory"
        case OSError():
            return _SHORTAGES.get(error.errno or 0)
        case ImportError() | RuntimeError() if any(each in str(error).lower() for each in _WORDS_OF_LITTLE_MEMORY):
            return "out-of-memory"
    return None


def error_from(error: BaseException, *, reason: str | None = None) -> PaperError:
    """Any exception as an error of ours; one that nobody foresaw is told with its own words, or the reason."""
    if isinstance(error, PaperError):
        return error
    if code := find_shortage(error):
        return PaperError(code)
    return PaperError("internal-error", reason=reason or f"{type(error).__name__}: {error}")
