"""Pages of notes: rendered as notes are, with what links to them, what runs have changed, and whose each line is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from posixpath import dirname, normpath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError, ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.reading import ABSENT
from paperagents.files.safe_open import join_path, split_path
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.markdown import PICTURES, is_picture, render_markdown
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.reading.markdown import read_properties
from paperagents.registry.entry import Entry
from paperagents.values import dataclass

router = APIRouter(include_in_schema=False, route_class=PageRoute)
LONGEST_SHOWN = 200_000
MOST_NOTES = 300
MOST_BACKLINKS = 50
MOST_CHANGES = 50
MOST_BLAMED = 2_000
MOST_EMBEDS = 20
MOST_TOOLS = 20
LARGEST_PICTURE = 16 * 1024 * 1024
PATH_PARAMETERS = ("filePath", "path", "file", "note", "notePath", "file_path")
"""Names that a tool gives to the note it is about."""
_LINK = re.compile(r"\[\[([^\[\]\n|#]{1,300})|\]\(<?([^()<>\n]{1,500}?)>?\)")
_WORD = re.compile(r"\w+")
_PICTURE_POLICY = "default-src 'none'; sandbox"
Words = Annotated[str, Query(max_length=500)]
Path = Annotated[str, Query(alias="from", max_length=4000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Property:
    """One line of the frontmatter."""

    name: str
    values: tuple[str, ...]
    is_list: bool


@router.get("/notes")
def notes(request: Request, live: Live, q: Words = "") -> Response:
    """The notes of the vault: those that a search finds, or those that changed last."""
    folder = live.vault.folder
    if query := q.strip():
        found = search(live, query, MOST_NOTES)
        paths = [(str(each["path"]), str(each.get("snippet") or "")) for each in found]
    else:
        # Tools and agents have pages of their own; a search finds their files as well.
        others = {entry.file for entry in live.vault.registry.entries()}
        files = (
            each
            for each in folder.list_files()
            if each.path.lower().endswith((".md", ".markdown")) and each.path not in others
        )
        newest = sorted(files, key=lambda each: -each.modified_ns)[:MOST_NOTES]
        paths = [(each.path, "") for each in newest]
    return page(request, "notes.html", notes=paths, query=q)


@router.get("/notes/{path:path}")
def one_note(request: Request, live: Live, path: str, beside: Path = "", *, blame: bool = False) -> Response:
    """A note, or whatever a link with this target means."""
    folder = live.vault.folder
    place = join_path(split_path(path))
    found = resolve_link(folder, place, beside) or place
    if found != place:
        # Whatever follows is about the file at its own address.
        return RedirectResponse(f"/notes/{quote(utf8(found), safe='/')}", status_code=303)
    if is_picture(found):
        folder.read_bytes(found, LARGEST_PICTURE)  # one that is not there, or leads outside, is refused here
        return page(request, "note.html", **_empty_note(found), picture=f"/files/{quote(utf8(found), safe='/')}")
    content = folder.read_text(found).content
    shown = live.vault.services.redaction.text(content[:LONGEST_SHOWN])
    is_markdown = found.lower().endswith((".md", ".markdown"))
    properties, body = read_properties(shown) if is_markdown else ({}, shown)
    return page(
        request, "note.html", path=found, picture=None, is_cut=len(content) > LONGEST_SHOWN,
        properties=describe_properties(properties),
        body=render_note(folder, found, body) if is_markdown else None, source=shown,
        backlinks=find_backlinks(live, found) if is_markdown else [],
        changes=live.vault.changes(file=found, limit=MOST_CHANGES),
        blame=live.vault.blame(found)[:MOST_BLAMED] if blame else None,
        tools=fitting_tools(live) if is_markdown else [],
    )  # fmt: skip


def _empty_note(path: str) -> dict[str, Any]:
    return {"path": path, "is_cut": False, "properties": [], "body": None, "source": "", "backlinks": [], "changes": [],
            "blame": None, "tools": []}  # fmt: skip


@router.get("/files/{path:path}")
def one_file(live: Live, path: str) -> Response:
    """The bytes of a file of the vault: a raster image to be seen, anything else only to be kept.

    Nothing of the vault is ever a page of this site: other kinds are named as bytes and downloaded, and what a browser
    shows all the same is in a sandbox without scripts.
    """
    place = join_path(split_path(path))
    content = live.vault.folder.read_bytes(place, LARGEST_PICTURE)
    kind = PICTURES.get(place.rpartition(".")[2].lower())
    shown = {"content-security-policy": _PICTURE_POLICY}
    kept = (
        {} if kind else {"content-disposition": f"attachment; filename*=UTF-8''{quote(utf8(place.rpartition('/')[2]))}"}
    )
    return Response(content, media_type=kind or "application/octet-stream", headers={**shown, **kept})


def resolve_link(folder: VaultFolder, target: str, beside: str) -> str | None:
    """The file that a link means: beside the note, from the top, or wherever one has that name, as in other editors."""
    near = normpath(f"{dirname(beside)}/{target}".lstrip("/"))
    for place in dict.fromkeys((near, target)):
        for path in (place, f"{place}.md"):
            with suppress(ToolError):
                if folder.digest(path) != ABSENT:
                    return path
    wanted = {f"/{target}".casefold(), f"/{target}.md".casefold()}
    found = [
        each.path for each in folder.list_files() if any(f"/{each.path}".casefold().endswith(end) for end in wanted)
    ]
    return min(found, key=lambda each: (each.count("/"), each), default=None)


def render_note(folder: VaultFolder, path: str, body: str) -> Markup:
    """The text of a note; notes that it embeds stand in their place, those in them as links."""
    left = iter(range(MOST_EMBEDS))

    def embed(target: str) -> str:
        if next(left, None) is None:
            return ""
        with suppress(PaperError):
            found = resolve_link(folder, join_path(split_path(target)), path)
            if found is not None and found != path and not is_picture(found):
                inner = read_properties(folder.read_text(found).content[:LONGEST_SHOWN])[1]
                return str(
                    render_markdown(inner, note=found, picture=lambda target: find_picture(folder, found, target))
                )
        return ""

    return render_markdown(body, note=path, picture=lambda target: find_picture(folder, path, target), embed=embed)


def find_picture(folder: VaultFolder, note: str, target: str) -> str | None:
    """The address of a picture that a note shows; None where the vault has none."""
    with suppress(PaperError):
        near = normpath(f"{dirname(note)}/{target}".lstrip("/")) if target.startswith(".") else target
        found = resolve_link(folder, join_path(split_path(near)), note)
        return f"/files/{quote(utf8(found), safe='/')}" if found is not None and is_picture(found) else None
    return None


def describe_properties(properties: JsonObject) -> list[Property]:
    """The frontmatter as names with their values."""

    def written(value: JsonValue) -> str:
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    return [
        Property(name=name, values=tuple(map(written, value if isinstance(value, list) else [value])),
                 is_list=isinstance(value, list))
        for name, value in properties.items()
    ]  # fmt: skip


def find_backlinks(live: LiveRuns, path: str) -> list[str]:
    """The notes with a link to this one."""
    # Its words alone: a name may have signs that mean something in a query.
    words = " ".join(f'"{each}"' for each in _WORD.findall(path.rpartition("/")[2].removesuffix(".md")))
    candidates = [str(each["path"]) for each in search(live, words, 4 * MOST_BACKLINKS)] if words else []
    return sorted(each for each in candidates if each != path and links_to(live.vault.folder, each, path))[
        :MOST_BACKLINKS
    ]


def links_to(folder: VaultFolder, note: str, path: str) -> bool:
    """Whether a link in the note means the file at this path."""
    name = path.rpartition("/")[2].removesuffix(".md").casefold()
    for target in linked(folder, note):
        if target.rpartition("/")[2].removesuffix(".md").casefold() == name:
            near = normpath(f"{dirname(note)}/{target}".lstrip("/"))
            if {near, f"{near}.md", target, f"{target}.md"} & {path} or "/" not in target:
                return True
    return False


def linked(folder: VaultFolder, note: str) -> Iterator[str]:
    """What the links in a note point to."""
    with suppress(ToolError):
        found = folder.find_text(note)
        for match in _LINK.finditer(found.content[:LONGEST_SHOWN] if found is not None else ""):
            yield (match[1] or match[2]).partition("#")[0].strip().lstrip("/")


def search(live: LiveRuns, query: str, most: int) -> list[JsonObject]:
    """What search_files finds, without a run: looking around is not recorded."""
    effect = live.vault.services.built_in["search_files"]({"query": query, "path": "/", "limit": most})
    if effect.refusal is not None:
        raise effect.refusal
    answer = effect.perform()
    results = answer["results"] if isinstance(answer, dict) else []
    return [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []


def fitting_tools(live: LiveRuns) -> list[Entry]:
    """Tools of the vault that take a note."""
    entries = (each for each in live.vault.registry.entries() if each.is_tool and each.valid and each.kind != "builtin")
    return [*islice((each for each in entries if path_parameter(each.parameters)), MOST_TOOLS)]


def path_parameter(names: Iterable[str]) -> str | None:
    """The parameter that takes the path of a note."""
    return next((name for name in names if name in PATH_PARAMETERS), None)
