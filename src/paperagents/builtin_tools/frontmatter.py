"""The properties at the top of a note, as plain JSON."""

from __future__ import annotations

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Excerpt
from paperagents.reading.markdown_sections import split_note
from paperagents.reading.plain_yaml import read_plain_yaml

_BYTE_ORDER_MARK = "\ufeff"
_LONGEST = 100_000


def frontmatter_of(text: str) -> JsonObject:
    """The properties of a note; none where there is no frontmatter or it cannot be read."""
    return properties_and_body(text)[0]


def properties_and_body(text: str) -> tuple[JsonObject, str]:
    """The properties of a note and the text below them. Broken frontmatter has no properties."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    note = split_note(text, "")
    if note.frontmatter is None or note.unclosed:
        return {}, text
    return _properties(note.frontmatter), note.body.text


def _properties(frontmatter: Excerpt) -> JsonObject:
    if len(frontmatter.text) > _LONGEST:
        return {}
    plain = read_plain_yaml(frontmatter.text)
    if plain is not None:
        return plain
    from paperagents.reading.problem_list import ProblemList  # noqa: PLC0415  most notes do without all of YAML
    from paperagents.reading.yaml_nodes import YamlMapping, read_yaml  # noqa: PLC0415  as above

    node = read_yaml(frontmatter, ProblemList("", frontmatter.text.split("\n")))
    return node.plain() if isinstance(node, YamlMapping) else {}
