"""Models that can be chosen from a list: those of programs on this computer, and those of OpenRouter.

Nothing is asked before a person wants the list. The addresses are these and no others: neither a request nor a vault
names one. What a server answers is text of a stranger; it is shortened, and shown as text alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import PaperError
from paperagents.http.client import send_request
from paperagents.http.messages import HttpLimits, HttpRequest
from paperagents.values import dataclass

LOCAL_SERVERS = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "Jan": "http://127.0.0.1:1337/v1",
}
"""Where the programs listen unless they are told otherwise."""
OPENROUTER = "https://openrouter.ai/api/v1"
MOST_MODELS = 1_000
LONGEST_NAME = 200
_LOCAL_LIMITS = HttpLimits(seconds=2.0, response_bytes=2_000_000, redirects=0)
_FAR_LIMITS = HttpLimits(seconds=15.0, response_bytes=10_000_000, redirects=0)
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class OfferedModel:
    """A model that a server has."""

    id: str
    context: int | None = None
    """Tokens."""
    prices: tuple[Decimal, Decimal] | None = None
    """Dollars for a million tokens, read and written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelServer:
    """A server with its models."""

    name: str
    base_url: str
    models: tuple[OfferedModel, ...]


def find_local_servers(servers: Mapping[str, str] | None = None) -> list[ModelServer]:
    """The servers that answer on this computer now. Raises nothing: who does not answer is not there."""
    wanted = LOCAL_SERVERS if servers is None else servers
    with ThreadPoolExecutor(max_workers=len(wanted) or 1) as asking:
        found = [asking.submit(_ask_local, name, base_url) for name, base_url in wanted.items()]
    return [each for answer in found if (each := answer.result()) is not None]


def _ask_local(name: str, base_url: str) -> ModelServer | None:
    try:
        # A redirect is not followed: it would lead elsewhere, and this computer is all that was wished for.
        answer = send_request(
            HttpRequest(url=f"{base_url}/models"), allowed_hosts=[urlsplit(base_url).netloc], limits=_LOCAL_LIMITS
        )
    except PaperError:
        return None
    models = read_models(answer.json)
    return ModelServer(name=name, base_url=base_url, models=models) if models else None


def ask_openrouter(base_url: str = OPENROUTER, allowed_hosts: tuple[str, ...] = ()) -> ModelServer:
    """The models of OpenRouter that can call tools. Needs no key. Raises PaperError where it does not answer."""
    answer = send_request(HttpRequest(url=f"{base_url}/models"), allowed_hosts=allowed_hosts, limits=_FAR_LIMITS)
    return ModelServer(name="OpenRouter", base_url=base_url, models=read_models(answer.json))


def read_models(answer: JsonValue) -> tuple[OfferedModel, ...]:
    """The models in the answer of a server, by name; what does not look like one is left out."""
    match answer:
        case {"data": [*listed]}:
            read = (_read_model(each) for each in listed[:MOST_MODELS])
            named = {each.id: each for each in read if each is not None}
            return tuple(sorted(named.values(), key=lambda each: each.id.casefold()))
    return ()


def _read_model(listed: Any) -> OfferedModel | None:
    match listed:
        case {"id": str(name)} if 0 < len(name) <= LONGEST_NAME and name.isprintable():
            pass
        case _:
            return None
    can = listed.get("supported_parameters")
    if isinstance(can, list) and "tools" not in can:
        return None
    context = listed.get("context_length")
    return OfferedModel(
        id=name, context=context if isinstance(context, int) and context > 0 else None, prices=_read_prices(listed)
    )


def _read_prices(listed: dict[str, Any]) -> tuple[Decimal, Decimal] | None:
    match listed.get("pricing"):
        case {"prompt": str(read), "completion": str(written)}:
            try:
                prices = (Decimal(read[:20]) * _MILLION, Decimal(written[:20]) * _MILLION)
            except InvalidOperation:
                return None
            return prices if all(each.is_finite() and 0 <= each < _MILLION for each in prices) else None
    return None
