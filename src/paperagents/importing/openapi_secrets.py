"""The keys that a service asks for: one variable for all operations that send it in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from paperagents.definitions.text import slug
from paperagents.http.messages import is_token
from paperagents.importing.openapi_document import METHODS, Document, is_plain, mapping, sequence
from paperagents.importing.openapi_schemas import Loss
from paperagents.values import dataclass

USUAL_NAME = "API_TOKEN"


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How a secret is sent."""

    place: Literal["header", "query", "cookie"]
    name: str
    begins: str = ""
    """``Bearer`` or ``Basic`` with a blank, before the secret."""

    @property
    def variable(self) -> str:
        """What its variable is called beside another one of the same service."""
        word = self.begins.strip() if self.begins else self.name
        return slug(word).replace("-", "_").upper()[:40].strip("_") or "KEY"


@dataclass(frozen=True, kw_only=True, slots=True)
class Secret:
    """A secret of the service: its variable, and where it goes."""

    variable: str
    way: Way


class Security:
    """What a document says about the keys of its service."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._schemes = mapping(mapping(document.content.get("components")).get("securitySchemes"))
        used = Counter[Way]()
        for item in document.content["paths"].values():
            for method in METHODS:
                found = document.resolve(item).get(method)
                ways = self._alternatives(found) if isinstance(found, dict) else []
                used.update({way for each in ways if each for way in each})
        # Of two that are as usual, the one whose name comes first: an import makes the same notes every time.
        self._usual = min(used, key=lambda way: (-used[way], way.place, way.name, way.begins), default=None)

    def secrets_of(self, found: Mapping[str, Any], losses: list[Loss]) -> tuple[Secret, ...]:
        """The secrets of an operation, by the way that needs the fewest and is most used in the service."""
        alternatives = self._alternatives(found)
        usable = [each for each in alternatives if each is not None]
        if not usable:
            if alternatives:
                losses.append(("security", ", ".join(self._names(found))[:100]))
            return ()
        # One that logs in gives the same bearer token as one that has it: only the document tells them apart.
        losses += [("login", name[:100]) for name in self._names(found) if self._wants_login(name)]
        ways = min(usable, key=lambda each: (len(each), self._usual not in each))
        names: dict[str, Way] = {}
        for way in ways:
            variable = USUAL_NAME if way == self._usual else way.variable
            names[variable if variable not in names else f"{variable}_2"] = way
        return tuple(Secret(variable=name, way=way) for name, way in names.items())

    def _alternatives(self, found: Mapping[str, Any]) -> list[list[Way] | None]:
        """What may be sent together, for each way to be let in; None where it is one that tools do not have."""
        wanted = found.get("security", self._document.content.get("security"))
        result: list[list[Way] | None] = []
        for choice in sequence(wanted):
            ways = [self._way(name) for name in mapping(choice)]
            result.append([each for each in ways if each is not None] if None not in ways else None)
        return result

    def _names(self, found: Mapping[str, Any]) -> list[str]:
        wanted = found.get("security", self._document.content.get("security"))
        return [str(name) for choice in sequence(wanted) for name in mapping(choice)]

    def _wants_login(self, name: str) -> bool:
        return self._document.resolve(self._schemes.get(name)).get("type") in ("oauth2", "openIdConnect")

    def _way(self, name: str) -> Way | None:
        scheme = self._document.resolve(self._schemes.get(name))
        kind, word = scheme.get("type"), str(scheme.get("scheme")).lower()
        if kind in ("oauth2", "openIdConnect") or (kind == "http" and word == "bearer"):
            return Way(place="header", name="Authorization", begins="Bearer ")
        if kind == "http" and word == "basic":
            return Way(place="header", name="Authorization", begins="Basic ")
        place, sent_as = scheme.get("in"), scheme.get("name")
        if kind != "apiKey" or not isinstance(sent_as, str) or not is_plain(sent_as):
            return None
        if place == "query":
            return Way(place="query", name=sent_as)
        if place in ("header", "cookie") and is_token(sent_as):
            return Way(place=place, name=sent_as)
        return None
