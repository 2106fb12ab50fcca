"""What YAML 1.2 says otherwise than YAML 1.1, which the YAML library reads.

Letters that the text does not have are lent to what the library would misread, one for one: every position stays true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

_BLANK_LINE = late_pattern(r"^\t[\t ]*(?=$|#)", re.MULTILINE)
_LINE_ENDS = "\x85\u2028\u2029"
_PAIR = late_pattern(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_PRIVATE = range(0xE000, 0xF8FF)
_PRIVATE_ESCAPE = late_pattern(r"\\(?:u|U0000)([eEfF][0-9a-fA-F]{3})")


@dataclass(frozen=True, kw_only=True, slots=True)
class Translation:
    """The way back from what the library read."""

    lent: Mapping[int, str] = field(default_factory=dict)
    """What the text had where a letter stands now."""
    backslash: str | None = None
    """The letter for the backslash of escapes that are half a character each."""

    def back(self, value: str, *, escapes: bool) -> str:
        """The value as it was written, with ``escapes`` where they mean characters."""
        if escapes and self.backslash is not None:
            half = f"{self.backslash}u([0-9a-fA-F]{{4}})"
            value = re.sub(half + half, _joined, value)
        return value.translate(self.lent)


def translate_for_library(text: str) -> tuple[str, Translation]:
    """The text for the library, and how its values are translated back.

    There, some signs end a line that are mere letters in YAML 1.2, a tab is refused where a line has nothing else or
    a comment, and JSON's way to write one character as two escapes is not known.
    """
    text = _BLANK_LINE.sub(lambda line: " " * len(line[0]), text)
    signs = [sign for sign in _LINE_ENDS if sign in text]
    has_pairs = "\\u" in text and _PAIR.search(text) is not None
    if not signs and not has_pairs:
        return text, Translation()
    # Letters that an escape would make are taken, too: lent twice, they could not be told apart.
    taken = {*text, *(chr(int(code, 16)) for code in _PRIVATE_ESCAPE.findall(text))}
    unused = (letter for letter in map(chr, _PRIVATE) if letter not in taken)
    lent = dict(zip(unused, signs, strict=False))
    text = text.translate({ord(sign): letter for letter, sign in lent.items()})
    backslash = next(unused, None) if has_pairs else None
    if backslash is not None:
        lent[backslash] = "\\"
        text = _PAIR.sub(rf"\g<1>{backslash}u\g<2>{backslash}u\g<3>", text)
    return text, Translation(lent={ord(letter): sign for letter, sign in lent.items()}, backslash=backslash)


def _joined(pair: re.Match[str]) -> str:
    halves = bytes.fromhex(pair[1] + pair[2])
    return halves.decode("utf-16-be")


# --- what an unquoted value means in YAML 1.2


_INT = late_pattern(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = late_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
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
        # Too large for a float is no number of JSON: it stays text.
        return number if number - number == 0 else raw
    return raw


# --- the frontmatter that most notes have: a few words behind each key


_WORDS = r"\w[\w./\-]*(?: +[\w./\-]+)*"
_LINE = late_pattern(
    rf"(?P<key>[A-Za-z_][\w\-]{{0,100}}):(?: +(?:(?P<value>{_WORDS})|\[ *(?P<items>{_WORDS}(?: *, *{_WORDS})*) *\]))? *"
    rf"|(?P<indent> *)- +(?P<item>{_WORDS}) *"
)


def read_plain_yaml(text: str) -> JsonObject | None:
    """The keys and values of a text; None where it has to be read as the whole of YAML."""
    found: JsonObject = {}
    below: list[JsonValue] | None = None
    open_key, indent = None, ""
    for line in text.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        key, value, items, item_indent, item = match.groups()
        if item is not None:
            if open_key is None or (below is not None and item_indent != indent):
                return None
            if below is None:
                found[open_key] = below = []
                indent = item_indent
            below.append(scalar_value(item))
        elif key in found:
            return None
        else:
            found[key] = (
                [scalar_value(each.strip()) for each in items.split(",")] if items else scalar_value(value or "")
            )
            open_key, below = (key if value is None and items is None else None), None
    return found
