"""Secrets that belong to a service: none of them is sent to another host."""

from __future__ import annotations

import json
from dataclasses import replace

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import PaperError, ToolError
from paperagents.http.addresses import is_allowed
from paperagents.secrets.redaction import Finder, list_forms


class ServiceSecrets:
    """The secrets that tools were given for a service, and what each of them may be sent to."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Finder, set[str]]] = {}

    def learn(self, secret: str, service: str) -> None:
        """Let this be sent to the service, and to nobody else who is not named for it, too."""
        finder, services = self._known.setdefault(secret, (Finder(), set()))
        if not services:
            finder.add(list_forms(secret))
        services.add(service)

    def guard(self, effect: Effect) -> Effect:
        """The same effect, refused where it would send such a secret elsewhere."""
        if not self._known or not effect.leaves_the_vault or effect.refusal is not None:
            return effect
        sent = json.dumps(effect.arguments, ensure_ascii=False)
        host, port = find_host(effect.arguments.get("url"))
        for finder, services in self._known.values():
            if finder.spans(sent) and not (host and is_allowed(host, port, services)):
                refusal = ToolError("secret-elsewhere", service=", ".join(sorted(services)), target=host or effect.tool)
                return replace(effect, refusal=refusal)
        return effect


def find_host(url: JsonValue) -> tuple[str, int]:
    """The host and port that a request goes to; no host where it names none."""
    from paperagents.http.urls import parse_url, port_of  # noqa: PLC0415  the HTTP library is large

    try:
        address = parse_url(str(url or ""))
    except PaperError:
        return "", 0
    return address.host, port_of(address)
