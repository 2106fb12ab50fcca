"""How a tag is written, as regular expressions that never go back.

Every quantifier is possessive: a character is looked at once and never given back, so the time is linear
whatever the text. The pieces are put together twice, once for a whole tag and once for a single
attribute, so that a tag that arrives in parts is read by the same rules as one that arrives at once.

What stands outside quotes is bounded (names, keys, bare values, blanks), so that looking at it again when
more text comes stays cheap. Values in quotes have no bound.
"""

from __future__ import annotations

import re

BLANKS = r"\s{0,64}+"
NAME = r"\w[\w.\-]{0,199}+"
KEY = r"\w[\w.:\-]{0,255}+"
BODY = {quote: rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+" for quote in "\"'"}
QUOTED = "|".join(f"{quote}{body}{quote}" for quote, body in BODY.items())
BARE = rf"(?!['\"])(?:[^\s>/{{]|/(?!{BLANKS}>\}}\}})|>(?!\}}\}})|\{{(?!\{{<)){{1,4096}}+"
# A blank after the equals sign and then another `key=` means that the value was forgotten.
VALUE = rf"(?:{BLANKS}(?:{QUOTED})|{BARE}|{BLANKS}(?!{KEY}{BLANKS}=){BARE})"
# Two attributes may touch where a quote ends the first and the second surely is one.
SEPARATOR = rf"(?:[\s,]++|(?<=['\"])(?={KEY}{BLANKS}={BLANKS}['\"]))"
ATTRIBUTE = rf"{SEPARATOR}{KEY}(?:{BLANKS}={VALUE}?+)?+"

# The commonest attribute is tried first by itself: it is read in half the time.
PLAIN_ATTRIBUTE = r"\s\w{1,256}+=\"[^\"\\]*+\""

TAG = re.compile(
    rf"\{{\{{<(?:{BLANKS}(?:(?P<name>{NAME})(?P<attributes>(?:{PLAIN_ATTRIBUTE}|{ATTRIBUTE})*+)"
    rf"[\s,]*+(?:(?P<slash>/){BLANKS})?+>\}}\}}|/{BLANKS}(?P<closed>{NAME}){BLANKS}>\}}\}})|)",
    re.DOTALL,
)
"""A whole tag, or only ``{{<`` where what follows is not one (or not yet)."""

OPEN, SINGLE = 2, 3
"""Which tag it is, as the last group that took part in the match; a closing tag otherwise."""

TAG_HEAD = re.compile(rf"\{{\{{<{BLANKS}(?P<slash>/?+){BLANKS}(?P<name>{NAME})(?![\w.\-])")
TAG_END = re.compile(rf"[\s,]*+(?P<slash>/?+){BLANKS}>\}}\}}")
CLOSING_END = re.compile(rf"{BLANKS}>\}}\}}")
ONE_ATTRIBUTE = re.compile(ATTRIBUTE, re.DOTALL)
OPEN_QUOTE = re.compile(rf"{SEPARATOR}{KEY}{BLANKS}={BLANKS}(?P<quote>['\"])", re.DOTALL)
QUOTE_BODY = {quote: re.compile(body, re.DOTALL) for quote, body in BODY.items()}

# What may still grow into something: asked only of the last characters of a text that goes on.
PARTIAL_HEAD = re.compile(rf"\{{\{{<{BLANKS}/?+{BLANKS}(?:{NAME})?+\Z")
PARTIAL_CLOSING_END = re.compile(rf"{BLANKS}(?:>\}}?+)?+\Z")
PARTIAL_REST = re.compile(rf"[\s,]*+(?:/{BLANKS}(?:>\}}?+)?+|>\}}?+|{KEY}(?:{BLANKS}={BLANKS})?+)?+\Z")
MANY_BLANKS = re.compile(r"[\s,]{2,}+")
SETTLED = re.compile(rf"{BLANKS}(?:[^\s>]|>..|\s)", re.DOTALL)
"""After an attribute without quotes: enough has come to know that it does not go on."""

ATTRIBUTE_PARTS = re.compile(
    rf"{SEPARATOR}?+(?P<key>{KEY})(?:{BLANKS}=(?:{BLANKS}(?:\"(?P<double>{BODY[chr(34)]})\"|'(?P<single>{BODY[chr(39)]})')"
    rf"|(?P<bare>{BARE})|{BLANKS}(?!{KEY}{BLANKS}=)(?P<spaced>{BARE})|(?P<nothing>)))?+",
    re.DOTALL,
)
"""One attribute again, with its key and its value as groups."""
