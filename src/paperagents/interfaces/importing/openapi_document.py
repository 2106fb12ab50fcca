"""An OpenAPI description, read into the operations a tool can be made of. It may come from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from paperagents.definitions.names import slug
from paperagents.definitions.source import Excerpt
from paperagents.errors import UsageError
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_nodes import read_yaml

METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
MOST_OPERATIONS = 1_000
LARGEST_DOCUMENT = 20_000_000
_DEEPEST = 8
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_KEPT = ("enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "default", "minItems", "maxItems")


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    """One thing an operation wants to know."""

    name: str
    place: str
    """``path``, ``query``, ``header`` or ``body``."""
    required: bool
    schema: Mapping[str, Any]
    description: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """One operation of a service."""

    id: str
    name: str
    description: str
    method: str
    server: str
    path: str
    arguments: tuple[Argument, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Headers with a secret in them: the header, and how its value begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A described service."""

    title: str
    operations: tuple[Operation, ...]


def read_service(content: str, *, source: str = "", server: str | None = None) -> Service:
    """The service that a description in JSON or YAML describes. Raises UsageError where it is none."""
    document = _parsed(content)
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise UsageError("not-openapi")
    if not str(document.get("openapi", "")).startswith("3."):
        raise UsageError("not-openapi", case="version", version=str(document.get("openapi") or document.get("swagger")))
    reader = _Reader(document, _server(document, source, server))
    info = _mapping(document.get("info"))
    return Service(title=_line(info.get("title")) or "API", operations=tuple(reader.operations()))


class _Reader:
    def __init__(self, document: Mapping[str, Any], server: str) -> None:
        self._document = document
        self._server = server
        self._taken: set[str] = set()

    def operations(self) -> Iterator[Operation]:
        count = 0
        for path, item in self._document["paths"].items():
            described = self._resolved(item)
            for method in METHODS:
                if isinstance(described.get(method), dict) and path.startswith("/") and _is_plain(path):
                    count += 1
                    if count > MOST_OPERATIONS:
                        raise UsageError("not-openapi", case="large", limit=MOST_OPERATIONS)
                    yield self._operation(method, path, described, described[method])

    def _operation(self, method: str, path: str, item: Mapping[str, Any], found: Mapping[str, Any]) -> Operation:
        name = _line(found.get("summary")) or _line(found.get("operationId")) or f"{method.upper()} {path}"
        arguments = {(each.place, each.name): each for each in self._arguments(item)}
        arguments |= {(each.place, each.name): each for each in self._arguments(found)}
        return Operation(
            id=self._free(slug(str(found.get("operationId") or f"{method}_{path}")) or method),
            name=name,
            description=_line(found.get("description")) or name,
            method=method.upper(),
            server=self._server,
            path=path,
            arguments=(*_first_of_each_name(arguments.values()), *self._body(found)),
            secrets=self._secrets(found),
        )

    def _free(self, wanted: str) -> str:
        number, free = 2, wanted
        while free in self._taken:
            free, number = f"{wanted[:60]}_{number}", number + 1
        self._taken.add(free)
        return free

    def _arguments(self, described: Mapping[str, Any]) -> Iterator[Argument]:
        listed = described.get("parameters")
        for each in listed if isinstance(listed, list) else []:
            parameter = self._resolved(each)
            name, place = parameter.get("name"), parameter.get("in")
            if not isinstance(name, str) or not _is_plain(name) or place not in ("path", "query", "header"):
                continue
            required = place == "path" or parameter.get("required") is True
            if place == "header" and (not required or name.lower() in ("authorization", "content-type", "accept")):
                continue
            schema = self._schema(parameter.get("schema"))
            yield Argument(name=name, place=place, required=required, schema=schema,
                           description=_line(parameter.get("description")) or name)  # fmt: skip

    def _body(self, found: Mapping[str, Any]) -> Iterator[Argument]:
        body = self._resolved(found.get("requestBody"))
        content = _mapping(_mapping(body.get("content")).get("application/json"))
        if body.get("content") and content:
            schema = self._schema(content.get("schema"), default="object")
            yield Argument(name="body", place="body", required=body.get("required") is True, schema=schema,
                           description=_line(body.get("description")) or "JSON")  # fmt: skip

    def _secrets(self, found: Mapping[str, Any]) -> dict[str, str]:
        """The header that proves who calls, for the first way the service offers."""
        wanted = found.get("security", self._document.get("security"))
        schemes = _mapping(_mapping(self._document.get("components")).get("securitySchemes"))
        for choice in wanted if isinstance(wanted, list) else []:
            for name in _mapping(choice):
                scheme = self._resolved(schemes.get(name))
                if scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "bearer":
                    return {"Authorization": "Bearer "}
                if scheme.get("type") in ("oauth2", "openIdConnect"):
                    return {"Authorization": "Bearer "}
                header = scheme.get("name")
                if scheme.get("type") == "apiKey" and scheme.get("in") == "header" and _is_header(header):
                    return {str(header): ""}
        return {}

    # --- schemas

    def _schema(self, schema: Any, *, default: str = "string", depth: int = 0) -> dict[str, Any]:
        """What our own schemas take of it, with everything it refers to written out."""
        found = self._resolved(schema)
        kind = found.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each in _TYPES), None)
        kind = kind if kind in _TYPES else "object" if "properties" in found else default
        kept = {key: found[key] for key in _KEPT if _is_small(found.get(key))}
        result: dict[str, Any] = {"type": kind, **kept}
        if depth < _DEEPEST and kind == "array":
            result["items"] = self._schema(found.get("items"), depth=depth + 1)
        if depth < _DEEPEST and kind == "object" and isinstance(found.get("properties"), dict):
            properties = list(found["properties"].items())[:100]
            result["properties"] = {str(name): self._schema(each, depth=depth + 1) for name, each in properties}
        return result

    def _resolved(self, value: Any) -> Mapping[str, Any]:
        """The thing itself where it is only referred to; what stands in another file is left out."""
        for _ in range(10):
            found = _mapping(value)
            reference = found.get("$ref")
            if not isinstance(reference, str):
                return found
            value = self._at(reference)
        return {}

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return {}
        value: Any = self._document
        for part in reference[2:].split("/"):
            value = _mapping(value).get(part.replace("~1", "/").replace("~0", "~"))
        return value


