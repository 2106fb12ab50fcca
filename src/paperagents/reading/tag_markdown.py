"""A Markdown note with ``tag: true`` becomes a tag that a model can write."""

from __future__ import annotations

from paperagents.definitions.tag import TagCategory, TagNote, TagType
from paperagents.reading.fields import Fields
from paperagents.reading.markdown_sections import Note
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.tool_markdown import identity_span, read_description, read_id, read_name
from paperagents.reading.yaml_nodes import YamlMapping

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
    schema = fields.mapping_of("schema")
    if schema is not None:
        Fields(schema, problems).mapping_of("attributes")
    known = {key: value for key, value in front.plain().items() if key in TAG_FIELDS and key != "tag"}
    return TagNote(
        id=identifier,
        name=name or problems.file,
        description=read_description(fields),
        fields={**known, "id": identifier},
        file=problems.file,
        span=identity_span(front),
        digest=digest,
    )
