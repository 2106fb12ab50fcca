"""Reads the attributes of a tag: ``id="test" type='text' limit=5 delete``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from paperagents.definitions.pattern import compiled
from paperagents.tags.grammar import ATTRIBUTE_PARTS

ESCAPES = compiled(r"""(?:\\[\\"'])++""")
UNUSED = "\0"


def parse_attributes(text: str) -> dict[str, str | bool]:
    """The attributes in a text, a bare key as True. The last one wins where a key repeats."""
    return dict(attribute_pairs(text))


def duplicate_keys(text: str) -> list[str]:
    """The keys that stand more than once in a text, each named once."""
    return duplicates(key for key, _ in attribute_pairs(text))


def duplicates(keys: Iterable[str]) -> list[str]:
    """The keys that are there more than once, each named once."""
    return [key for key, count in Counter(keys).items() if count > 1]


def attribute_pairs(text: str) -> Iterator[tuple[str, str | bool]]:
    """Key and value of every attribute, in their order. What is no attribute is passed over."""
    for match in ATTRIBUTE_PARTS.finditer(text):
        key, double, single, bare, spaced, nothing = match.groups()
        quoted = double if double is not None else single
        if quoted is not None:
            yield key, unescape(quoted) if "\\" in quoted else quoted
        elif bare or spaced:
            yield key, bare or spaced
        else:
            yield key, nothing if nothing is not None else True


def unescape(value: str) -> str:
    r"""Take the backslash from ``\"``, ``\'`` and ``\\``; any other backslash stays: ``C:\new``, ``\d+``."""
    if UNUSED in value:
        return ESCAPES.sub(lambda match: match[0][1::2], value)
    # Whole passes over the text are many times faster than one step per escape.
    value = value.replace("\\\\", UNUSED).replace('\\"', '"').replace("\\'", "'")
    return value.replace(UNUSED, "\\")


def quoted(value: object) -> str:
    """A value as it is written in a tag."""
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
