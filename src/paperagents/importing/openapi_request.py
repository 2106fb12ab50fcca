"""The request of an operation: the step that sends it, and the JavaScript that writes arguments as HTTP wants them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import quote

from paperagents.importing.openapi_document import mapping, sequence
from paperagents.importing.openapi_operations import FORM, MULTIPART, Argument, Operation
from paperagents.importing.openapi_schemas import Schema

_PART = """\
const part = value => {
  const text = encodeURIComponent(value);
  // An empty part, or one of dots, would lead to another place of the service.
  if (/^\\.{0,2}$/.test(text)) throw new Error(JSON.stringify(value) + " cannot be a part of the path.");
  return text;
};"""
_ENCODE = 'const encode = value => encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : value);'
_PAIR = (
    'const pair = (name, value) => value === undefined || value === null ? [] : [encode(name) + "=" + encode(value)];'
)
_READABLE = "const readable = text => text.replace(/%(?:2F|3A|3B|2C|3F|40|21|24|5B|5D)/g, decodeURIComponent);"
_HELPERS = {"part": _PART, "encode": _ENCODE, "pair": _PAIR, "readable": _READABLE}
_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
Shape = Literal["plain", "list", "object", "any"]


def write_step(operation: Operation) -> dict[str, Any]:
    """The call of ``rest_request``: secrets stand in it alone, so that no script sees them."""
    url = "{{preprocess.request.url}}" if _writes_url(operation) else operation.server + operation.path
    secrets = {
        place: [each for each in operation.secrets if each.way.place == place]
        for place in ("header", "query", "cookie")
    }
    if secrets["query"]:
        # The script ends the address so that something can follow.
        keys = "&".join(f"{quote(each.way.name, safe='')}={{{{env.{each.variable}}}}}" for each in secrets["query"])
        url += keys if _writes_url(operation) else f"?{keys}"
    headers = {"Accept": operation.accept}
    headers |= {each.way.name: f"{each.way.begins}{{{{env.{each.variable}}}}}" for each in secrets["header"]}
    headers |= {each.sent_as: f"{{{{preprocess.request.{name}}}}}" for name, each in _named_headers(operation).items()}
    cookies = "; ".join(f"{each.way.name}={{{{env.{each.variable}}}}}" for each in secrets["cookie"])
    if operation.arguments_in("cookie"):
        cookies += "{{preprocess.request.cookie}}"
    if cookies:
        headers["Cookie"] = cookies
    parameters: dict[str, Any] = {"url": url, "method": operation.method, "headers": headers}
    if operation.media_type:
        parameters["body"] = "{{preprocess.request.body}}" if _writes_body(operation) else "{{body}}"
        if operation.media_type == MULTIPART:
            headers["Content-Type"] = "{{preprocess.request.content_type}}"
        elif operation.media_type != "application/json" or _writes_body(operation):
            headers["Content-Type"] = operation.media_type
    return {"tool": "rest_request", "parameters": parameters}


def write_script(operation: Operation) -> str | None:
    """What is done before the request; None where the arguments go out as they are."""
    lines: list[str] = []
    fields: dict[str, str] = {}
    if _writes_url(operation):
        fields["url"] = _address(operation)
    for place, name in (("query", "query"), ("cookie", "cookies")):
        if pairs := [_pairs(each, _access(each.name)) for each in operation.arguments if each.place == place]:
            lines += [f"const {name} = [", *(f"  ...{each}," for each in pairs), "];"]
    if operation.arguments_in("cookie"):
        has_more = any(each.way.place == "cookie" for each in operation.secrets)
        fields["cookie"] = 'cookies.map(each => "; " + each).join("")' if has_more else 'cookies.join("; ") || null'
    fields |= {name: _header(each) for name, each in _named_headers(operation).items()}
    if _writes_body(operation):
        script, of_body = _body(operation)
        lines += script
        fields |= of_body
    if not fields:
        return None
    told = "".join(f"\n    {name}: {value}," for name, value in fields.items())
    code = "\n".join([*lines, f"return {{\n  request: {{{told}\n  }},\n}};"])
    helpers = [
        helper
        for word, helper in _HELPERS.items()
        if f"{word}(" in code or f"({word})" in code or (word == "encode" and "pair(" in code)
    ]
    return "\n".join(["// @preprocess", *helpers, code])


def _writes_url(operation: Operation) -> bool:
    return bool(operation.arguments_in("path") or operation.arguments_in("query"))


def _writes_body(operation: Operation) -> bool:
    """Whether the body is made by a script: forms, and JSON that may be a text, which would go out bare."""
    body = operation.arguments_in("body")
    is_text = bool(body) and shape_of(body[0].schema) in ("plain", "any")
    return operation.media_type in (FORM, MULTIPART) or (is_text and "json" in operation.media_type)


def _named_headers(operation: Operation) -> dict[str, Argument]:
    """The headers that are arguments, by what the script calls them."""
    names: dict[str, Argument] = {}
    for number, each in enumerate(operation.arguments_in("header"), 1):
        name = re.sub(r"[^a-z0-9]+", "_", each.sent_as.lower()).strip("_")
        is_free = name and name[0].isalpha() and name not in {*names, "url", "body", "cookie", "content_type"}
        names[name if is_free else f"header_{number}"] = each
    return names


def shape_of(schema: Schema) -> Shape:
    """What a value of the schema is written as: one text, a list, an object, or any of these."""
    kinds = set(_kinds(schema)) - {"null"}
    if kinds and kinds <= {"string", "number", "integer", "boolean"}:
        return "plain"
    return "list" if kinds == {"array"} else "object" if kinds == {"object"} else "any"


def _kinds(schema: Any) -> Iterator[str]:
    kind = mapping(schema).get("type")
    if kind is not None:
        yield from [kind] if isinstance(kind, str) else kind
    elif branches := [each for key in ("anyOf", "oneOf") for each in sequence(mapping(schema).get(key))]:
        for each in branches:
            yield from _kinds(each)
    elif "properties" in mapping(schema):
        yield "object"
    elif parts := sequence(mapping(schema).get("allOf")):
        yield from _kinds(parts[0])
    else:
        values = [*sequence(mapping(schema).get("enum")), *([schema["const"]] if "const" in mapping(schema) else [])]
        yield from ["string" if isinstance(each, str) else "any" for each in values] or ["any"]


# --- one argument


def _access(name: str, holder: str = "input") -> str:
    """How a script reads a value."""
    return f"{holder}.{name}" if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else f"{holder}[{to_literal(name)}]"


def _address(operation: Operation) -> str:
    by_name = {each.sent_as: each for each in operation.arguments_in("path")}
    pieces = re.split(r"\{([^{}]+)\}", operation.server + operation.path)
    parts = [
        _segment(by_name[piece]) if place % 2 else to_literal(piece) for place, piece in enumerate(pieces) if piece
    ]
    if any(each.way.place == "query" for each in operation.secrets):
        has_query = bool(operation.arguments_in("query"))
        parts.append('"?" + query.map(each => each + "&").join("")' if has_query else '"?"')
    elif operation.arguments_in("query"):
        parts.append('(query.length ? "?" + query.join("&") : "")')
    return " + ".join(parts)


def _segment(argument: Argument) -> str:
    """A part of the path."""
    value = _access(argument.name)
    if argument.is_json:
        return f"part(JSON.stringify({value}))"
    begins = {"label": ".", "matrix": ";"}.get(argument.style, "")
    between = (begins or ",") if argument.explode else ","
    name = f"{argument.sent_as}=" if argument.style == "matrix" else ""
    shape = shape_of(argument.schema)
    if shape == "plain":
        return f"{to_literal(begins + name)} + part({value})" if begins else f"part({value})"
    if shape == "object":
        equals = "=" if argument.explode else ","
        listed = f'Object.entries({value}).map(each => each.map(part).join("{equals}")).join("{between}")'
        name = "" if argument.explode else name
    elif argument.style == "matrix" and argument.explode:
        return f'[{value}].flat().map(each => {to_literal(begins + name)} + part(each)).join("")'
    else:
        listed = f'{value if shape == "list" else f"[{value}].flat()"}.map(part).join("{between}")'
    return f"{to_literal(begins + name)} + {listed}" if begins else listed


def _pairs(argument: Argument, value: str) -> str:
    """The pairs of name and value, as a list."""
    name, shape = to_literal(argument.sent_as), shape_of(argument.schema)
    begins = to_literal(f"{argument.sent_as}=")
    delimiter = _DELIMITERS.get(argument.style, ",")
    if argument.is_json:
        return f"pair({name}, {value} && JSON.stringify({value}))"
    if shape == "object" and argument.style == "deepObject":
        inside = f'pair({name} + "[" + name + "]", each)'
        pairs = f"Object.entries({value} ?? {{}}).flatMap(([name, inner]) => [inner].flat().flatMap(each => {inside}))"
    elif shape == "object" and argument.explode:
        pairs = f"Object.entries({value} ?? {{}}).flatMap(([name, each]) => pair(name, each))"
    elif shape == "object":
        pairs = f'({value} ? [{begins} + Object.entries({value}).flat().map(encode).join("{delimiter}")] : [])'
    elif shape == "plain":
        pairs = f"pair({name}, {value})"
    elif argument.explode:
        listed = f"({value} ?? [])" if shape == "list" else f"[{value}].flat()"
        pairs = f"{listed}.flatMap(each => pair({name}, each))"
    else:
        pairs = f'({value} ? [{begins} + [{value}].flat().map(encode).join("{delimiter}")] : [])'
    return f"{pairs}.map(readable)" if argument.keeps_reserved else pairs


def _header(argument: Argument) -> str:
    value, shape = _access(argument.name), shape_of(argument.schema)
    if argument.is_json:
        return f"{value} === undefined ? null : JSON.stringify({value})"
    if shape == "plain":
        return f"{value} ?? null"
    if shape == "object":
        equals = "=" if argument.explode else ","
        return f'{value} ? Object.entries({value}).map(each => each.join("{equals}")).join(",") : null'
    return f'{value} === undefined ? null : [{value}].flat().join(",")'


# --- bodies


def _body(operation: Operation) -> tuple[list[str], dict[str, str]]:
    """The lines that write the body, and what of the request they make."""
    if operation.media_type == FORM:
        return _form(operation), {"body": 'fields.join("&")'}
    if operation.media_type == MULTIPART:
        whole = 'parts.join("") + "--" + boundary + "--\\r\\n"'
        kind = '"multipart/form-data; boundary=" + boundary'
        return _multipart(operation), {"body": whole, "content_type": kind}
    return [], {"body": "input.body === undefined ? null : JSON.stringify(input.body)"}


def _form(operation: Operation) -> list[str]:
    """The fields of a form; those whose encoding the document describes are written by it."""
    (body,) = operation.arguments_in("body")
    properties = mapping(body.schema.get("properties"))
    own: dict[str, Argument] = {}
    for name, each in operation.encoding.items():
        style, explode = str(mapping(each).get("style", "form")), mapping(each).get("explode")
        explode = explode if isinstance(explode, bool) else style in ("form", "deepObject")
        if style != "form" or not explode:
            schema = dict(mapping(properties.get(name)))
            own[name] = replace(body, sent_as=name, schema=schema, style=style, explode=explode)
    others = f".filter(([name]) => !{to_literal(list(own))}.includes(name))" if own else ""
    listed = "[value].flat().flatMap(each => pair(name, each))"
    return [
        "const body = input.body ?? {};",
        "const fields = [",
        f"  ...Object.entries(body){others}.flatMap(([name, value]) => {listed}),",
        *(f"  ...{_pairs(each, _access(name, 'body'))}," for name, each in own.items()),
        "];",
    ]


def _multipart(operation: Operation) -> list[str]:
    (body,) = operation.arguments_in("body")
    properties = mapping(body.schema.get("properties"))
    files = [name for name, each in properties.items() if _is_file(each) or _is_file(mapping(each).get("items"))]
    types = dict.fromkeys(files, "application/octet-stream")
    for name, each in operation.encoding.items():
        kind = str(mapping(each).get("contentType", "")).partition(",")[0].strip()
        if re.fullmatch(r"[\w.+-]+/[\w.+-]+(?:; ?charset=[\w-]+)?", kind):
            types[name] = kind
    return [
        'const boundary = "paper-" + context.random_id;',
        f"const files = {to_literal(files)};",
        f"const types = {to_literal(types)};",
        "const parts = Object.entries(input.body ?? {}).flatMap(([name, value]) => [value].flat().map(each => {",
        '  const isObject = typeof each === "object" && each !== null;',
        '  const type = types[name] ?? (isObject ? "application/json" : "");',
        '  const quoted = JSON.stringify(name.replace(/["\\r\\n\\\\]/g, encodeURIComponent));',
        '  const file = files.includes(name) ? "; filename=" + quoted : "";',
        '  const head = "Content-Disposition: form-data; name=" + quoted + file;',
        '  const lines = ["--" + boundary, head, ...(type ? ["Content-Type: " + type] : [])];',
        '  return [...lines, "", isObject ? JSON.stringify(each) : each ?? "", ""].join("\\r\\n");',
        "}));",
    ]


def _is_file(schema: Any) -> bool:
    """Whether a field of a form is the content of a file."""
    found = mapping(schema)
    return found.get("format") == "binary" or "contentMediaType" in found or found.get("contentEncoding") == "binary"


def to_literal(value: Any) -> str:
    """A value of JavaScript in which no placeholder can stand."""
    return json.dumps(value, ensure_ascii=True).replace("{{", "{\\u007b")
