"""Bodies of requests and answers: values to bytes, bytes to text and JSON."""

from __future__ import annotations

import codecs
import json
import math
import re

from paperagents.builtin_tools.sentence import Sentence
from paperagents.calls.json_arguments import is_too_deep
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.surrogates import value_without_surrogates
from paperagents.errors import ToolError

_MOST_VALUES = 2_000_000  # ten megabytes of "[]," would become a gigabyte of lists
# Text encodings only: Python also "decodes" punycode and the like, in quadratic time.
_ENCODINGS = re.compile(
    r"utf-(?:8|16|32)(?:-[bl]e)?|ascii|iso8859-\d+|cp\d+|gb\w+|big5\w*|shift_jis\w*|euc_\w+|koi8-\w|mac-\w+|hz|johab"
)
_TEXT_TYPES = re.compile(r"text/|.*(?:json|xml|javascript|ecmascript|yaml|csv|x-www-form-urlencoded)")
_JSON_TYPE = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?json")
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def encoded_body(body: JsonValue, limit: int) -> tuple[bytes, str | None]:
    """The bytes of a request's body and their type: text stays text, everything else becomes JSON."""
    if body is None:
        return b"", None
    kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
    try:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, allow_nan=False)
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("body-invalid", reason=Sentence(key="body-half-character")) from None
    except (ValueError, TypeError, RecursionError):
        raise ToolError("body-invalid", reason=Sentence(key="body-not-json")) from None
    if len(content) > limit:
        raise ToolError("body-invalid", reason=Sentence(key="body-too-large", values={"limit": limit}))
    return content, kind


def decoded_body(content: bytes, content_type: str) -> str:
    """The text of an answer; of one that is no text, a line that says so."""
    kind, encoding = _kind_and_encoding(content_type)
    is_declared_text = not kind or _TEXT_TYPES.match(kind) is not None
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode(encoding, "replace") if is_declared_text else "\0"
    if "\0" in text[:8192] and not (kind and is_declared_text):
        return f"[binary {kind or 'content'}, {len(content)} bytes]"
    return text.removeprefix("\ufeff")


def parsed_json(text: str, content_type: str) -> tuple[JsonValue, bool]:
    """The JSON of an answer and whether it is any; servers forget the type, so looks count too."""
    kind, _ = _kind_and_encoding(content_type)
    if not _JSON_TYPE.fullmatch(kind) and text.lstrip()[:1] not in ("{", "["):
        return None, False
    if sum(map(text.count, "[{,")) > _MOST_VALUES:
        return None, False
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        if _HALF_CHARACTER.search(text):
            value = value_without_surrogates(value)
    except (ValueError, RecursionError):
        return None, False
    return (None, False) if is_too_deep(value, text) else (value, True)


def _kind_and_encoding(content_type: str) -> tuple[str, str]:
    kind = content_type.partition(";")[0].strip().lower()
    charset = _CHARSET.search(content_type[:1000])
    return kind, _known_encoding(charset[1] if charset else "")


def _known_encoding(charset: str) -> str:
    try:
        name = codecs.lookup(charset.strip()).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if _ENCODINGS.fullmatch(name) else "utf-8"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value
