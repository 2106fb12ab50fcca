"""``read_file``: read a text file of the vault."""

from __future__ import annotations

from paperagents.approval.question import Effect, Scope
from paperagents.definitions.json_value import JsonObject
from paperagents.files.safe_open import join_path, split_file_path
from paperagents.tools.built_in import (
    ANY,
    INTEGER,
    TEXT,
    BuiltIn,
    ToolContext,
    always_reads,
    object_of,
    refuse_by,
    required,
)


def prepare(context: ToolContext, arguments: JsonObject) -> Effect:
    """The reading."""
    path = str(arguments["filePath"])
    return Effect(
        tool=READ_FILE.name,
        arguments=arguments,
        # A rule is about the place itself: what a link leads to is not where the link is.
        scope=Scope(path=join_path(context.folder.resolve(split_file_path(path)))),
        perform=lambda: context.folder.read_text(path).as_json(),
    )


READ_FILE = BuiltIn(
    name="read_file",
    parameters=(required("filePath", TEXT),),
    aliases={"path": "filePath"},
    refuses={"filePath": refuse_by(split_file_path)},
    answer=object_of(filePath=TEXT, path=TEXT, content=TEXT, size=INTEGER, modified=TEXT, frontmatter=ANY),
    reads_when=always_reads,
    leaves_the_vault=False,
    prepare=prepare,
)
