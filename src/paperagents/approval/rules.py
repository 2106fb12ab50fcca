"""Rules: what a person has allowed from now on. Each says who, what, where and until when.

They are kept with the user, not in the vault: a folder that comes from somebody else must not bring its own
permissions along. Each is signed for one vault; what is not signed, or not understood, allows nothing and stays as it
is. A rule that names a tool holds for its file as it was: when that has changed, the rule sleeps until it is confirmed.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, fields, replace
from datetime import UTC, datetime, timedelta, tzinfo
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from paperagents.approval.question import Scope, system_user
from paperagents.approval.signatures import Signatures
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import AmbiguousIdError, UsageError
from paperagents.files.state_files import file_lock, read_object, read_object_to_change, replace_file
from paperagents.values import dataclass

LASTING = timedelta(days=90)
RuleState = Literal["active", "sleeping", "expired"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """This may be done without asking, until it expires."""

    tool: str
    by: str = ""
    """The key of the outermost tool or agent of the call; empty is anyone."""
    digest: str = ""
    """Of that tool's file; empty where it has none."""
    mode: str = ""
    """``create``, ``append``, ``overwrite`` or ``delete``; empty is every mode of the tool."""
    path: str = ""
    """A pattern: ``*`` is anything inside one part of a path, ``**`` any number of parts, ``\\*`` a star."""
    method: str = ""
    host: str = ""
    allowed_by: str = field(default_factory=system_user)
    """Who has said so."""
    id: str = field(default_factory=lambda: secrets.token_hex(4))
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    until: str = field(default_factory=lambda: (datetime.now(UTC) + LASTING).isoformat(timespec="seconds"))

    def covers(self, tool: str, scope: Scope) -> bool:
        """Whether its words cover this change; nothing is read into what it does not say."""
        if tool != self.tool or self.mode not in ("", scope.mode):
            return False
        if bool(scope.method) != bool(scope.host) or scope.method != self.method or not self._covers_host(scope.host):
            return False
        return matches_path(self.path, scope.path) if scope.path else not self.path

    def _covers_host(self, host: str) -> bool:
        """With a port that one alone, without a port every one, as in ``allowed_hosts``."""
        return host == self.host or (bool(self.host) and re.fullmatch(re.escape(self.host) + r":\d+", host) is not None)

    def names(self, caller: ToolDefinition) -> bool:
        """Whether it is for calls of this tool or agent, with its file as it was when the rule was made."""
        return not self.by or (self.by, self.digest) == (caller.key, caller.text_digest)

    @property
    def is_over(self) -> bool:
        """Whether its time is over; a date that cannot be read allows nothing."""
        try:
            return datetime.fromisoformat(self.until) <= datetime.now(UTC)
        except (ValueError, TypeError):
            return True


def narrowest_rule(tool: str, scope: Scope, caller: ToolDefinition, *, path: str = "", until: str = "") -> Rule:
    """The rule for this caller, this mode and this very place, or for a wider ``path`` that covers it.

    Raises UsageError where that path does not cover the place.
    """
    rule = Rule(
        tool=tool, by=caller.key, digest=caller.text_digest, mode=scope.mode, path=path or escape_pattern(scope.path),
        method=scope.method, host=scope.host,
    )  # fmt: skip
    if not rule.covers(tool, scope):
        raise UsageError("rule-covers-nothing", path=path, target=scope.place)
    return replace(rule, until=until) if until else rule


def read_end(until: str, zone: tzinfo | None) -> str:
    """The end of a rule; of a date, the end of that day. Raises UsageError where it cannot be read, or is over."""
    try:
        end = datetime.fromisoformat(until)
        if len(until) <= len("2026-01-01"):
            end += timedelta(days=1)
    except (ValueError, OverflowError):
        raise UsageError("rule-until", until=until) from None
    if end.tzinfo is None:
        end = end.replace(tzinfo=zone) if zone is not None else end.astimezone()
    if end <= datetime.now(UTC):
        raise UsageError("rule-until", until=until)
    return end.isoformat(timespec="seconds")


