"""Reads an OpenAPI description into the operations that tools are made of. Its content is not trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import slug
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
    """A parameter of an operation, or its body."""

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

    def arguments_in(self, place: str) -> list[Argument]:
        """The arguments that go there."""
        return [each for each in self.arguments if each.place == place]


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A described service."""

    title: str
    operations: tuple[Operation, ...]


def read_service(content: str, *, source: str = "", server: str | None = None) -> Service:
    """Read a description in JSON or YAML. Raises UsageError where it is none."""
    document = parse_document(content)
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise UsageError("not-openapi")
    if not str(document.get("openapi", "")).startswith("3."):
        raise UsageError("not-openapi", case="version", version=str(document.get("openapi") or document.get("swagger")))
    reader = DocumentReader(document, find_server(document, source, server))
    info = _mapping(document.get("info"))
    return Service(title=_line(info.get("title")) or "API", operations=tuple(reader.operations()))


class DocumentReader:
    """Reads the operations of one description."""

    def __init__(self, document: Mapping[str, Any], server: str) -> None:
        self._document = document
        self._server = server
        self._taken: set[str] = set()

    def operations(self) -> Iterator[Operation]:
        """Every operation that can be called."""
        count = 0
        for path, item in self._document["paths"].items():
            described = self.resolve(item)
            for method in METHODS:
                if isinstance(described.get(method), dict) and path.startswith("/") and _is_plain(path):
                    count += 1
                    if count > MOST_OPERATIONS:
                        raise UsageError("not-openapi", case="large", limit=MOST_OPERATIONS)
                    yield self.operation(method, path, described, described[method])

    def operation(self, method: str, path: str, item: Mapping[str, Any], found: Mapping[str, Any]) -> Operation:
        """One operation; its own parameters override those of its path."""
        name = _line(found.get("summary")) or _line(found.get("operationId")) or f"{method.upper()} {path}"
        listed = [*self.parameters(item), *self.parameters(found)]
        by_place = {(each.place, each.name): each for each in listed}
        # A tool has one argument of a name: where two places want it, the first one's is used for both.
        arguments = list({each.name: each for each in reversed(by_place.values())}.values())[::-1]
        return Operation(
            id=self.unique_id(slug(str(found.get("operationId") or f"{method}_{path}")) or method),
            name=name,
            description=_line(found.get("description")) or name,
            method=method.upper(),
            server=self._server,
            path=path,
            arguments=(*arguments, *self.body(found)),
            secrets=self.secret_headers(found),
        )

    def unique_id(self, wanted: str) -> str:
        """An id that no other operation has."""
        number, free = 2, wanted
        while free in self._taken:
            free, number = f"{wanted[:60]}_{number}", number + 1
        self._taken.add(free)
        return free

    def parameters(self, described: Mapping[str, Any]) -> Iterator[Argument]:
        """The parameters of a path or an operation; optional headers and those of the request itself are left out."""
        listed = described.get("parameters")
        for each in listed if isinstance(listed, list) else []:
            parameter = self.resolve(each)
            name, place = parameter.get("name"), parameter.get("in")
            if not isinstance(name, str) or not _is_plain(name) or place not in ("path", "query", "header"):
                continue
            required = place == "path" or parameter.get("required") is True
            if place == "header" and (not required or name.lower() in ("authorization", "content-type", "accept")):
                continue
            schema = self.schema(parameter.get("schema"))
            yield Argument(name=name, place=place, required=required, schema=schema,
                           description=_line(parameter.get("description")) or name)  # fmt: skip

    def body(self, found: Mapping[str, Any]) -> Iterator[Argument]:
        """The JSON body, where the operation takes one."""
        body = self.resolve(found.get("requestBody"))
        content = _mapping(_mapping(body.get("content")).get("application/json"))
        if body.get("content") and content:
            schema = self.schema(content.get("schema"), default="object")
            yield Argument(name="body", place="body", required=body.get("required") is True, schema=schema,
                           description=_line(body.get("description")) or "JSON")  # fmt: skip

    def secret_headers(self, found: Mapping[str, Any]) -> dict[str, str]:
        """The header for credentials, for the first usable way the service offers."""
        wanted = found.get("security", self._document.get("security"))
        schemes = _mapping(_mapping(self._document.get("components")).get("securitySchemes"))
        for choice in wanted if isinstance(wanted, list) else []:
            for name in _mapping(choice):
                scheme = self.resolve(schemes.get(name))
                is_bearer = scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "bearer"
                if is_bearer or scheme.get("type") in ("oauth2", "openIdConnect"):
                    return {"Authorization": "Bearer "}
                header = scheme.get("name") if (scheme.get("type"), scheme.get("in")) == ("apiKey", "header") else None
                if isinstance(header, str) and re.fullmatch(r"[A-Za-z0-9-]{1,100}", header):
                    return {header: ""}
        return {}

    def schema(self, schema: Any, *, default: str = "string", depth: int = 0) -> dict[str, Any]:
        """The part of a schema that ours support, with its references resolved."""
        found = self.resolve(schema)
        kind = found.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each in _TYPES), None)
        kind = kind if kind in _TYPES else "object" if "properties" in found else default
        given = {key: found[key] for key in _KEPT if found.get(key) is not None}
        small = {key: value for key, value in given.items() if len(json.dumps(value, default=str)) <= 2_000}
        result: dict[str, Any] = {"type": kind, **small}
        if depth < _DEEPEST and kind == "array":
            result["items"] = self.schema(found.get("items"), depth=depth + 1)
        if depth < _DEEPEST and kind == "object" and isinstance(found.get("properties"), dict):
            properties = list(found["properties"].items())[:100]
            result["properties"] = {str(name): self.schema(each, depth=depth + 1) for name, each in properties}
        return result

    def resolve(self, value: Any) -> Mapping[str, Any]:
        """Follow references within the document; those into other files give nothing."""
        for _ in range(10):
            found = _mapping(value)
            reference = found.get("$ref")
            if not isinstance(reference, str):
                return found
            value = self._document if reference.startswith("#/") else None
            for part in reference[2:].split("/"):
                value = _mapping(value).get(part.replace("~1", "/").replace("~0", "~"))
        # A circle of references.
        return {}


def parse_document(content: str) -> Any:
    """JSON, else YAML; None where it is neither."""
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


def find_server(document: Mapping[str, Any], source: str, given: str | None) -> str:
    """The address of the service: as given, else as described, relative to where the description came from."""
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
