"""Pictures that are sent to a model along with a text that links them, and those that it answers with."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from posixpath import dirname, normpath
from typing import Any
from urllib.parse import unquote

from paperagents.calls.answers import is_block
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder

KINDS = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
MOST_PICTURES = 10
LARGEST_PICTURE = 8 * 1024 * 1024
_LONGEST_ADDRESS = 2_000
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,500})(?:[|#][^\[\]\n]*)?\]\]|\]\(<?([^()<>\n]{1,500}?)>?(?:\s+\"[^\"\n]*\")?\)")


def find_pictures(text: str) -> Iterator[str]:
    """The pictures that a text links, as ``[[a.png]]`` or ``[a](a.png)``, each once; addresses in the web are none."""
    found = (unquote(match[1] or match[2]).strip() for match in _LINK.finditer(text))
    yield from dict.fromkeys(each for each in found if kind_of(each) in KINDS and "://" not in each)


def kind_of(path: str) -> str:
    """The ending of a file's name."""
    return path.rpartition(".")[2].lower()


def with_pictures(
    query: str, prompt: str, note: str | None, folder: VaultFolder, warn: Callable[[str], None]
) -> JsonValue:
    """The question with the pictures that it and the agent's note link; the question alone where there are none."""
    parts: list[JsonValue] = [
        {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
        for kind, data in linked_pictures(query, prompt, note, folder, warn)
    ]
    return [{"type": "text", "text": query}, *parts] if parts else query


def linked_pictures(
    query: str, prompt: str, note: str | None, folder: VaultFolder, warn: Callable[[str], None]
) -> Iterator[tuple[str, str]]:
    """The kind and the Base64 of each picture that a question and the agent's note link; warns of those left out."""
    beside = dirname(note or "")
    wanted = [*((each, "") for each in find_pictures(query)), *((each, beside) for each in find_pictures(prompt))]
    # Several links may lead to the same picture.
    found: dict[bytes, str] = {}
    for path, start in wanted:
        data = read_picture(folder, path, start) if len(found) < MOST_PICTURES else None
        if data is None:
            warn(path)
        else:
            found.setdefault(data, KINDS[kind_of(path)])
    for data, kind in found.items():
        yield kind, b64encode(data).decode()


def read_picture(folder: VaultFolder, path: str, beside: str) -> bytes | None:
    """The bytes of a picture: below the note's folder, below the vault, or wherever a file of this name is."""
    for place in dict.fromkeys((normpath(f"{beside}/{path}").lstrip("/"), path.lstrip("/"))):
        with suppress(ToolError):
            return folder.read_bytes(place, LARGEST_PICTURE)
    if "/" not in path:
        for file in folder.list_files():
            if file.path.endswith(f"/{path}"):
                with suppress(ToolError):
                    return folder.read_bytes(file.path, LARGEST_PICTURE)
    return None


# --- those of an answer


def read_images(part: Mapping[str, Any]) -> Iterator[JsonObject]:
    """The pictures in a piece of an answer, as blocks of content: beside its text, or among the parts of it.

    One in the web is a link: nothing is loaded because a model says so.
    """
    for field in ("images", "content"):
        parts = part.get(field)
        for each in parts if isinstance(parts, list) else ():
            address = each.get("image_url") if isinstance(each, dict) else None
            address = address.get("url") if isinstance(address, dict) else address
            if isinstance(address, str) and (block := read_address(address)) is not None:
                yield block


def read_address(address: str) -> JsonObject | None:
    """The block of one picture; None where it is none."""
    if address.startswith(("https://", "http://")) and len(address) <= _LONGEST_ADDRESS:
        return {
            "type": "resource_link",
            "uri": address,
            "name": address.partition("?")[0].rpartition("/")[2] or address,
        }
    kind, found, data = address.removeprefix("data:").partition(";base64,")
    block: JsonObject = {"type": "image", "data": data, "mimeType": kind}
    is_right = found and len(data) <= LARGEST_PICTURE * 4 // 3 and is_block(block)
    return block if is_right else None
