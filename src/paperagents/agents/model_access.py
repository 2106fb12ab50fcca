"""Which server answers, under which name, with which key; and which key must not go there.

A vault may come from a stranger, and its settings may name any server. A key that the user has set, as a variable,
in their own settings or in the keyring, is meant for one server: it goes to that one, to this computer, and to no
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from paperagents.errors import UsageError
from paperagents.settings import Settings, load_settings

KEYRING = "paperagents"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAccess:
    """A server and the key for it."""

    base_url: str
    key: str | None = None

    def __repr__(self) -> str:
        return f"ModelAccess({self.base_url!r})"


def model_access(settings: Settings, vault: Path, environment: Mapping[str, str] | None = None) -> ModelAccess:
    """The server that the settings name. Raises UsageError where no key may be sent to it, or there is none."""
    found = _found(settings, vault, environment)
    return replace(found, key=_sendable(found.key, origin_of(found.base_url))) if found.key else found


def _found(settings: Settings, vault: Path, environment: Mapping[str, str] | None) -> ModelAccess:
    base_url = str(settings.get("llm.base_url"))
    origin = origin_of(base_url)
    if _is_the_vaults(settings, "llm.api_key", vault):
        return ModelAccess(base_url=base_url, key=settings.get("llm.api_key"))
    key = settings.get("llm.api_key")
    own = origin_of(str(load_settings(None, environment).get("llm.base_url")))
    if key and (origin == own or _is_this_computer(origin)):
        return ModelAccess(base_url=base_url, key=key)
    if _is_this_computer(origin):
        return ModelAccess(base_url=base_url)
    if kept := _in_keyring(origin):
        return ModelAccess(base_url=base_url, key=kept)
    if key:
        raise UsageError("model-key-foreign", address=origin, own=own)
    raise UsageError("model-key-missing", address=origin)


def _sendable(key: str, origin: str) -> str:
    """A key without the line end that a file has left on it; one that cannot stand in a request is none."""
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise UsageError("model-key-unusable", address=origin)
    return key


def origin_of(address: str) -> str:
    """Scheme, host and port of an address. Raises UsageError where it is none, or carries a password."""
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        raise UsageError("model-address", address=address[:200]) from None
    plain = address.isascii() and address.isprintable() and " " not in address
    if (
        parts.scheme not in _PORTS
        or not parts.hostname
        or parts.username is not None
        or "@" in parts.netloc
        or not plain
    ):
        shown = address.rpartition("@")[2]
        raise UsageError("model-address", address=shown[:200])
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" if port == _PORTS[parts.scheme] else f"{parts.scheme}://{host}:{port}"


def _is_the_vaults(settings: Settings, name: str, vault: Path) -> bool:
    setting = settings.values.get(name)
    return setting is not None and bool(setting.value) and setting.origin.startswith(f"{vault / '.paper'}")


def _is_this_computer(origin: str) -> bool:
    host = urlsplit(origin).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_keyring(origin: str) -> str | None:
    """The system's keyring, where there is one; whatever is wrong with it, there is just no key in it."""
    import keyring  # noqa: PLC0415  it looks around in the system when it is loaded

    try:
        return keyring.get_password(KEYRING, origin)
    except Exception:
        return None
