from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.http.addresses import is_public, leads_inside

CLOSED = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::1",
    "2001:db8::1", "2001:10::1", "2001:20::1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
    "2002:c0a8:101::1", "3fff::1",
    "5f00::1", "fc00::1", "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
    "2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a00:1", "4000::1",
    "", "localhost", "127.1", "1.2.3.4.5",
]  # fmt: skip
OPEN = [
    "8.8.8.8", "1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.1.1", "198.20.0.1",
    "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_addresses_that_are_not_on_the_public_internet_are_closed(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OPEN)
def test_public_addresses_are_open(address: str) -> None:
    assert is_public(address)


@given(number=st.integers(0, 2**32 - 1))
def test_wrapping_an_address_never_opens_it(number: int) -> None:
    plain = is_public(str(IPv4Address(number)))
    mapped = IPv6Address((0xFFFF << 32) | number)
    nat64 = IPv6Address((0x64FF9B << 96) | number)
    six_to_four = IPv6Address((0x2002 << 112) | (number << 80))
    assert {is_public(str(each)) for each in (mapped, nat64, six_to_four)} == {plain}


@given(number=st.integers(0, 2**32 - 1))
def test_what_the_standard_library_calls_private_is_closed(number: int) -> None:
    address = IPv4Address(number)
    if not address.is_global or address.is_multicast:
        assert not is_public(str(address)) or address in (IPv4Address("192.0.0.9"), IPv4Address("192.0.0.10"))


@pytest.mark.parametrize(
    ("entry", "allowed", "inside"),
    [
        ("localhost", (), True),
        ("localhost:8080", (), True),
        ("LOCALHOST.", (), True),
        ("localhost:8080", ("localhost",), False),
        ("localhost:8080", ("localhost:8080",), False),
        ("localhost:8080", ("localhost:9090",), True),
        ("127.0.0.1:8080", (), False),
        ("[::1]:8080", (), False),
        ("nobody.invalid", (), False),
    ],
)
def test_a_name_that_leads_inside_must_be_allowed_by_name(
    entry: str, allowed: tuple[str, ...], *, inside: bool
) -> None:
    assert leads_inside(entry, allowed) == inside
