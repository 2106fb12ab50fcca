"""The properties at the top of a note, as plain JSON."""

from __future__ import annotations

from paperagents.definitions.json_value import JsonObject
from paperagents.reading.markdown import split_note
from paperagents.reading.yaml_core import read_plain_yaml

_BYTE_ORDER_MARK = "\ufeff"
_LONGEST = 100_000


def read_properties(text: str) -> tuple[JsonObject, str]:
    """The properties of a note and the text below them. Broken frontmatter has no properties."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    note = split_note(text, "")
    if note.frontmatter is None or note.unclosed:
        return {}, text
    if len(note.frontmatter.text) > _LONGEST:
        return {}, note.body.text
    plain = read_plain_yaml(note.frontmatter.text)
    if plain is not None:
        return plain, note.body.text
    from paperagents.reading.problems import ProblemList  # noqa: PLC0415  most notes do without all of YAML
    from paperagents.reading.yaml_nodes import YamlMapping, read_yaml  # noqa: PLC0415  as above

    node = read_yaml(note.frontmatter, ProblemList("", note.frontmatter.text.split("\n")))
    return node.plain() if isinstance(node, YamlMapping) else {}, note.body.text
