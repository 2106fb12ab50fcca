"""What is asked of a language model, and what it answers, whoever it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from paperagents.definitions.agent import ModelOptions
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UsageError
from paperagents.sandbox import Cancellation
from paperagents.settings import Settings, load_settings
from paperagents.values import dataclass

MOST_CALLS = 128
"""In one answer. A model that makes more has lost its way."""
LARGEST_TEXT = 4_000_000
"""Characters of one answer."""
LARGEST_ARGUMENTS = 2_000_000
"""Characters of the arguments of one call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One turn, as a model is asked for it."""

    agent: str
    turn: int
    """Which turn of the run it is, from 1."""
    model: str
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...] = ()
    options: ModelOptions = field(default_factory=ModelOptions)
    output: JsonObject | None = None
    """JSON Schema that the answer must fit, for a server that takes one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCall:
    """A call that a model made beside its text; the arguments as it wrote them."""

    id: str
    name: str
    arguments: str = ""
    size: int = 0
    """How long the arguments were; more than is kept of them where they were too large."""
    extra: JsonObject = field(default_factory=dict)
    """Fields that came with it and must go back with it: signatures of the reasoning that led to it."""

    def as_json(self) -> JsonObject:
        """The form that the record keeps."""
        kept: JsonObject = {"id": self.id, "name": self.name, "arguments": self.arguments, "size": self.size}
        return {**kept, "extra": self.extra} if self.extra else kept


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelTurn:
    """One answer of a model."""

    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    calls_made: int = 0
    """How many calls there were; more than ``calls`` where they were too many to keep."""
    usage: JsonObject = field(default_factory=dict)
    """``prompt_tokens``, ``completion_tokens``, ``total_tokens``, ``cached_tokens``, ``reasoning_tokens`` and ``cost``,
    as far as the server tells."""
    finish: str = ""
    """Why it ended: ``stop``, ``tool_calls``, ``length`` …"""
    native_finish: str = ""
    """Why it ended in the words of the provider behind the server, where that one tells them."""
    thought: str = ""
    """Reasoning that stood before the text, with the marks around it as the model wrote them."""
    reasoning: JsonObject = field(default_factory=dict)
    """Reasoning beside the text, in the fields it came in."""
    images: tuple[JsonObject, ...] = ()
    """Pictures, as blocks of content."""

    def as_json(self) -> JsonObject:
        """The form that the record keeps."""
        kept: JsonObject = {
            "text": self.text,
            "calls": [call.as_json() for call in self.calls],
            "calls_made": self.calls_made,
            "usage": self.usage,
            "finish": self.finish,
            "thought": self.thought,
            "reasoning": self.reasoning,
        }
        more: JsonObject = {"native_finish": self.native_finish, "images": [*self.images]}
        return {**kept, **{name: value for name, value in more.items() if value}}


def read_turn(kept: Any) -> ModelTurn:
    """A turn from the journal."""
    calls = tuple(ModelCall(**call) for call in kept["calls"])
    return ModelTurn(**{**kept, "calls": calls, "images": tuple(kept.get("images", ()))})


class Listener:
    """Follows an answer while it is being written. This one does not care."""

    def begin(self) -> None:
        """An answer begins, perhaps anew after one that broke off."""

    def text(self, piece: str) -> None:
        """The next piece of its text."""

    def reasoning(self, piece: str) -> None:
        """The next piece of what it thinks before."""


class LanguageModel(Protocol):
    """Anything that can answer."""

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        """One turn. Raises ToolError; a retryable one where another attempt may succeed."""


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
    base_url = str(settings.get("llm.base_url"))
    origin = origin_of(base_url)
    key = _find_key(settings, vault, origin, environment)
    if not key:
        return ModelAccess(base_url=base_url)
    # Without the line end that a file has left on it; one that cannot stand in a request is none.
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise UsageError("model-key-unusable", address=origin)
    return ModelAccess(base_url=base_url, key=key)


def _find_key(settings: Settings, vault: Path, origin: str, environment: Mapping[str, str] | None) -> str | None:
    """The key that may be sent to this server. The user's key is for the user's server, whatever a vault names."""
    setting = settings.values.get("llm.api_key")
    key: str | None = settings.get("llm.api_key")
    if setting is not None and setting.value and setting.origin.startswith(f"{vault / '.paper'}"):
        return key
    own = origin_of(str(load_settings(None, environment).get("llm.base_url")))
    is_local = is_this_computer(origin)
    if key and (origin == own or is_local):
        return key
    if is_local:
        return None
    if stored := _read_keyring(origin):
        return stored
    if key:
        raise UsageError("model-key-foreign", address=origin, own=own)
    raise UsageError("model-key-missing", address=origin)


def origin_of(address: str) -> str:
    """Scheme, host and port of an address. Raises UsageError where it is none, or carries a password."""
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        raise UsageError("model-address", address=address[:200]) from None
    plain = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc or not plain:
        raise UsageError("model-address", address=address.rpartition("@")[2][:200])
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" if port == _PORTS[parts.scheme] else f"{parts.scheme}://{host}:{port}"


def is_this_computer(origin: str) -> bool:
    """Whether a server is on this computer."""
    host = urlsplit(origin).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_keyring(origin: str) -> str | None:
    """The key in the system's keyring; whatever is wrong with that, there is just no key in it."""
    import keyring  # noqa: PLC0415  it looks around in the system when it is loaded

    try:
        return keyring.get_password(KEYRING, origin)
    except Exception:
        return None
