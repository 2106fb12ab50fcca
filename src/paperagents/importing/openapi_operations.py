"""The operations of an OpenAPI document: what each is called, what it takes, and where it goes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from paperagents.definitions.text import slug
from paperagents.errors import UsageError
from paperagents.http.messages import is_token
from paperagents.importing.openapi_document import METHODS, Document, is_plain, mapping, one_line, sequence
from paperagents.importing.openapi_schemas import Loss, Schema, translate_schema
from paperagents.importing.openapi_secrets import Secret, Security
from paperagents.values import dataclass

Place = Literal["path", "query", "header", "cookie", "body"]
STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_OF_THE_REQUEST = ("accept", "content-type", "authorization")
"""Headers that are no parameters, whatever a document says."""
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json|\*/\*|application/\*")
_LONGEST_ID = 200
_NOTHING_SAID = re.compile(r"api|rest|v\d+(?:[._]\d+)*")
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    """A parameter of an operation, or its body."""

    name: str
    """What the tool calls it."""
    sent_as: str
    place: Place
    required: bool
    schema: Schema
    description: str
    style: str = ""
    explode: bool = False
    keeps_reserved: bool = False
    is_json: bool = False
    examples: tuple[Any, ...] = ()
    """What the document gives as examples of the whole value."""


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
    media_type: str = ""
    """Of the body; empty where there is none."""
    encoding: Mapping[str, Any] = field(default_factory=dict)
    """How the fields of a form are sent, where the document says it."""
    accept: str = "*/*"
    secrets: tuple[Secret, ...] = ()
    answer: tuple[int, Any] = (200, None)
    """The status of a good answer, and the example of one."""
    losses: tuple[Loss, ...] = ()

    def arguments_in(self, place: Place) -> list[Argument]:
        """The arguments that go there."""
        return [each for each in self.arguments if each.place == place]


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Which operations are wanted; an empty list wants all."""

    only: tuple[str, ...] = ()
    """Patterns over ids and paths."""
    tags: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    def wants(self, method: str, path: str, described: Mapping[str, Any]) -> bool:
        """Whether every kind of choice is met by one of its words, in capitals or not."""
        names = (str(described.get("operationId", "")), name_operation(method, path, described), path)
        words = [name.casefold() for name in names]
        tags = [str(each).casefold() for each in sequence(described.get("tags"))]
        return (
            (not self.only or any(fnmatchcase(word, each.casefold()) for each in self.only for word in words))
            and (not self.tags or any(each.casefold() in tags for each in self.tags))
            and (not self.methods or method in [each.casefold() for each in self.methods])
        )


def read_operations(
    document: Document,
    choice: Choice,
    *,
    server: str | None = None,
    variables: Mapping[str, str] | None = None,
    taken: Container[str] = (),
) -> list[Operation]:
    """The chosen operations; ids that are taken are avoided. Raises UsageError where there are none."""
    described = list(_described(document))
    chosen = [each for each in described if choice.wants(each[0], each[1], each[3])]
    if described and not chosen:
        tags = dict.fromkeys(one_line(tag, 40) for each in described for tag in sequence(each[3].get("tags")))
        listed = ", ".join([tag for tag in tags if tag][:20])
        case = "tags" if choice.tags and listed else None
        raise UsageError("openapi-nothing-chosen", count=f"{len(described):,}", tags=listed, case=case)
    reader = _Reader(document, server, variables or {}, taken)
    return [reader.operation(*each) for each in chosen]


