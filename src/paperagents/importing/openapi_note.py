"""The tool note of an operation: readable YAML, the request, and what of the document could not be carried over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from paperagents.definitions.text import slug, without_surrogates
from paperagents.definitions.tool import TYPES
from paperagents.importing.openapi_document import Document
from paperagents.importing.openapi_examples import accepts, make_example
from paperagents.importing.openapi_operations import Argument, Operation
from paperagents.importing.openapi_request import write_script, write_step
from paperagents.importing.openapi_schemas import Schema
from paperagents.messages import text

MOST_LOSSES = 20
_PLAIN = re.compile(r"[A-Za-z](?:[\w ./()'+@-]*[\w./()'+@])?", re.ASCII)
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
_SHORT = 100
_MARKS = re.compile(r"([\\`*_\[\]<>#{}|])")


def category(document: Document) -> str:
    """The service as one word."""
    return slug(document.title) or "api"


def write_note(operation: Operation, document: Document, *, plain: bool = False) -> str:
    """The whole note; ``plain`` leaves out what a schema says beyond types, and the example."""
    script = write_script(operation)
    title = _MARKS.sub(r"\\\1", operation.name)
    lost = "\n".join(
        f"- {text(f'openapi.lost.{loss}', what=_quote(what))}" for loss, what in operation.losses[:MOST_LOSSES]
    )
    blocks = [
        f"---\n{write_yaml(frontmatter(operation, document, plain=plain))}\n---",
        f"# {title}",
        f"{operation.method} `{operation.server}{operation.path}`",
        *([f"```javascript\n{script}\n```"] if script else []),
        f"```yaml\n{write_yaml(write_step(operation))}\n```",
        "```javascript\n// @postprocess\nreturn output.json ?? output.body;\n```",
        *([f"{text('openapi.lost')}\n\n{lost}"] if lost else []),
    ]
    return "\n\n".join(blocks) + "\n"


def frontmatter(operation: Operation, document: Document, *, plain: bool) -> dict[str, Any]:
    """The definition of the tool."""
    host = urlsplit(operation.server).netloc
    variables = [
        {"name": each.variable, "type": "string", "service": host,
         "description": text("openapi.basic" if each.way.begins == "Basic " else "openapi.key", service=document.title)}
        for each in operation.secrets
    ]  # fmt: skip
    example = None if plain else make_example(operation)
    return {
        "tool": True,
        "id": operation.id,
        "name": operation.name,
        "description": operation.description,
        "category": category(document),
        **(
            {"parameters": [parameter(each, plain=plain) for each in operation.arguments]}
            if operation.arguments
            else {}
        ),
        **({"environment": variables} if variables else {}),
        **({"examples": [example]} if example else {}),
    }


def parameter(argument: Argument, *, plain: bool) -> dict[str, Any]:
    """An argument as ``parameters`` of a note have it."""
    schema = complete_type(argument.schema)
    if plain:
        schema = {"type": schema.get("type", ANY_TYPE)}
    required, rest = schema.get("required"), {key: each for key, each in schema.items() if key != "required"}
    if "default" in rest and not accepts({key: rest[key] for key in rest if key != "default"}, rest["default"]):
        del rest["default"]
    rest.pop("description", None)
    head = {"name": argument.name, **{key: rest.pop(key) for key in ("type",) if key in rest},
            "description": argument.description}  # fmt: skip
    if not argument.required:
        head["required"] = False
        if required:
            # A list here would make the argument itself a required one.
            rest["allOf"] = [*rest.get("allOf", []), {"required": required}]
    elif required:
        head["required"] = required
    return {**head, **rest}


ANY_TYPE = [*(each for each in TYPES if each != "integer"), "null"]


def complete_type(schema: Schema) -> Schema:
    """The schema with a type, which every parameter has that does not list what it can be."""
    if {"type", "enum", "const", "oneOf", "anyOf", "allOf"} & set(schema):
        return schema
    kinds = {"object": ("properties", "required", "additionalProperties", "patternProperties"),
             "array": ("items", "prefixItems", "minItems", "maxItems"), "string": ("pattern", "minLength", "maxLength"),
             "number": ("minimum", "maximum", "multipleOf")}  # fmt: skip
    kind: Any = next((kind for kind, keys in kinds.items() if set(keys) & set(schema)), ANY_TYPE)
    return {"type": kind, **schema}


def _quote(what: str) -> str:
    """A piece of the document inside a line of the note."""
    return "`" + "".join(each if each.isprintable() and each not in "`{}" else " " for each in what) + "`"


# --- YAML as a person would write it


def write_yaml(value: Any) -> str:
    """A value in block style; short lists in one line. Every text that could be anything else is in quotes."""
    return "\n".join(_lines(value, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _entry(f"{indent}{to_scalar(key)}:", each, indent)
    else:
        for each in value:
            if is_inline(each):
                yield f"{indent}- {to_scalar(each)}"
            else:
                first, *others = _lines(each, f"{indent}  ")
                yield f"{indent}- {first.lstrip(' ')}"
                yield from others


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if is_inline(value):
        yield f"{head} {to_scalar(value)}"
    else:
        yield head
        yield from _lines(value, f"{indent}  ")


def is_inline(value: Any) -> bool:
    """Whether it stands in one line: what has no parts, and lists of few short ones."""
    if not value or not isinstance(value, Mapping | list):
        return True
    return (
        isinstance(value, list)
        and not any(isinstance(each, Mapping | list) for each in value)
        and (len(json.dumps(value)) <= _SHORT)
    )


def to_scalar(value: Any) -> str:
    """A value in one line. JSON is YAML, but for lone surrogates, which no note can hold."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if isinstance(value, list):
        return f"[{', '.join(to_scalar(each) for each in value)}]"
    written = without_surrogates(json.dumps(value, ensure_ascii=False))
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in written)