class RuleBook:
    """The rules of one user for one vault."""

    def __init__(
        self, file: Path, signatures: Signatures, find_tool: Callable[[str], ToolDefinition | None] = lambda _: None
    ) -> None:
        self._file = file
        self._signatures = signatures
        self.find_tool = find_tool
        """The tool or agent of a key as it is now; None where there is none."""
        self._read: tuple[tuple[int, int], list[Rule]] | None = None

    def rules(self) -> list[Rule]:
        """All of them, the oldest first."""
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._read is None or self._read[0] != stamp:
                found = map(self._rule_of, self._entries(read_object(self._file)))
                self._read = (stamp, [rule for rule in found if rule is not None])
        except (OSError, ValueError):
            return []
        return list(self._read[1])

    def find_allowing(self, tool: str, scope: Scope | None, caller: ToolDefinition) -> Rule | None:
        """The rule that covers this change, if any."""
        if scope is None:
            return None
        covering = (rule for rule in self.rules() if rule.covers(tool, scope) and rule.names(caller))
        return next((rule for rule in covering if not rule.is_over), None)

    def state(self, rule: Rule) -> RuleState:
        """Whether it allows anything now."""
        if rule.is_over:
            return "expired"
        caller = self.find_tool(rule.by) if rule.by else None
        is_awake = not rule.by or (caller is not None and rule.names(caller))
        return "active" if is_awake else "sleeping"

    def as_json(self, rule: Rule) -> JsonObject:
        """The form of ``paper approvals rules --json``."""
        return {**asdict(rule), "state": self.state(rule)}

    def allow(self, rule: Rule) -> Rule:
        """Keep a rule."""
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            self._write(everything, [*self._entries(everything), self._signed(rule)])
        return rule

    def confirm(self, rule: Rule, *, until: str | None = None) -> Rule:
        """Let a rule hold for the file of its tool as it is now, one that is over for as long as a new one.

        Raises UsageError where the tool is gone.
        """
        caller = self.find_tool(rule.by) if rule.by else None
        if rule.by and caller is None:
            raise UsageError("rule-of-no-tool", id=rule.id, tool=rule.by)
        end = Rule(tool=rule.tool).until if rule.is_over else rule.until
        confirmed = replace(rule, digest=caller.text_digest if caller else "", until=until or end)
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            self._write(everything, [self._signed(confirmed) if self._is(each, rule.id) else each
                                     for each in self._entries(everything)])  # fmt: skip
        return confirmed

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
            kept = [each for each in entries if not self._is(each, rule_id)]
            found = len(kept) < len(entries)
            if found:
                self._write(everything, kept)
        return found

    def _signed(self, rule: Rule) -> JsonObject:
        return {**asdict(rule), "signature": self._signatures.sign("rule", asdict(rule))}

    def _is(self, entry: object, rule_id: str) -> bool:
        rule = self._rule_of(entry)
        return rule is not None and rule.id == rule_id

    def _rule_of(self, entry: object) -> Rule | None:
        """The rule in an entry; None where it is not understood, or not signed. Unknown keys are ignored."""
        names = [each.name for each in fields(Rule)]
        if not isinstance(entry, dict) or not all(isinstance(entry.get(name), str) for name in (*names, "signature")):
            return None
        rule = Rule(**{name: entry[name] for name in names})
        return rule if self._signatures.is_valid(entry["signature"], "rule", asdict(rule)) else None

    def _entries(self, everything: Mapping[str, Any]) -> list[Any]:
        """What is kept for this vault, understood or not."""
        kept = everything.get(self._signatures.vault, [])
        return kept if isinstance(kept, list) else [kept]

    def _write(self, everything: Mapping[str, Any], entries: list[Any]) -> None:
        replace_file(self._file, json.dumps({**everything, self._signatures.vault: entries}, indent=1))
        self._read = None


# --- patterns of paths


def matches_path(pattern: str, path: str) -> bool:
    """Whether a pattern covers a path: ``notes/*`` does not cover ``notes/a/b``, nor ``notes/**`` the folder itself."""
    parts, names = split_parts(pattern), split_parts(path)
    if not parts or not names:
        return pattern.strip("/") == path.strip("/") == "" != pattern
    reached = {0}
    for part, following in pairwise([*parts, ""]):
        if part == "**":
            # At the end it stands for one part at least: what is in a folder, and not the folder.
            reached = {*range(min(reached) + (not following), len(names) + 1)}
        else:
            fitting = _as_fnmatch(part)
            reached = {place + 1 for place in reached if place < len(names) and fnmatchcase(names[place], fitting)}
        if not reached:
            return False
    return len(names) in reached


def split_parts(path: str) -> list[str]:
    """The parts of a path; one at its beginning or end makes no difference."""
    return [part for part in path.split("/") if part]


def escape_pattern(path: str) -> str:
    """A pattern that covers this path alone, whatever characters are in it."""
    return re.sub(r"([\\*])", r"\\\1", path)


def _as_fnmatch(part: str) -> str:
    """One part in the words of fnmatch, which knows more than a star."""
    pieces = re.findall(r"\\.|\*|[^\\*]+|\\", part, re.DOTALL)
    return "".join("*" if piece == "*" else _literally(piece) for piece in pieces)


def _literally(piece: str) -> str:
    plain = piece[1:] if piece[0] == "\\" and len(piece) == 2 else piece
    return re.sub(r"([*?[])", r"[\1]", plain)
