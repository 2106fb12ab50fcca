"""Makes visible what a text hides: the one place for previews, terminals, pages and the forms of MCP clients.

A person agrees to what they see. Whatever shows nothing, or changes how its neighbours are shown, becomes an escape:
controls, marks of direction, everything that Unicode calls default-ignorable, and letters that are blank. What people
write every day stays: spaces, the joiners inside emoji, and outside of diffs also soft hyphens and the joiners
without which Persian or Hindi cannot be written.
"""

from __future__ import annotations

import re
from functools import cache

# Unicode's Default_Ignorable_Code_Point, the reserved ones too: the next version may give them to anything.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Letters and symbols that are drawn as nothing: a braille cell without dots, fillers, an anchor, a note without a head.
_BLANK = "\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159"
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\U00013430-\U0001343f"
# Halves of characters, characters of nobody and those of private use: nobody knows what they would show.
_MEANINGLESS = "\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0xF0000, 0x10000)
) + "\U000f0000-\U0010ffff"  # fmt: skip
_INVISIBLE = f"[{_CONTROLS}{_IGNORABLE}{_BLANK}{_MEANINGLESS}]"

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_PERSON = f"{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]?"
_EMOJI = f"{_PERSON}(?:\u200d{_PERSON})*|[0-9#*]\ufe0f\u20e3"
# Arabic, Syriac, N'Ko and their relatives; the scripts of India, Tibet, Burma, Cambodia, Mongolia and Indonesia.
_JOINING = (
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010a00-\U00011fff]"
)
_NEEDED_IN_TEXT = f"\u00ad|(?<={_JOINING})[\u200c\u200d]"


def escape_invisible(text: str, *, in_diff: bool = False) -> str:
    """The text with everything invisible as an escape; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _pattern(in_diff=in_diff).sub(_escape, text)


@cache
def _pattern(*, in_diff: bool) -> re.Pattern[str]:
    """What stays, else an invisible character. Compiled on first use: most commands show plain text only."""
    return re.compile("|".join([_EMOJI, *([] if in_diff else [_NEEDED_IN_TEXT]), f"({_INVISIBLE})"]))


def _escape(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    code = ord(found[1])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
