"""What YAML 1.2 says otherwise than YAML 1.1, which the YAML library reads.

Letters that the text does not have are lent to what the library would misread, one for one: every position stays true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_BLANK_LINE = re.compile(r"^\t[\t ]*$", re.MULTILINE)
_LINE_ENDS = "\x85\u2028\u2029"
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_PRIVATE = range(0xE000, 0xF8FF)
_PRIVATE_ESCAPE = re.compile(r"\\(?:u|U0000)([eEfF][0-9a-fA-F]{3})")


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


def for_the_library(text: str) -> tuple[str, Translation]:
    """The text for the library, and how its values are translated back.

    There, some signs end a line that are mere letters in YAML 1.2, a tab is refused where a line has nothing else,
    and JSON's way to write one character as two escapes is not known.
    """
    text = _BLANK_LINE.sub(lambda line: " " * len(line[0]), text)
    signs = [sign for sign in _LINE_ENDS if sign in text]
    has_pairs = "\\u" in text and _PAIR.search(text) is not None
    if not signs and not has_pairs:
        return text, Translation()
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
