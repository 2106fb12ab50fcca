"""A Markdown note with ``tag: true`` becomes a tag that a model can write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paperagents.definitions.entry_kind import ENTRY_KINDS
from paperagents.definitions.slug import stem_of
from paperagents.definitions.source import Span
from paperagents.definitions.tag import TagCategory, TagNote, TagType
from paperagents.errors import UsageError
from paperagents.reading.fields import Fields
from paperagents.reading.markdown_sections import Note
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.tag_definition import read_definition
from paperagents.reading.tool_markdown import identity_span, read_description, read_id, read_name
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

TAG_FIELDS = (
    "tag", "id", "name", "description", "type", "category", "schema", "storage", "version", "words", "patterns",
)  # fmt: skip
_OTHER_NOTES = ("tags", "tool", "agent", "aliases", "cssclasses", "author")


def read_tag(note: Note, front: YamlMapping, *, digest: str, problems: ProblemList) -> TagNote:  # noqa: ARG001  the body is documentation
    """The definition, as far as it can be understood; what cannot is among the problems."""
    fields = Fields(front, problems)
    fields.warn_of_slips(TAG_FIELDS, also_fine=_OTHER_NOTES)
    name = read_name(fields)
    identifier = read_id(fields, name, problems.file)
    fields.choice("type", tuple(TagType))
    fields.choice("category", [each for each in TagCategory if each != TagCategory.REFERENCE])
    _warn_of_storage(identifier, front, problems)
    schema = fields.mapping_of("schema")
    if schema is not None:
        Fields(schema, problems).mapping_of("attributes")
    known = {key: value for key, value in front.plain().items() if key in TAG_FIELDS and key != "tag"}
    words = () if problems.has_errors() else _words({**known, "id": identifier}, front, problems)
    return TagNote(
        id=identifier,
        name=name or stem_of(problems.file),
        description=read_description(fields),
        fields={**known, "id": identifier},
        words={word: _word_place(front, word) for word in words},
        file=problems.file,
        span=identity_span(front),
        digest=digest,
    )


def _warn_of_storage(tag: str, front: YamlMapping, problems: ProblemList) -> None:
    """A note brings no handler, so what it stores must be one of the kinds that there are."""
    node = front.get("storage")
    if isinstance(node, YamlScalar) and node.value is not None and node.raw.lower() not in ENTRY_KINDS:
        problems.warning("tag-storage-unknown", node.span, tag=tag, storage=node.raw, kinds=", ".join(ENTRY_KINDS))


def _words(definition: Mapping[str, Any], front: YamlMapping, problems: ProblemList) -> tuple[str, ...]:
    """Try what the registry will do: a note that cannot be a tag must be told of here."""
    try:
        return read_definition(definition).words
    except UsageError as error:
        problems.error(error.code, _place(front, str(error.values.get("field", "patterns"))), **error.values)
    return ()


def _word_place(front: YamlMapping, word: str) -> Span:
    words = front.get("words")
    if isinstance(words, YamlSequence):
        return next((each.span for each in words.items if str(each.plain()) == word), words.span)
    return _place(front, next((field for field in ("words", "patterns", "id") if front.get(field)), "id"))


def _place(front: YamlMapping, path: str) -> Span:
    """Where a field of a field stands, or the nearest one around it that is written."""
    node: YamlNode = front
    for name in path.split("."):
        inner = node.get(name) if isinstance(node, YamlMapping) else None
        if inner is None:
            break
        node = inner
    return identity_span(front) if node is front else node.span
