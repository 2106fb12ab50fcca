"""What is asked of a web server and what it answers, as plain values.

Light on purpose: to ask whether a method changes something, nobody has to load the HTTP library.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import unquote_plus

from paperagents.calls.conversion import is_too_deep
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import value_without_surrogates
from paperagents.errors import ToolError
from paperagents.messages import Sentence
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods of HTTP by which nothing is changed."""
_CHANGING_METHODS = frozenset({
    "COPY", "DELETE", "LINK", "LOCK", "MERGE", "MKCOL", "MOVE", "PATCH", "POST", "PROPPATCH", "PURGE", "PUT", "UNLINK",
    "UNLOCK",
})  # fmt: skip
_OVERRIDES = frozenset({
    "httpmethod", "httpmethodoverride", "methodoverride", "xhttpmethod", "xhttpmethodoverride", "xmethod",
    "xmethodoverride",
})  # fmt: skip
"""Headers and parameters that some servers take for the real method, by their letters alone."""
_TOKEN = late_pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """One request as a tool asks for it."""

    url: str
    method: str = "GET"
    headers: Mapping[str, JsonValue] = field(default_factory=dict)
    body: JsonValue = None
    timeout: float | None = None
    """Seconds for everything together, redirects too; never more than the limits allow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpLimits:
    """How much time and space a request may take."""

    seconds: float = 30.0
    request_bytes: int = 16 * 1024 * 1024
    response_bytes: int = 10 * 1024 * 1024
    """Counted after decompression."""
    redirects: int = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpResponse:
    """A web server's answer."""

    status: int
    headers: Mapping[str, str]
    body: str
    json: JsonValue = None
    is_json: bool = False

    @property
    def ok(self) -> bool:
        """Whether the server did what it was asked."""
        return 200 <= self.status < 300

    def as_json(self) -> JsonObject:
        """What ``rest_request`` gives."""
        return {
            "status": self.status,
            "headers": dict(self.headers),
            "body": self.body,
            "json": self.json,
            "ok": self.ok,
        }


def normalize_method(method: str) -> str:
    """The method as it is sent: ``" post "`` becomes ``POST``."""
    stripped = method.strip()
    # Tunnels are no requests. The check comes before upper(), which would turn "optıons" into OPTIONS.
    if not _TOKEN.fullmatch(stripped) or stripped.upper() == "CONNECT":
        raise ToolError("method-invalid", method=ascii(method))
    return stripped.upper()


def is_changing(method: str) -> bool:
    """Whether a request may change something: every method but GET, HEAD and OPTIONS."""
    try:
        return normalize_method(method) not in READING_METHODS
    except ToolError:
        return True


def may_change(request: HttpRequest) -> bool:
    """Whether a request may change something: by its method, by naming another method on the side, or by a body."""
    return is_changing(request.method) or request.body not in (None, "") or names_other_method(request)


def names_other_method(request: HttpRequest) -> bool:
    """Whether it names a method on the side, which some servers take for the real one."""
    return has_method_parameter(request.url) or any(
        _letters(name) in _OVERRIDES for name, value in request.headers.items() if value is not None
    )


def has_method_parameter(url: str) -> bool:
    """Whether the query names a changing method, which some servers take for the real one: ``?_method=DELETE``."""
    pairs = (each.partition("=") for each in re.split("[&;]", url.partition("?")[2].partition("#")[0]))
    return any(
        _letters(unquote_plus(name)) in {*_OVERRIDES, "method"}
        and unquote_plus(value).strip().upper() in _CHANGING_METHODS
        for name, _, value in pairs
    )


def _letters(name: str) -> str:
    """The letters of a name alone: servers take ``X_HTTP_Method_Override`` for ``x-http-method-override``."""
    return re.sub("[^a-z]", "", name.lower())


def is_token(name: str) -> bool:
    """Whether this can be the name of a header."""
    return _TOKEN.fullmatch(name) is not None


# --- bodies: values to bytes, bytes to text and JSON


_MOST_VALUES = 2_000_000  # ten megabytes of "[]," would become a gigabyte of lists
# Text encodings only: Python also "decodes" punycode and the like, in quadratic time.
_ENCODINGS = late_pattern(
    r"utf-(?:8|16|32)(?:-[bl]e)?|ascii|iso8859-\d+|cp\d+|gb\w+|big5\w*|shift_jis\w*|euc_\w+|koi8-\w|mac-\w+|hz|johab"
)
_TEXT_TYPES = late_pattern(r"text/|.*(?:json|xml|javascript|ecmascript|yaml|csv|x-www-form-urlencoded)")
_JSON_TYPE = late_pattern(r"(?:application|text)/(?:[\w.+-]+\+)?json")
_CHARSET = late_pattern(r""";\s*charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HALF_CHARACTER = late_pattern(r"\\u[dD][89a-fA-F]")


def encode_body(body: JsonValue, limit: int) -> tuple[bytes, str | None]:
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


def decode_body(content: bytes, content_type: str) -> str:
    """The text of an answer; of one that is no text, a line that says so."""
    kind, encoding = split_content_type(content_type)
    is_declared_text = not kind or _TEXT_TYPES.match(kind) is not None
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode(encoding, "replace") if is_declared_text else "\0"
    if "\0" in text[:8192] and not (kind and is_declared_text):
        return f"[binary {kind or 'content'}, {len(content)} bytes]"
    return text.removeprefix("\ufeff")


def parse_json(text: str, content_type: str) -> tuple[JsonValue, bool]:
    """The JSON of an answer and whether it is any; servers forget the type, so looks count too."""
    kind, _ = split_content_type(content_type)
    if not _JSON_TYPE.fullmatch(kind) and text.lstrip()[:1] not in ("{", "["):
        return None, False
    if sum(map(text.count, "[{,")) > _MOST_VALUES:
        return None, False
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_finite)
        if _HALF_CHARACTER.search(text):
            value = value_without_surrogates(value)
    except (ValueError, RecursionError):
        return None, False
    return (None, False) if is_too_deep(value, text) else (value, True)


def split_content_type(content_type: str) -> tuple[str, str]:
    """The type of a body and its encoding: UTF-8 where none is named that is known and safe."""
    kind = content_type.partition(";")[0].strip().lower()
    charset = _CHARSET.search(content_type[:1000])
    try:
        encoding = codecs.lookup(charset[1] if charset else "utf-8").name
    except (LookupError, ValueError):
        encoding = "utf-8"
    return kind, encoding if _ENCODINGS.fullmatch(encoding) else "utf-8"


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _parse_finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value
