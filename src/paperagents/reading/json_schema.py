"""JSON Schema 2020-12: is it a schema, and what does it say about a value? The one module that knows the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.text import value_without_surrogates
from paperagents.definitions.tool import DIALECT
from paperagents.values import dataclass

_SHOWN = 200
_GIVEN = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """One way in which a value is not what its schema says."""

    path: tuple[str | int, ...]
    keyword: str
    message: str
    limit: JsonValue = None
    """What the keyword says: the minimum, the list of allowed values, …"""
    names: tuple[str, ...] = ()
    """Of the members that nobody expected."""
    given: str = ""
    """The beginning of a text that does not match its pattern, unless its schema says that it is secret."""

    @property
    def rule(self) -> str:
        """What the schema says there, in its own words, which are the same in every language: ``type: number``."""
        return format_rule(self.keyword, self.limit)


class NotASchemaError(Exception):
    """The schema itself is wrong: where in it, and the rule that it breaks there."""

    def __init__(self, path: tuple[str | int, ...], rule: str) -> None:
        self.path = path
        self.reason = f"{'.'.join(map(str, path))} ({rule})" if path else rule
        super().__init__(self.reason)


class Schema:
    """A compiled schema."""

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        import jsonschema_rs  # noqa: PLC0415  a quarter of the start-up time of a small command

        # Formats are checked, and nothing is fetched: a schema is a stranger's text.
        self._schema = dict(schema)
        try:
            self._validator: Any = jsonschema_rs.Draft202012Validator(
                self._schema, validate_formats=True, retriever=_refuse_to_fetch
            )
        except jsonschema_rs.ValidationError as error:
            raise _not_a_schema(error) from None
        except (jsonschema_rs.ReferencingError, ValueError) as error:
            raise NotASchemaError((), _broken_reference(error)) from None

    def accepts(self, value: JsonValue) -> bool:
        """Whether the value is what the schema says."""
        return bool(ask_library(self._validator.is_valid, value))

    def violations(self, value: JsonValue) -> list[Violation]:
        """Everything wrong with the value, at once."""
        if self.accepts(value):
            return []
        errors = ask_library(lambda read: list(self._validator.iter_errors(read)), value)
        return [each for error in errors for each in self._describe(error)]

    def _describe(self, error: Any) -> list[Violation]:
        """Where it is plain which of several ways was meant, what is wrong with that one."""
        if meant := find_meant_branch(error):
            return [each for inner in meant for each in self._describe(inner)]
        limit: Any = self._schema
        around: Any = None
        for segment in error.schema_path:
            try:
                limit, around = limit[segment], limit
            except (KeyError, IndexError, TypeError):
                limit = around = None
                break
        keyword = str(error.schema_path[-1]) if error.schema_path else ""
        names = tuple(getattr(error.kind, "unexpected", ()))
        if error.kind.name == "required":
            # Also where another field makes it so.
            keyword = "required"
        elif error.kind.name == "propertyNames":
            keyword, names = "propertyNames", (str(error.kind.error.instance),)
        return [
            Violation(
                path=tuple(error.instance_path),
                keyword=keyword,
                message=error.message,
                limit=limit,
                names=names,
                given=_shorten(error.instance) if keyword == "pattern" and _is_open(around) else "",
            )
        ]


def _is_open(schema: Any) -> bool:
    is_secret = isinstance(schema, dict) and (schema.get("writeOnly") is True or schema.get("format") == "password")
    return isinstance(schema, dict) and not is_secret


def _shorten(value: str) -> str:
    return value if len(value) <= _GIVEN else f"{value[:_GIVEN]}…"


def format_rule(keyword: str, limit: JsonValue) -> str:
    """A rule of a schema as YAML has it, shortened."""
    shown = limit if isinstance(limit, str) else json.dumps(limit, ensure_ascii=False)
    return keyword if limit is None else f"{keyword}: {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'}"


def _not_a_schema(error: Any) -> NotASchemaError:
    limit = error.kind.value
    if isinstance(limit, Exception):
        return NotASchemaError(tuple(error.instance_path), _broken_reference(limit))
    if error.kind.name in ("anyOf", "oneOf"):
        limit = None  # The errors of every way, which would take pages.
    elif error.kind.name == "type" and len(limit) == 1:
        limit = limit[0]
    return NotASchemaError(tuple(error.instance_path), format_rule(error.kind.name, limit))


def _broken_reference(error: Exception) -> str:
    # The library puts what it looked for into quotes.
    return format_rule("$ref", str(error).partition("'")[2].partition("'")[0])


def compile_schema(schema_text: str) -> Schema:
    """The compiled form of a schema given as JSON text; short ones are cached for the next call."""
    return _compile_cached(schema_text) if len(schema_text) <= 20_000 else Schema(json.loads(schema_text))


@lru_cache(maxsize=512)
def _compile_cached(schema_text: str) -> Schema:
    return Schema(json.loads(schema_text))


def find_schema_mistakes(schema_text: str) -> list[NotASchemaError]:
    """Everything that keeps a JSON text from being a schema, at once."""
    try:
        compile_schema(schema_text)
    except NotASchemaError as first:
        # The library stops at the first mistake; the schema of schemas tells all of them.
        errors = _schema_of_schemas().iter_errors(json.loads(schema_text))
        return [_not_a_schema(error) for error in errors] or [first]
    return []


@cache
def _schema_of_schemas() -> Any:
    import jsonschema_rs  # noqa: PLC0415  as above

    return jsonschema_rs.Draft202012Validator({"$ref": DIALECT}, validate_formats=True)


def compile_pattern(pattern: str, *, largest_program: int) -> Callable[[str], bool]:
    """Tells of a text whether the regular expression matches anywhere in it, in time linear in the text.

    ValueError where the expression is broken, has look-around or back references, or compiles to more bytes.
    """
    import jsonschema_rs  # noqa: PLC0415  as above

    options = jsonschema_rs.RegexOptions(size_limit=largest_program, dfa_size_limit=largest_program * 4)
    try:
        validator = jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options)
    except (jsonschema_rs.ValidationError, UnicodeError) as error:
        raise ValueError(pattern) from error
    return validator.is_valid


def _refuse_to_fetch(address: str) -> Any:
    # A schema is a stranger's text: a $ref must not make this program read files or call servers.
    message = f"references outside the schema are not followed: {address}"
    raise ValueError(message)


def ask_library(ask: Callable[[JsonValue], Any], value: JsonValue) -> Any:
    """What the library says about a value, also about one with half a character in it, which it cannot read."""
    try:
        return ask(value)
    except UnicodeEncodeError:
        return ask(value_without_surrogates(value))


def find_meant_branch(error: Any) -> list[Any]:
    """The errors of the one way that all its constants and its type speak for; empty where there is no such one."""
    branches = getattr(error.kind, "context", None) if error.kind.name in ("oneOf", "anyOf") else None
    possible = [each for each in branches or [] if not any(_is_another_way(inner, error) for inner in each)]
    return possible[0] if len(possible) == 1 else []


def _is_another_way(inner: Any, outer: Any) -> bool:
    keyword = inner.schema_path[-1]
    return keyword in ("const", "enum") or (keyword == "type" and inner.instance_path == outer.instance_path)


# --- the defaults of properties inside a schema


_REFERRED_TO = ("$id", "$schema", "$defs", "definitions", "properties")
_Names = tuple[str, ...]


def find_wrong_defaults(schema: Mapping[str, Any]) -> Iterator[tuple[_Names, Violation]]:
    """The defaults of properties, at any depth, that their own schemas refuse: the names on the way, and why."""
    inner = {names: each for names, each in _find_inner_schemas(schema) if each.get("default") is not None}
    if not inner:
        return
    # In a list each has a place of its own, and what the whole says about an object does not matter.
    referred = {key: schema[key] for key in _REFERRED_TO if key in schema}
    try:
        violations = Schema({**referred, "prefixItems": [*inner.values()]}).violations(
            [each["default"] for each in inner.values()]
        )
    except NotASchemaError:
        return  # A reference leads to another part of the whole.
    first = {violation.path[0]: violation for violation in reversed(violations)}
    yield from ((names, first[place]) for place, names in enumerate(inner) if place in first)


def _find_inner_schemas(schema: Mapping[str, Any], before: _Names = ()) -> Iterator[tuple[_Names, dict[str, Any]]]:
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict):
            yield (*before, name), each
            yield from _find_inner_schemas(each, (*before, name))


def drop_null_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """``default: null`` is how people write that there is none, unless null is one of the values."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    inner = {name: drop_null_defaults(each) if isinstance(each, dict) else each for name, each in properties.items()}
    for name, each in inner.items():
        if isinstance(each, dict) and each.get("default", "") is None and not _takes_null(each):
            inner[name] = {key: value for key, value in each.items() if key != "default"}
    return {**schema, "properties": inner}


def _takes_null(schema: dict[str, Any]) -> bool:
    """Whether null is one of the values; where only the whole schema tells, it may be."""
    try:
        return Schema(schema).accepts(None)
    except NotASchemaError:
        return True  # A reference leads to another part of the whole.
