"""Rules: what a person has allowed from now on.

They are kept with the user, not in the vault: a folder that comes from somebody else must not bring its own
permissions along.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import AmbiguousIdError, UsageError
from paperagents.files.state_files import file_lock, read_object, read_object_to_change, replace_file

LASTING = timedelta(days=90)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """This tool may do this to that without asking, until it expires."""

    tool: str
    target: str
    """A path, or method and host; ``*`` and ``?`` stand for anything inside one part of a path."""
    id: str = field(default_factory=lambda: secrets.token_hex(4))
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    expires: str = field(default_factory=lambda: (datetime.now(UTC) + LASTING).isoformat(timespec="seconds"))

    def allows(self, tool: str, target: str) -> bool:
        """Whether it covers this change, part by part: ``notes/*`` is not ``notes/a/b``."""
        parts, given = self.target.split("/"), target.split("/")
        fits = len(parts) == len(given) and all(map(fnmatchcase, given, parts))
        return tool == self.tool and fits and self._holds_now()

    def _holds_now(self) -> bool:
        try:
            return datetime.fromisoformat(self.expires) > datetime.now(UTC)
        except (ValueError, TypeError):
            # A date that cannot be read allows nothing.
            return False

    def as_json(self) -> JsonObject:
        """For lists."""
        return asdict(self)


class RuleBook:
    """The rules of one user for one vault."""

    def __init__(self, file: Path, vault: Path) -> None:
        self._file = file
        self._vault = str(vault)

    def rules(self) -> list[Rule]:
        """All of them, the oldest first."""
        try:
            kept = self._entries(read_object(self._file))
        except (OSError, ValueError):
            return []
        return [rule for each in kept if (rule := _rule_of(each)) is not None]

    def allow(self, tool: str, target: str) -> Rule:
        """Add a rule for exactly this target, whatever characters are in its name."""
        rule = Rule(tool=tool, target=re.sub(r"([*?[])", r"[\1]", target))
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            self._write(everything, [*self._entries(everything), asdict(rule)])
        return rule

    def find(self, rule_id: str) -> Rule:
        """The rule of this id, of this unmistakable beginning of one, or the ``last``.

        Raises UsageError (``unknown-rule``) or AmbiguousIdError.
        """
        rules = self.rules()
        found = rules[-1:] if rule_id == "last" else [rule for rule in rules if rule.id == rule_id]
        found = found or [rule for rule in rules if rule_id and rule.id.startswith(rule_id)]
        if len(found) > 1:
            raise AmbiguousIdError(rule_id, [rule.id for rule in found])
        if not found:
            raise UsageError("unknown-rule", id=rule_id)
        return found[0]

    def revoke(self, rule_id: str) -> bool:
        """Take a rule back; false where there is none of that id."""
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            entries = self._entries(everything)
            kept = [each for each in entries if (rule := _rule_of(each)) is None or rule.id != rule_id]
            found = len(kept) < len(entries)
            if found:
                self._write(everything, kept)
        return found

    def allowing(self, tool: str, target: str) -> Rule | None:
        """The rule that covers this change, if any."""
        if not target:
            return None
        return next((rule for rule in self.rules() if rule.allows(tool, target)), None)

    def _entries(self, everything: Mapping[str, Any]) -> list[Any]:
        """What is kept for this vault, understood or not."""
        kept = everything.get(self._vault, [])
        return kept if isinstance(kept, list) else [kept]

    def _write(self, everything: Mapping[str, Any], entries: list[Any]) -> None:
        replace_file(self._file, json.dumps({**everything, self._vault: entries}, indent=1))


def _rule_of(data: object) -> Rule | None:
    """The rule that an element of the file is; None where it is not understood. Unknown keys are ignored."""
    names = [each.name for each in fields(Rule)]
    if not isinstance(data, dict) or not all(isinstance(data.get(name), str) for name in names):
        return None
    return Rule(**{name: data[name] for name in names})
