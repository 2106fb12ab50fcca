"""The editor: checks while typing, a preview of the form, and saving that overwrites nobody's changes.

Saving is a run of write_file like any other, approved by the person who saves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.definitions.file_reading import MAX_BYTES
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.errors import ToolError
from paperagents.files.reading import ABSENT, hash_content
from paperagents.files.safe_open import join_path, split_path
from paperagents.interfaces.rest.language import open_draft
from paperagents.interfaces.rest.responses import Json, needs, record_response
from paperagents.interfaces.rest.runs import By, Live
from paperagents.interfaces.serving.callers import Caller
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.language.answers import Fix
from paperagents.messages import text
from paperagents.registry.entry import definition_document
from paperagents.vault import Vault

router = APIRouter(include_in_schema=False, route_class=PageRoute)
NEW_FILES = files("paperagents.interfaces.web") / "new_files"
MOST_PROBLEMS = 200
"""Of one file: somebody who has repaired these sees the next."""
NEW_PATHS = {"tool": "tools/my-tool.md", "chain": "tools/my-chain.md", "agent": "agents/my-agent.md"}
Path = Annotated[str, Query(max_length=4000)]
Place = Annotated[int, Query(ge=1, le=10_000_000)]


class Draft(BaseModel):
    """A file as it stands in the editor."""

    model_config = ConfigDict(extra="forbid", strict=True)

    file: str = Field(min_length=1, max_length=4000)
    content: str = Field(max_length=MAX_BYTES)


class Saving(Draft):
    """A file to be saved, over the very state that was opened."""

    digest: str = Field(max_length=100)


@router.get("/edit")
def edit(request: Request, live: Live, file: Path, line: Place = 1, column: Place = 1) -> Response:
    """The editor with a file of the vault."""
    path = join_path(split_path(file))
    content, digest = live.vault.folder.read_text(path).content, live.vault.folder.digest(path)
    return page(
        request, "editor.html", file=path, content=content, digest=digest, line=line, column=column, is_new=False,
        checked=check_content(live, path, content),
    )  # fmt: skip


@router.get("/edit/digest")
def digest(live: Live, file: Path) -> Response:
    """What tells the file as it is now from what it was."""
    return Response(live.vault.folder.digest(join_path(split_path(file))), media_type="text/plain")


@router.get("/new/{kind}")
def new(request: Request, live: Live, kind: str) -> Response:
    """The editor with a template of a tool or an agent."""
    kind = kind if kind in NEW_PATHS else "tool"
    path, content = free_path(live.vault, NEW_PATHS[kind]), (NEW_FILES / f"{kind}.md").read_text("utf-8")
    return page(
        request, "editor.html", file=path, content=content, digest=ABSENT, line=1, column=1, is_new=True,
        checked=check_content(live, path, content),
    )  # fmt: skip


@router.post("/edit/check")
def check(live: Live, draft: Draft) -> Response:
    """Everything wrong with a file that has not been saved, and the form it would have."""
    return Json(check_content(live, join_path(split_path(draft.file)), draft.content))


@router.put("/edit/save", openapi_extra=needs("edit"))
async def save(live: Live, by: By, saving: Saving) -> Response:
    """Write the file, unless somebody else has changed it since it was opened."""
    path = join_path(split_path(saving.file))
    arguments: JsonObject = {"filePath": path, "content": saving.content, "overwrite": True}
    approver = approve_unchanged(live.vault, path, saving.digest, by)
    record = await asyncio.to_thread(live.vault.run, "write_file", arguments, approver=approver)
    response = record_response(record)
    saved = hash_content(utf8(saving.content))
    response.headers["etag"] = saved if record.success else live.vault.folder.digest(path)
    return response


def approve_unchanged(vault: Vault, path: str, digest: str, by: Caller) -> Callable[[ApprovalRequest], Decision]:
    """An approver that says yes for whoever saves, while the file is as they saw it."""

    def decide(_: ApprovalRequest) -> Decision:
        if (found := vault.folder.digest(path)) == digest:
            return Approved(by=by.name, via=by.via)
        conflict = "gone" if found == ABSENT else "taken" if digest == ABSENT else "conflict"
        return Denied(reason=text(f"web.editor.{conflict}"), by=by.name, via=by.via)

    return decide


def check_content(live: LiveRuns, path: str, content: str) -> dict[str, Any]:
    """The problems of a file with this content, each with its repairs, and the document of its form."""
    service, file = open_draft(live, path, content)
    reading = service.preview(file)
    document = definition_document(reading.definition) if reading.definition is not None else None
    problems = reading.problems[:MOST_PROBLEMS]
    fixes = service.fixes_of(file, problems)
    shown = [
        each.as_json() | {"fixes": [describe_fix(fix) for fix in fixes if fix.problem is each]} for each in problems
    ]
    return {"problems": shown, "count": len(reading.problems), "document": document}


def describe_fix(fix: Fix) -> JsonObject:
    """A repair as the page carries it out."""
    return {"title": fix.title, "edits": [{**asdict(each.span), "text": each.text} for each in fix.edits]}


def free_path(vault: Vault, wanted: str) -> str:
    """The path, with a number where there is such a file."""
    for number in range(1, 1000):
        path = wanted if number == 1 else f"{wanted.removesuffix('.md')}-{number}.md"
        if vault.folder.digest(path) == ABSENT:
            return path
    raise ToolError("file-exists", path=wanted)