def _described(document: Document) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Method, path, what is said of the path, what is said of the operation."""
    for path, item in document.content["paths"].items():
        about = document.resolve(item)
        for method in METHODS:
            if isinstance(about.get(method), dict) and path.startswith("/") and is_plain(path):
                yield method, path, about, about[method]


class _Reader:
    """Reads the operations of one document."""

    def __init__(
        self, document: Document, server: str | None, variables: Mapping[str, str], taken: Container[str]
    ) -> None:
        self._document = document
        self._server = server
        self._variables = variables
        self._taken = taken
        self._given: set[str] = set()
        self._names: set[str] = set()
        self._security = Security(document)

    def operation(self, method: str, path: str, about: Mapping[str, Any], found: Mapping[str, Any]) -> Operation:
        """One operation; its own parameters override those of its path."""
        losses: list[Loss] = []
        identifier = self._free_id(name_operation(method, path, found))
        body = self._body(found, losses, keep_defaults=method != "patch")
        arguments = self._arguments(
            [*sequence(about.get("parameters")), *sequence(found.get("parameters"))], path, losses
        )
        media_type = body[0] if body else ""
        name = one_line(found.get("summary"), 100).rstrip(".") or re.sub("[-_]+", " ", identifier).capitalize()
        if name in self._names:
            name = f"{name} ({identifier})"
        self._names.add(name)
        servers = found.get("servers") or about.get("servers") or self._document.content.get("servers")
        accept, answer = self._answer(found)
        secrets = self._security.secrets_of(found, losses)
        losses += [("callback", one_line(name, 100)) for name in mapping(found.get("callbacks"))]
        losses += [("deprecated", "deprecated")] if found.get("deprecated") is True else []
        return Operation(
            id=identifier,
            name=name,
            description=one_line(found.get("description"), 1_000) or name,
            method=method.upper(),
            server=self._document.server(servers, self._server, self._variables),
            path=path,
            arguments=(*arguments, *(body[1:2] if body else ())),
            media_type=media_type,
            encoding=body[2] if body else {},
            accept=accept,
            secrets=secrets,
            answer=answer,
            losses=tuple(dict.fromkeys(losses)),
        )

    def _free_id(self, wanted: str) -> str:
        """An id that no other tool has: with the service before it, then with a number."""
        service = slug(self._document.title)[:20].strip("-")
        free, number = wanted, 1
        while free in self._given or free in self._taken:
            free = f"{service}-{wanted}"[:58].strip("-") if number == 1 and service else f"{wanted[:54]}-{number}"
            number += 1
        self._given.add(free)
        return free

    # --- parameters

    def _arguments(self, listed: list[Any], path: str, losses: list[Loss]) -> list[Argument]:
        wanted = dict.fromkeys(re.findall(r"\{([^{}]+)\}", path))
        found: dict[tuple[str, str], Argument] = {}
        for each in listed:
            argument = self._argument(self._document.resolve(each), losses)
            if argument is not None and (argument.place != "path" or argument.sent_as in wanted):
                found[argument.place, argument.sent_as] = argument
        for name in wanted:
            found.setdefault(("path", name), Argument(name=name, sent_as=name, place="path", required=True,
                                                      schema={"type": "string"}, description=name))  # fmt: skip
        return _distinguish(list(found.values()))

    def _argument(self, parameter: Mapping[str, Any], losses: list[Loss]) -> Argument | None:
        name, place = parameter.get("name"), parameter.get("in")
        if place not in STYLES or not isinstance(name, str) or (place == "header" and name.lower() in _OF_THE_REQUEST):
            return None
        if not is_plain(name) or len(name) > 200 or (place == "header" and not is_token(name)):
            losses.append(("parameter", one_line(name, 100)))
            return None
        content = mapping(parameter.get("content"))
        described = mapping(next(iter(content.values()), None)) if content else parameter
        schema, lost = translate_schema(self._document, described.get("schema", {}))
        losses += lost
        style = parameter.get("style") if isinstance(parameter.get("style"), str) else STYLES[place]
        explode = parameter.get("explode")
        return Argument(
            name=name,
            sent_as=name,
            place=place,
            required=place == "path" or parameter.get("required") is True,
            schema=schema,
            description=one_line(parameter.get("description"), 1_000) or one_line(schema.get("description")) or name,
            style=str(style),
            explode=explode if isinstance(explode, bool) else style in ("form", "deepObject"),
            keeps_reserved=parameter.get("allowReserved") is True,
            is_json=bool(content),
            examples=self.examples_of(described, parameter),
        )

    def examples_of(self, *described: Mapping[str, Any]) -> tuple[Any, ...]:
        """What is given as ``example`` or ``examples``, the first ones first."""
        found: list[Any] = []
        for each in described:
            found += [each["example"]] if "example" in each else []
            named = mapping(each.get("examples")).values()
            found += [example["value"] for one in named if "value" in (example := self._document.resolve(one))]
        return tuple(found[:10])

    # --- bodies and answers

    def _body(
        self, found: Mapping[str, Any], losses: list[Loss], *, keep_defaults: bool
    ) -> tuple[str, Argument, Mapping[str, Any]] | None:
        """The type of the body, the argument for it, and how the fields of a form are sent."""
        body = self._document.resolve(found.get("requestBody"))
        content = mapping(body.get("content"))
        media_type = choose_media_type(content)
        if media_type is None:
            return None
        described = mapping(content[media_type])
        schema, lost = translate_schema(self._document, described.get("schema", {}), keep_defaults=keep_defaults)
        losses += lost
        kind = media_type.partition(";")[0].strip().lower()
        is_text = not _JSON.fullmatch(kind) and kind not in (FORM, MULTIPART)
        if is_text and (schema.get("type") != "string" or schema.get("format") == "binary"):
            schema = {"type": "string"}
            losses.append(("body", kind))
        losses += [("other-body", one_line(each, 100)) for each in content if each != media_type]
        fields = mapping(schema.get("properties")) if kind == MULTIPART else {}
        losses += [
            ("file", one_line(name, 100)) for name, each in fields.items() if mapping(each).get("format") == "binary"
        ]
        argument = Argument(
            name="body",
            sent_as="body",
            place="body",
            required=body.get("required") is True,
            schema=schema,
            description=one_line(body.get("description"), 1_000) or one_line(schema.get("description")) or kind,
            examples=self.examples_of(described),
        )
        sent = "application/json" if "*" in kind else kind if kind in (FORM, MULTIPART) else media_type
        return sent, argument, mapping(described.get("encoding"))

    def _answer(self, found: Mapping[str, Any]) -> tuple[str, tuple[int, Any]]:
        """The type that is asked for, and a good answer as the document has it."""
        answers = mapping(found.get("responses"))
        status = next((each for each in answers if re.fullmatch(r"2\d\d", str(each))), None)
        content = mapping(self._document.resolve(answers.get(status or "default")).get("content"))
        media_type = next((each for each in content if _JSON.fullmatch(each.partition(";")[0].strip().lower())), None)
        described = mapping(content.get(media_type)) if media_type is not None else {}
        examples = self.examples_of(described, self._document.resolve(described.get("schema")))
        accept = media_type if media_type and "*" not in media_type and is_plain(media_type) else None
        usual = "application/json" if media_type or not content else "*/*"
        return accept or usual, (int(status or 200), examples[0] if examples else None)


def choose_media_type(content: Mapping[str, Any]) -> str | None:
    """The type a body is sent in: JSON, else a form, else the first that is text."""
    usable = [each for each in content if is_plain(each) and len(each) <= 100]
    kinds = {each: each.partition(";")[0].strip().lower() for each in usable}
    for wanted in (_JSON, re.compile(re.escape(FORM)), re.compile(re.escape(MULTIPART))):
        if (found := next((each for each in usable if wanted.fullmatch(kinds[each])), None)) is not None:
            return found
    return usable[0] if usable else None


def _distinguish(arguments: list[Argument]) -> list[Argument]:
    """A tool has one argument of a name: where two places want it, the later one's has the place before it."""
    taken, result = {"body"}, []
    for each in arguments:
        name = each.name if each.name not in taken else f"{each.place}_{each.name}"
        taken.add(name)
        result.append(replace(each, name=name))
    return result


# --- names that people would choose


def name_operation(method: str, path: str, described: Mapping[str, Any]) -> str:
    """The id of a tool: the operation's own, without what frameworks add, else from method and path."""
    given = described.get("operationId")
    if isinstance(given, str) and given.strip():
        # FastAPI makes the id of the function's name, the path and the method.
        noise = re.sub(r"\W", "_", path) + f"_{method}"
        short = (given.removesuffix(noise) or given)[:_LONGEST_ID]
        words = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3-\2\4", short)
        if found := slug(re.sub(r"_-|-_", "_", words)).strip("_"):
            return found
    return name_path(method, path)


def name_path(method: str, path: str) -> str:
    """Method and path as words: ``get-users-by-id``."""
    segments = [each for each in path.split("/") if each]
    while segments and _NOTHING_SAID.fullmatch(segments[0].lower()):
        segments.pop(0)
    fixed = [each for each in segments if "{" not in each]
    last = segments[-1] if segments and "{" in segments[-1] else ""
    words = [method, *fixed, *(["by", *re.findall(r"\{([^{}]+)\}", last)] if last else [])]
    separate = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", "-".join(words))
    return slug(separate).strip("_") or method
