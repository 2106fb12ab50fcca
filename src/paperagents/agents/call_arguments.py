"""The arguments of a native call: read strictly, repaired only where there is one way to read them.

A model that writes ``{"a": 1`` may have meant anything; it is told where the text breaks off instead.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from paperagents.agents.language_model import LARGEST_ARGUMENTS, ModelCall
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError

DEEPEST = 100
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z))|(?<=[\]}"0-9el])(\s*+),(?=\s*+[}\]])', re.DOTALL)


def read_arguments(call: ModelCall) -> JsonObject:
    """The arguments as an object. Raises ToolError that tells the model what is wrong, and where."""
    if call.size > LARGEST_ARGUMENTS:
        raise ToolError("call-too-large", tool=call.name, size=call.size, limit=LARGEST_ARGUMENTS)
    text = _unwrapped(call.arguments)
    value = _parsed(text, call.name) if text else {}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        # Written twice: as an object, and that as a text.
        value = _parsed(value, call.name)
    if not isinstance(value, dict):
        raise ToolError("call-not-an-object", tool=call.name)
    if _depth_exceeds(value, DEEPEST):
        raise ToolError("call-not-json", tool=call.name, reason=f"nested deeper than {DEEPEST}")
    return value


def _unwrapped(text: str) -> str:
    """Without what stands around the JSON and changes nothing about it: blanks, a byte order mark, a fence."""
    text = text.strip().removeprefix("\ufeff").strip()
    fenced = _FENCED.match(text)
    return fenced[1].strip() if fenced else text


def _parsed(text: str, tool: str) -> Any:
    try:
        return _loads(text)
    except (ValueError, RecursionError) as error:
        try:
            return _loads(_STRING_OR_COMMA.sub(_without_last_comma, text))
        except (ValueError, RecursionError):
            raise ToolError("call-not-json", tool=tool, reason=_reason(error)) from None


def _loads(text: str) -> Any:
    # A line break inside a text can only be meant as one; NaN and the like have no value in JSON.
    return json.loads(text, strict=False, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _without_last_comma(found: re.Match[str]) -> str:
    return found[1] or found[2] or ""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno} column {error.colno} (character {error.pos})"
    return str(error)[:200]


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
