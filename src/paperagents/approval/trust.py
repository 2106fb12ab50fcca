"""Trust: which of the things that a vault brings along the user has said yes to.

A vault may come from a stranger. What it brings that grants or starts something counts only once the user trusts it:
exactly this thing, in this vault. A thing that has changed is another one. What was said is kept with the user, never
in the vault.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from paperagents.approval.question import digest_of
from paperagents.approval.signatures import Signatures
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.files.state_files import file_lock, read_object, read_object_to_change, replace_file
from paperagents.values import dataclass

TrustKind = Literal[
    "schedule", "run", "answer", "rule", "host", "database", "mcp_server", "npm_grant", "model", "notify", "serve"
]
TrustState = Literal["trusted", "untrusted", "changed"]
KINDS: tuple[TrustKind, ...] = get_args(TrustKind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Brought:
    """Something that a vault brings along and that grants or starts something."""

    kind: TrustKind
    name: str
    """What it is known by: under the same name, another digest is a change."""
    what: str
    """For people: without secrets."""
    where: str
    """The file and line, or the database, that it stands in."""
    digest: str


def brought(kind: TrustKind, name: str, content: JsonValue, *, what: str, where: str) -> Brought:
    """A thing whose digest covers its content."""
    return Brought(kind=kind, name=name, what=what, where=where, digest=digest_of([kind, name, content]))


class TrustBook:
    """What one user has said about the things of one vault."""

    def __init__(self, file: Path, signatures: Signatures) -> None:
        self._file = file
        self._signatures = signatures
        self._read: tuple[tuple[int, int], dict[str, Any]] | None = None

    @property
    def vault(self) -> str:
        """The vault as the user knows it."""
        return self._signatures.vault

    def trusts(self, thing: Brought) -> bool:
        """Whether the user has said yes to exactly this thing here."""
        return self._is_given(self._entry(thing.digest))

    def trusts_key(self, public: str) -> bool:
        """Whether the user has said yes to what somebody else signs."""
        return self._is_given(self._entry(public))

    def state(self, thing: Brought) -> TrustState:
        """How the user stands to it; ``changed`` is what was trusted in another form."""
        if self.trusts(thing):
            return "trusted"
        known = ((each.get("kind"), each.get("name")) for each in self._entries().values() if self._is_given(each))
        return "changed" if (thing.kind, thing.name) in known else "untrusted"

    def is_declined(self, thing: Brought) -> bool:
        """Whether the user was asked and did not want it: then it is not asked again."""
        return self._entry(thing.digest).get("given") is False

    def give(self, things: Iterable[Brought]) -> None:
        """Trust these things from now on."""
        self._keep({thing.digest: self._describe(thing, given=True) for thing in things})

    def decline(self, things: Iterable[Brought]) -> None:
        """Keep that the user does not want these things, so that nobody asks again."""
        self._keep({thing.digest: self._describe(thing, given=False) for thing in things})

    def take(self, digests: Iterable[str]) -> None:
        """Trust these things no more."""
        self._keep(dict.fromkeys(digests))

    def _describe(self, thing: Brought, *, given: bool) -> JsonObject:
        return {
            "kind": thing.kind,
            "name": thing.name,
            "given": given,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "digest": thing.digest,
            "signature": self._signatures.sign("trust", thing.kind, thing.name, thing.digest, given),
        }

    def _is_given(self, entry: Mapping[str, Any]) -> bool:
        match entry:
            case {"kind": str(kind), "name": str(name), "digest": str(digest), "given": True, "signature": str(proof)}:
                return self._signatures.is_valid(proof, "trust", kind, name, digest, entry["given"])
        return False

    def _entry(self, digest: str) -> Mapping[str, Any]:
        entry = self._entries().get(digest)
        return entry if isinstance(entry, dict) and entry.get("digest") == digest else {}

    def _entries(self) -> Mapping[str, Any]:
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, read_object(self._file))
        except (OSError, ValueError):
            return {}
        kept = self._read[1].get(self._signatures.vault, {})
        return {key: each for key, each in kept.items() if isinstance(each, dict)} if isinstance(kept, dict) else {}

    def _keep(self, entries: Mapping[str, JsonObject | None]) -> None:
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            kept = everything.get(self._signatures.vault, {})
            changed = {**kept, **entries} if isinstance(kept, dict) else dict(entries)
            ours = {digest: each for digest, each in changed.items() if each is not None}
            replace_file(self._file, json.dumps({**everything, self._signatures.vault: ours}, indent=1))
        self._read = None
