"""Reads an OpenAPI document and finds what its references lead to. Its content is not trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from paperagents.definitions.source import Excerpt
from paperagents.errors import UsageError
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_nodes import read_yaml
from paperagents.values import dataclass

METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
LARGEST_DOCUMENT = 100_000_000
"""Characters; the largest documents that services publish have a fifth of it."""
MOST_VALUES = 1_000_000
DEEPEST = 200
MOST_REFERENCES = 20
"""So many references may lead to one another."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """An OpenAPI document, with the address or file it came from."""

    content: Mapping[str, Any]
    source: str = ""

    @property
    def title(self) -> str:
        """What the service is called."""
        return one_line(mapping(self.content.get("info")).get("title")) or "API"

    @property
    def is_old(self) -> bool:
        """Whether its schemas are those of OpenAPI 3.0, which are not JSON Schema."""
        return str(self.content["openapi"]).startswith("3.0")

    def resolve(self, value: Any) -> Mapping[str, Any]:
        """An object of the document, with its references followed; empty where they lead nowhere or in a circle."""
        for _ in range(MOST_REFERENCES):
            found = mapping(value)
            if not isinstance(found.get("$ref"), str):
                return found
            value = self.find(found["$ref"])
        return {}

    def find(self, reference: str) -> Any:
        """What a reference within the document points to, else None. Other files are never read."""
        value: Any = self.content if reference == "#" or reference.startswith("#/") else None
        for part in reference.split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, list):
                value = value[int(name)] if re.fullmatch(r"[0-9]{1,9}", name) and int(name) < len(value) else None
            else:
                value = mapping(value).get(name)
        return value

    def server(self, servers: Any, given: str | None, variables: Mapping[str, str]) -> str:
        """The address of a service: as given, else as described, relative to where the document came from."""
        first = mapping(servers[0]) if isinstance(servers, list) and servers else {}
        described = first.get("url") if isinstance(first.get("url"), str) else ""
        known = mapping(first.get("variables"))
        filled = re.sub(r"\{([^{}]*)\}", lambda found: _variable(found[1], known, variables), described or "")
        # A document that names no server means the one it came from, whatever its own path is there.
        address = given or join_address(self.source, filled or "/")
        if not is_address(address):
            raise UsageError("openapi-without-server")
        return address.rstrip("/")


def read_document(content: str, *, source: str = "") -> Document:
    """Read a document in JSON or YAML. Raises UsageError where it is none."""
    found = parse_document(content)
    if not isinstance(found, dict) or not ("openapi" in found or "swagger" in found):
        raise UsageError("not-openapi")
    version = str(found.get("openapi") or found.get("swagger"))
    if not version.startswith("3."):
        raise UsageError("not-openapi", case="version", version=version[:50])
    if not isinstance(found.get("paths"), dict):
        raise UsageError("not-openapi", case="paths")
    return Document(content=found, source=source)


def parse_document(content: str) -> Any:
    """JSON, else YAML. Raises UsageError with the place where it is neither."""
    if len(content) > LARGEST_DOCUMENT:
        raise UsageError("not-openapi", case="large", limit=LARGEST_DOCUMENT // 1_000_000)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        pass
    problems = ProblemList("", content.split("\n"))
    node = read_yaml(Excerpt(text=content), problems, most_values=MOST_VALUES, deepest=DEEPEST)
    if node is not None and not problems.has_errors():
        return node.plain()
    first = next(iter(problems.in_order()), None)
    if first is None:
        raise UsageError("not-openapi")
    raise UsageError("not-openapi", case="syntax", line=first.span.line, column=first.span.column, reason=first.message)


def join_address(source: str, address: str) -> str:
    """The address seen from where the document is; empty where neither is one of the web."""
    try:
        return urljoin(source, address) if urlsplit(source).scheme in ("http", "https") else address
    except ValueError:
        return ""


def is_address(address: str) -> bool:
    """Whether requests can be sent there; nothing in it may mean something to a note."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_clean = not parts.query and not parts.fragment and "@" not in parts.netloc and " " not in address
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_clean and is_plain(address)


def _variable(name: str, known: Mapping[str, Any], given: Mapping[str, str]) -> str:
    """The value of a variable of a server's address: as given, else its default."""
    described = mapping(known.get(name))
    allowed = described.get("enum")
    value = given.get(name, str(described.get("default", "")))
    if name in given and isinstance(allowed, list) and value not in map(str, allowed):
        raise UsageError("openapi-variable", name=name, value=value, options=", ".join(map(str, allowed[:20])))
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def one_line(value: Any, longest: int = 300) -> str:
    """A text in one line, and not a long one."""
    printable = "".join(each if each.isprintable() else " " for each in value) if isinstance(value, str) else ""
    words = " ".join(printable.split())
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def is_plain(value: Any) -> bool:
    """Whether a name or path has nothing in it that means something to a note, a header or a script."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= 500
        and value.isprintable()
        and not {"`", "\\"} & set(value)
        and ("{{" not in value)
    )
