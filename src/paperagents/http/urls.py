"""Web addresses: the one parser, from the preview over rules to the socket.

What a person is shown, what a rule compares and where a request goes are the same text. Whatever could be read in two
ways is brought to one spelling here, or refused.
"""

from __future__ import annotations

import re

import httpx2

from paperagents.errors import ToolError
from paperagents.http.addresses import normalize_host
from paperagents.messages import Sentence

_LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
# What ends in a number is an address, or nothing.
_HOST = re.compile(rf"(?:{_LABEL}\.)*(?!(?:\d+|0x[0-9a-f]*)\Z){_LABEL}|\d+\.\d+\.\d+\.\d+|[0-9a-f:.]*:[0-9a-f:.]*")
_LONGEST_HOST = 253


def parse_url(text: str) -> httpx2.URL:
    """A web address in its one spelling, which names a host and nothing secret. Raises ToolError."""
    try:
        url = httpx2.URL(text.strip())
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise url_invalid(text, "url-unreadable") from None
    if url.scheme not in ("http", "https"):
        raise url_invalid(text, "url-scheme")
    host = normalize_host(url.raw_host.decode("ascii"))
    if len(host) > _LONGEST_HOST or not _HOST.fullmatch(host) or not 0 < port_of(url) < 65536:
        raise url_invalid(text, "url-host")
    if url.userinfo:
        raise ToolError("url-credentials", host=host)
    # What stands behind # is never sent.
    return url.copy_with(host=host, fragment=None)


def url_invalid(text: str, reason: str) -> ToolError:
    """The error for an address that cannot be used, without the parts that may be secret."""
    shown = re.sub(r"//[^/?#]*@", "//", text).partition("?")[0][:200]
    return ToolError("url-invalid", url=shown, reason=Sentence(key=reason))


def authority_of(url: httpx2.URL) -> str:
    """The host with its port, also where the address leaves that out."""
    return url.copy_with(port=None).netloc.decode("ascii") + f":{port_of(url)}"


def port_of(url: httpx2.URL) -> int:
    """The port, also where the address leaves it out."""
    if url.port is None:
        return 443 if url.scheme == "https" else 80
    return url.port
