"""Rules: what a person has allowed from now on.

They are kept with the user, not in the vault: a folder that comes from somebody else must not bring its own
permissions along.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path

from paperagents.definitions.json_value import JsonObject
from paperagents.kept_files import alone_with, replace_file

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
        return [Rule(**each) for each in self._read().get(self._vault, []) if _is_rule(each)]

    def allow(self, tool: str, target: str) -> Rule:
        """Add a rule for exactly this target, whatever characters are in its name."""
        rule = Rule(tool=tool, target=re.sub(r"([*?[])", r"[\1]", target))
        with alone_with(self._file):
            self._write([*self.rules(), rule])
        return rule

    def revoke(self, rule_id: str) -> bool:
        """Take a rule back; false where there is none of that id."""
        with alone_with(self._file):
            kept = [rule for rule in self.rules() if rule.id != rule_id]
            found = len(kept) < len(self.rules())
            if found:
                self._write(kept)
        return found

    def allowing(self, tool: str, target: str) -> Rule | None:
        """The rule that covers this change, if any."""
        if not target:
            return None
        return next((rule for rule in self.rules() if rule.allows(tool, target)), None)

    def _read(self) -> dict[str, list[dict[str, str]]]:
        try:
            data = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        by_vault = data if isinstance(data, dict) else {}
        return {vault: rules for vault, rules in by_vault.items() if isinstance(rules, list)}

    def _write(self, rules: list[Rule]) -> None:
        data = {**self._read(), self._vault: [asdict(rule) for rule in rules]}
        replace_file(self._file, json.dumps(data, indent=1))


def _is_rule(data: object) -> bool:
    """Whether a person's file still holds what we wrote there."""
    names = {each.name for each in fields(Rule)}
    return isinstance(data, dict) and set(data) == names and all(isinstance(each, str) for each in data.values())
