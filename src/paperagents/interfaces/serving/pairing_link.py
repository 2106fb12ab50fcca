"""The link that pairs a device when it is opened there, and the QR code that leads to it."""

from __future__ import annotations

import io
import socket
from urllib.parse import quote, urlsplit

from paperagents.agents.model import is_this_computer, origin_of
from paperagents.errors import PaperError, UsageError
from paperagents.http.messages import HttpLimits, HttpRequest

PATH = "/pair"
_NOWHERE = ("192.0.2.1", 9)
"""An address kept for documentation: no packet is sent there, the system only says from where it would be."""

_EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  nothing is opened here


def pairing_link(address: str, code: str) -> str:
    """What a device opens to be paired."""
    return f"{address}{PATH}?code={quote(code, safe='-')}"


def address_for_devices(own: str, port: int, *, is_reachable: bool) -> str | None:
    """Where other devices find a server that is reached at ``own`` from here; None where they cannot.

    An address that is not this computer's own works for others as it does here, also behind a proxy with encryption.
    """
    if (urlsplit(own).hostname or _EVERY_ADDRESS[0]) not in _EVERY_ADDRESS and not is_this_computer(own):
        return own
    found = network_address() if is_reachable else None
    return f"http://{found}:{port}" if found else None


def read_address(url: str) -> str:
    """Scheme, host and port of an address that somebody has typed. Raises UsageError where it is none."""
    try:
        return origin_of(url)
    except UsageError:
        raise UsageError("pairing-address", address=url[:200]) from None


def answers_devices(address: str) -> bool:
    """Whether a server of ours answers there, at an address that other devices can reach as well."""
    from paperagents.http.client import send_request  # noqa: PLC0415  needed when somebody pairs

    if is_this_computer(address):
        return False
    limits = HttpLimits(seconds=2.0, response_bytes=10_000, redirects=0)
    asked = HttpRequest(url=f"{address}/health")
    try:
        answer = send_request(asked, allowed_hosts=[urlsplit(address).netloc], limits=limits)
    except PaperError:
        return False
    return answer.json == {"alive": True}


def network_address() -> str | None:
    """The address of this computer in its network; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(_NOWHERE)
            address: str = asked.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith(("127.", "0.")) else address


def draw_svg(link: str) -> str:
    """A QR code as an element of a page, dark on white whatever the page looks like."""
    import segno  # noqa: PLC0415  needed when somebody pairs

    return segno.make_qr(link, error="m").svg_inline(border=4, light="#fff", omitsize=True)


def draw_terminal(link: str) -> str:
    """A QR code in half blocks, two rows to a line."""
    import segno  # noqa: PLC0415  as above

    drawn = io.StringIO()
    segno.make_qr(link, error="l").terminal(drawn, border=2, compact=True)
    return drawn.getvalue()
