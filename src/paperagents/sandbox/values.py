"""The border between Python and JavaScript: the one place that decides what may cross it.

Into JavaScript goes ASCII JSON text. Whole numbers beyond 2**53 go as they are and lose digits there, as
everywhere in JavaScript, and come back with the digits JavaScript prints; an identifier of that size
belongs in a text. Out of it comes JSON text whose
refusals (NaN, BigInt, functions, cycles, …) were decided in ``javascript/prelude.js``. What comes out is
never trusted: a worker that was taken over may send anything, so size, depth and number of values are
bounded before anything is built from it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any, Literal, cast

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import has_surrogates
from paperagents.errors import SandboxError
from paperagents.patterns import late_pattern
from paperagents.sandbox.failures import Phrase, path_text

MAX_DEPTH = 200
MAX_CONTAINERS = 1_000_000
MAX_INPUT_BYTES = 64 << 20

_STRINGS_AND_BRACKETS = late_pattern(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_PERHAPS_NOT_FINITE = late_pattern(r"[eE]\+?\d{3}|\d{300}")
_PERHAPS_HALF_CHARACTER = late_pattern(r"\\u[dD][89a-fA-F]")


def to_json(value: JsonValue, root: str) -> str:
    """The ASCII JSON text of a value on its way into JavaScript; root is how an error names it."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise _refusal_of(value, root) from None
    if len(text) > MAX_INPUT_BYTES:
        raise SandboxError("sandbox-input", path=root, limit=MAX_INPUT_BYTES >> 20)
    if _PERHAPS_NOT_FINITE.search(text) or text.count("[") + text.count("{") > MAX_DEPTH:
        _walk(value, [], root)
    return text


def from_json(body: bytes) -> JsonValue:
    """A value from the bytes of an untrusted worker; ValueError where they are not what an honest one sends."""
    _bound(body)
    text = body.decode("utf-8")
    value = json.loads(text, parse_constant=_refuse_constant)
    if _PERHAPS_NOT_FINITE.search(text):
        _walk(value, [], "data")
    return cast("JsonValue", value)


def check_characters(value: JsonValue, body: bytes) -> None:
    """Refuse half characters: no file, database or terminal could take them later on."""
    if _PERHAPS_HALF_CHARACTER.search(body.decode("utf-8")):
        _walk(value, [], "data", check_text=True)


def check_size(value: JsonValue, body: bytes, *, most: int) -> None:
    """Refuse what is larger as UTF-8 than it may be: the engine itself counts characters. Raises TooMuchError."""
    if len(body) > most and len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > most:
        raise TooMuchError(most)


def _bound(body: bytes) -> None:
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return
    depth = containers = 0
    for match in _STRINGS_AND_BRACKETS.finditer(body):
        mark = match[0][:1]
        if mark in b"[{":
            depth, containers = depth + 1, containers + 1
            # The worker's own envelope is one level around the value.
            if depth > MAX_DEPTH + 8 or containers > MAX_CONTAINERS:
                raise TooMuchError(containers)
        elif mark in b"]}":
            depth -= 1


class TooMuchError(ValueError):
    """More levels or more values than anything honest needs."""


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _refusal_of(value: object, root: str) -> SandboxError:
    try:
        _walk(value, [], root)
    except SandboxError as error:
        return error
    return _refusal(root, Phrase("value-not-json", type=type(value).__name__))


def _refusal(path: str, problem: Phrase) -> SandboxError:
    return SandboxError("sandbox-value", details={"path": path}, path=path, problem=problem)


def _walk(value: object, path: list[str | int], root: str, *, check_text: bool = False) -> None:
    """Find what cannot cross, with its path."""
    problem = _problem_of(value, check_text=check_text)
    if len(path) > MAX_DEPTH:
        problem = Phrase("value-depth", depth=MAX_DEPTH)
    if problem:
        raise _refusal(path_text(root, path), problem)
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    for key, item in items:
        if isinstance(value, dict) and (found := _problem_of_key(key, check_text=check_text)):
            raise _refusal(path_text(root, [*path, str(key)]), found)
        _walk(item, [*path, key], root, check_text=check_text)


def _problem_of(value: object, *, check_text: bool) -> Phrase | None:
    match value:
        case None | bool() | dict() | list() | tuple():
            return None
        case str():
            return Phrase("value-half-character") if check_text and has_surrogates(value) else None
        case int():
            return Phrase("value-not-finite", name="Infinity") if abs(value) >= 10**308 else None
        case float():
            name = "NaN" if math.isnan(value) else "Infinity"
            return None if math.isfinite(value) else Phrase("value-not-finite", name=name)
    return Phrase("value-not-json", type=type(value).__name__)


def _problem_of_key(key: object, *, check_text: bool) -> Phrase | None:
    if not isinstance(key, str):
        return Phrase("value-not-json", type=type(key).__name__)
    return Phrase("value-half-character") if check_text and has_surrogates(key) else None


# --- a JavaScript file that is a module of its own, made into a block that the sandbox can run


LOADER = "loadx_"
"""What ``import`` is called in the file as it is run; as long as that word, so that columns stay true."""
Packages = Literal["none", "pretended", "real"]
"""What a file gets that asks for a package: an error, something that stands in for it, or the package."""

_GLOBALS = " Object.assign(globalThis, { importx: load_, loadModule: load_ });"
_LOADERS: dict[Packages, str] = {
    "none": (
        "const refuse_ = name => { throw new Error(`Cannot load '${name}': "
        "only packages that getDependencies() declares can be loaded`); };"
        f" const load_ = async name => refuse_(name), {LOADER} = load_;{_GLOBALS}"
    ),
    # While a file is only asked about itself, a package it loads at its top is anything it wants.
    "pretended": (
        "const stand_in_ = new Proxy(function () {}, { get: (_, key) => key === 'then' ? undefined"
        " : key === Symbol.toPrimitive ? () => '' : key === 'prototype' ? {} : stand_in_,"
        " set: () => true, apply: () => stand_in_, construct: () => stand_in_ });"
        f" const refuse_ = () => stand_in_, load_ = async () => stand_in_, {LOADER} = load_;{_GLOBALS}"
    ),
    # The process gives these names itself, and the globals.
    "real": f"const refuse_ = require_, {LOADER} = import_;",
}
_BEFORE = " const module_ = { exports: {} }; await (async function (module, exports, require) {\n"
_AFTER = (
    "\n}).call(module_.exports, module_, module_.exports, refuse_);"
    " const named_ = module_.exports?.default && !module_.exports.execute;"
    " const exported_ = named_ ? module_.exports.default : module_.exports;"
    " const made_of_ = typeof exported_ === 'function' ? new exported_() : exported_;"
    # A frozen object could not be given its api.
    " const frozen_ = typeof made_of_ === 'object' && made_of_ && !Object.isExtensible(made_of_);"
    " const tool = frozen_ ? Object.create(made_of_) : made_of_;"
    " if (typeof tool !== 'object' || tool === null) throw new TypeError('module.exports is not an object');\n"
)


def with_module(source: Excerpt, then: str, packages: Packages = "none") -> Excerpt:
    """The file evaluated, then more code that sees what it exports as ``tool``. Its lines keep their numbers."""
    text = f"{_LOADERS[packages]}{_BEFORE}{source.text}{_AFTER}{then}"
    return replace(source, text=text, line=source.line - 1, last_line=source.text.count("\n") + 1)
