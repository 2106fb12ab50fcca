"""``search_files``: find notes of the vault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paperagents.approval.question import Effect, Scope
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError
from paperagents.files.safe_open import join_path, split_path
from paperagents.messages import text
from paperagents.tools.built_in import (
    BOOLEAN,
    INTEGER,
    TEXT,
    BuiltIn,
    ToolContext,
    always_reads,
    list_of,
    object_of,
    optional,
    refuse_by,
    refuse_whole_by,
    required,
)


def prepare(context: ToolContext, arguments: JsonObject) -> Effect:
    """The search."""
    given: dict[str, Any] = dict(arguments)

    def search() -> JsonValue:
        from paperagents.search.search import search_files  # noqa: PLC0415  loaded by the tool that needs it

        sort = given.get("sort", "relevance")
        answer = search_files(context.folder, given["query"], given["path"], int(given["limit"]), sort)
        if given.get("must_find") and not answer["count"]:
            raise ToolError("nothing-found", query=given["query"], path=given["path"])
        return answer

    return Effect(
        tool=SEARCH_FILES.name,
        arguments=arguments,
        scope=Scope(path=join_path(context.folder.resolve(split_path(given["path"]))) or "/"),
        perform=search,
        warn_of=warn_of_cut,
    )


def warn_of_cut(answer: Any) -> Sequence[str]:
    """How many of how many there are, where some were left out."""
    if not answer["truncated"]:
        return ()
    return [text("run.cut-results", tool=SEARCH_FILES.name, shown=len(answer["results"]), count=answer["count"])]


def parse(query: str) -> object:
    """The query as it is read."""
    from paperagents.search.query import parse_query  # noqa: PLC0415  loaded by the tool that needs it

    return parse_query(query)


FOUND = object_of(name=TEXT, path=TEXT, size=INTEGER, modified=TEXT, tags=list_of(TEXT), snippet=TEXT)
SEARCH_FILES = BuiltIn(
    name="search_files",
    parameters=(
        required("query", TEXT),
        optional("path", TEXT, default="/"),
        optional("limit", {"type": "integer", "minimum": 1, "maximum": 100_000}, default=100),
        optional("sort", {"type": "string", "enum": ["relevance", "modified", "name", "path"]}, default="relevance"),
        optional("must_find", BOOLEAN, default=False),
    ),
    refuses={"query": refuse_whole_by(parse), "path": refuse_by(split_path)},
    answer=object_of(results=list_of(FOUND), count=INTEGER, truncated=BOOLEAN),
    reads_when=always_reads,
    leaves_the_vault=False,
    prepare=prepare,
)