def _parsed(content: str) -> Any:
    if len(content) > LARGEST_DOCUMENT:
        raise UsageError("not-openapi", case="large", limit=LARGEST_DOCUMENT)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        pass
    problems = ProblemList("", content.split("\n"))
    try:
        node = read_yaml(Excerpt(text=content), problems)
        return None if node is None or problems.has_errors() else node.plain()
    except RecursionError:
        return None


def _server(document: Mapping[str, Any], source: str, given: str | None) -> str:
    """Where the service is: as the person says, else as the description says, else where it came from."""
    listed = document.get("servers")
    first = _mapping(listed[0]) if isinstance(listed, list) and listed else {}
    variables = _mapping(first.get("variables"))
    described = re.sub(
        r"\{(\w+)\}",
        lambda found: str(_mapping(variables.get(found[1])).get("default", "")),
        str(first.get("url") or ""),
    )
    address = given or urljoin(source, described)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or not _is_plain(address):
        raise UsageError("openapi-without-server")
    return address.rstrip("/")


def _first_of_each_name(arguments: Any) -> list[Argument]:
    """A tool has one argument of a name; where two places want it, they get the same."""
    return list({each.name: each for each in reversed(list(arguments))}.values())[::-1]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _line(value: Any) -> str:
    """A text in one line, and not a long one."""
    printable = "".join(each if each.isprintable() else " " for each in value) if isinstance(value, str) else ""
    words = " ".join(printable.split())
    return words if len(words) <= 300 else f"{words[:299]}…"


def _is_plain(value: Any) -> bool:
    """Whether a name or path has nothing in it that means something to a note, a header or a script."""
    return (
        isinstance(value, str) and len(value) <= 500 and value.isprintable() and "{{" not in value and "`" not in value
    )


def _is_header(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9-]{1,100}", value) is not None


def _is_small(value: Any) -> bool:
    return value is not None and len(json.dumps(value, default=str)) <= 2_000
