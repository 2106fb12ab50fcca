"""What an unquoted value means in YAML 1.2."""

from __future__ import annotations

import re

from paperagents.definitions.json_value import JsonValue

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, JsonValue] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


def scalar_value(raw: str) -> JsonValue:
    """What an unquoted scalar means in the core schema: ``yes``, ``no`` and dates are text."""
    if raw in _CONSTANTS:
        return _CONSTANTS[raw]
    if len(raw) > 300 or raw[0] not in "+-.0123456789":
        return raw
    if _INT.fullmatch(raw):
        return int(raw, 0) if raw[:2] in ("0o", "0x") else int(raw)
    if _FLOAT.fullmatch(raw):
        number = float(raw)
        return number if number - number == 0 else raw
    return raw
