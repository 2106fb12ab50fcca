"""Stylesheet and scripts: their addresses name their content, so browsers keep them until it changes."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from paperagents.errors import UsageError

_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_FOR_A_YEAR = "private, max-age=31536000, immutable"
router = APIRouter(include_in_schema=False)


def static_url(name: str) -> str:
    """The address of a file; modules find each other beside them."""
    return f"/static/{_version()}/{name}"


def module_urls() -> list[str]:
    """The addresses of all modules: fetched at once, not one after the other as each names the next."""
    return [static_url(name) for name in sorted(_contents()) if name.endswith(".js")]


@router.get("/static/{version}/{name}")
def static_file(version: str, name: str) -> Response:
    """One file of ours. Only names in the folder's own list are known: a path leads nowhere."""
    content = _contents().get(name)
    if content is None:
        raise UsageError("no-such-route", path=f"/static/{version}/{name}"[:200])
    # An old address gets today's content, and is not kept: the page that asks for it is about to be renewed.
    keeping = _FOR_A_YEAR if version == _version() else "no-store"
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": keeping})


@cache
def _contents() -> dict[str, bytes]:
    folder = files("paperagents.interfaces.web") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name.rpartition(".")[2] in _KINDS}


@cache
def _version() -> str:
    together = b"\0".join(name.encode() + content for name, content in sorted(_contents().items()))
    return sha256(together).hexdigest()[:12]
