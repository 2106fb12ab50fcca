"""Where a connection may lead: to public addresses, however they are written or wrapped, and to hosts allowed by name.

The lists are our own: those of Python's ``ipaddress`` differ between versions and miss the addresses at which
cloud machines hand out their secrets.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from paperagents.patterns import late_pattern

Address: TypeAlias = IPv4Address | IPv6Address

_CLOSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, and a cloud's metadata at 100.100.100.200
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's platform service
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, and a cloud's metadata at 192.0.0.192
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_OPEN_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_NUMBER = late_pattern(r"[0-9]+|0x[0-9a-f]*")
_ISATAP_MARKS = (0x00005EFE, 0x02005EFE)


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, may be connected to without being allowed by name."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return all(is_open(each) for each in unwrap(parsed))


def is_open(address: Address) -> bool:
    """Whether no list closes this very address."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    return address in _OPEN_V6 and not any(address in network for network in _CLOSED_V6)


def unwrap(address: Address) -> list[Address]:
    """The addresses a packet may really reach: those wrapped inside, else the address itself."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address in _NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP_MARKS:
        return [address, IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address]


def is_allowed(host: str, port: int, allowed_hosts: Iterable[str]) -> bool:
    """Whether the settings name this host: with a port only that one, without a port every one."""
    wanted = normalize_host(host)
    return any(
        normalize_host(name) == wanted and allowed_port in (None, port)
        for name, allowed_port in map(split_port, allowed_hosts)
    )


def leads_inside(entry: str, allowed_hosts: Iterable[str]) -> bool:
    """Whether a host name, perhaps with a port, stands for an address that must be allowed by name, and is not.

    An address in numbers says plainly where it leads; a name that nobody knows leads nowhere.
    """
    written, port = split_port(entry)
    if is_allowed(written, port or 0, allowed_hosts):
        return False
    name = normalize_host(written)
    try:
        ip_address(name)
    except ValueError:
        pass
    else:
        return False
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(address[0])) for *_, address in found)


def split_port(entry: str) -> tuple[str, int | None]:
    """``name``, ``name:port``, ``[address]:port`` or a bare address with colons of its own."""
    name, separator, port = entry.strip().rpartition(":")
    if separator and port.isdecimal() and (":" not in name or name.endswith("]")):
        return name, int(port)
    return entry.strip(), None


def normalize_host(host: str) -> str:
    """One spelling per host: case, brackets, a final dot, letters beyond ASCII, and the many forms of an address."""
    name = host.removeprefix("[").removesuffix("]").removesuffix(".").lower()
    if not name.isascii():
        import httpx2  # noqa: PLC0415  half of what a small run would load, for a name that few hosts have

        with suppress(httpx2.InvalidURL):
            name = httpx2.URL(scheme="http", host=name).raw_host.decode("ascii").removesuffix(".")
    with suppress(ValueError):
        return str(ip_address(name))
    if _IPV4_NUMBER.fullmatch(name.rpartition(".")[2]):
        # ``127.1`` and ``0x7f000001``, as the system's resolver reads them.
        with suppress(OSError):
            return socket.inet_ntoa(socket.inet_aton(name))
    return name
