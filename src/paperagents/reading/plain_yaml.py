"""The frontmatter that most notes have: a few words behind each key.

A search reads a hundred thousand of them and needs no positions, and this takes a tenth of the time. Everything
that YAML would read in another way than it looks is left to ``yaml_nodes``.
"""

from __future__ import annotations

import re

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.reading.yaml_scalar import scalar_value

_WORDS = r"\w[\w./\-]*(?: +[\w./\-]+)*"
_LINE = re.compile(
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
