"""Lone surrogates: halves of characters. JavaScript, JSON and file names can bring them; UTF-8 has no bytes for them.

Whatever is written, sent or shown goes through here. Everything else may hold them.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TypeVar

from paperagents.definitions.json_value import JsonValue

Value = TypeVar("Value", bound=JsonValue)
_SURROGATE = re.compile("[\ud800-\udfff]")


def has_surrogates(text: str) -> bool:
    """Whether UTF-8 has no bytes for some of the text."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """The text with a replacement mark for each lone half; two halves that belong together become their character."""
    if not has_surrogates(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def value_without_surrogates(value: Value) -> Value:
    """The same for every text and key inside a value."""
    written = json.dumps(value, ensure_ascii=False)
    cleaned: Value = json.loads(without_surrogates(written)) if has_surrogates(written) else value
    return cleaned


def utf8(text: str) -> bytes:
    """The text as a file, a database or a client takes it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()


def lossless_bytes(text: str) -> bytes:
    """For digests and sizes: two texts that differ in any half have different bytes."""
    return text.encode("utf-8", "surrogatepass")


# --- regular expressions that never go back, and are right under every release of Python


_SET_ESCAPE_OR_GROUP = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]|\\.|\)([*+?]|\{\d+(?:,\d*)?\})\+", re.DOTALL)
_ERRS = sys.version_info < (3, 11, 5)


def compile_regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled."""
    return re.compile(_SET_ESCAPE_OR_GROUP.sub(_going_back, expression) if _ERRS else expression, flags)


def _going_back(part: re.Match[str]) -> str:
    """A repeated group that may go back; everything else as it is."""
    return f"){part[1]}" if part[1] else part[0]
