"""What is asked of a web server and what it answers, as plain values.

Light on purpose: to ask whether a method changes something, nobody has to load the HTTP library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from paperagents.definitions.builtin import READING_METHODS
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")


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

    def answer(self) -> JsonObject:
        """What ``rest_request`` gives."""
        return {
            "status": self.status,
            "headers": dict(self.headers),
            "body": self.body,
            "json": self.json,
            "ok": self.ok,
        }


def normalised_method(method: str) -> str:
    """The method as it is sent: ``" post "`` becomes ``POST``."""
    stripped = method.strip()
    # Tunnels are no requests. The check comes before upper(), which would turn "optıons" into OPTIONS.
    if not _TOKEN.fullmatch(stripped) or stripped.upper() == "CONNECT":
        raise ToolError("method-invalid", method=ascii(method))
    return stripped.upper()


def is_changing(method: str) -> bool:
    """Whether a request may change something: every method but GET, HEAD and OPTIONS."""
    try:
        return normalised_method(method) not in READING_METHODS
    except ToolError:
        return True


def is_token(name: str) -> bool:
    """Whether this can be the name of a header."""
    return _TOKEN.fullmatch(name) is not None
