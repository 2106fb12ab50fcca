"""Several changes in one question: each file with its diff and hunks, and an answer for each.

Hunks are those of the unified diff, counted from 1. An entry stands among the files by its name: ``memory/tea``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from paperagents.approval.diff import Redact, compare, diff_head, group_parts, split_lines, unified_hunks
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.errors import UsageError
from paperagents.values import dataclass

_NO_LINE_END = "\n\\ No newline at end of file"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """What a person has said no to: a file, or one hunk of it, and why."""

    path: str
    hunk: int | None = None
    reason: str = ""

    def as_json(self) -> JsonObject:
        """The form in the record."""
        return {"path": self.path, "hunk": self.hunk, "reason": self.reason}


def describe_change(change: Change, redact: Redact = str) -> JsonObject:
    """A change as a question shows it."""
    kind = "created" if change.before is None else "deleted" if change.after is None else "changed"
    hunks = unified_hunks(change.before, change.after, redact)
    diff = "\n".join([diff_head(change.before, change.after, change.name), *hunks])
    described: JsonObject = {"path": change.name, "change": kind, "diff": diff, "hunks": describe_hunks(hunks)}
    return {**described, "kind": change.kind} if change.kind else described


def describe_hunks(hunks: Sequence[str]) -> list[JsonValue]:
    """Hunks as questions and ``paper changes show`` have them."""
    return [{"number": number, "header": hunk.partition("\n")[0], "diff": hunk} for number, hunk in enumerate(hunks, 1)]


def choose_hunks(change: Change, chosen: frozenset[int]) -> Change:
    """The change with these hunks alone."""
    old, new = split_lines(change.before or ""), split_lines(change.after or "")
    parts = [*compare(old, new)]
    number_of = {part: number for number, group in enumerate(group_parts(parts), 1) for part in group}
    if chosen >= {*number_of.values()}:
        return change
    lines: list[str] = []
    for part in parts:
        kind, start, end, new_start, new_end = part
        lines += new[new_start:new_end] if kind != "equal" and number_of[part] in chosen else old[start:end]
    text = "".join(line.removesuffix(_NO_LINE_END) if line.endswith(_NO_LINE_END) else f"{line}\n" for line in lines)
    return replace(change, after=text if chosen or change.before is not None else None)


def count_lines(files: Sequence[JsonObject]) -> tuple[int, int]:
    """How many lines all these diffs add and remove."""
    lines = [line for file in files for hunk in _hunks_of(file) for line in str(hunk["diff"]).split("\n")[1:]]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def require_choice(files: Sequence[JsonObject], choice: Mapping[str, JsonValue]) -> None:
    """Make sure that an answer names every file and no hunk that is not there. Raises UsageError."""
    names = [str(each["path"]) for each in files]
    if same := [name for name in names if names.count(name) > 1]:
        # A note may have the name of an entry. One answer for both would be one that nobody has given.
        raise UsageError("files-same-name", path=same[0])
    if unknown := [name for name in choice if name not in names]:
        near = ", ".join(closest(unknown[0], names)) or ", ".join(names[:3])
        raise UsageError("files-unknown", path=unknown[0], closest=near)
    if missing := [name for name in names if name not in choice]:
        raise UsageError("files-missing", paths=", ".join(missing))
    for file in files:
        path, count = str(file["path"]), len(_hunks_of(file))
        match choice[path]:
            case {"content": _, "hunks": _}:
                # One or the other: nobody could say which of them was meant.
                raise UsageError("files-answer", path=path)
            case bool() | {"content": str()} | {"reason": str()}:
                pass
            case {"hunks": list(numbers)} if all(type(each) is int for each in numbers):
                if beyond := [each for each in numbers if not isinstance(each, int) or not 1 <= each <= count]:
                    raise UsageError("files-unknown-hunk", path=path, hunk=beyond[0], count=count)
            case _:
                raise UsageError("files-answer", path=path)


def choose_changes(
    changes: Sequence[Change],
    choice: Mapping[str, JsonValue],
    restore: Callable[[str, str], str] = lambda written, _: written,
) -> tuple[list[Change], list[Refusal]]:
    """What an answer agrees to, and what it refuses. ``restore`` puts back what was masked in a text."""
    agreed: list[Change] = []
    refused: list[Refusal] = []
    for change in changes:
        match choice[change.name]:
            case True:
                agreed.append(change)
            case {"content": str(written)}:
                agreed.append(replace(change, after=restore(written, change.after or "")))
            case {"hunks": list(numbers)} if numbers or not unified_hunks(change.before, change.after):
                chosen = frozenset(each for each in numbers if isinstance(each, int))
                agreed.append(choose_hunks(change, chosen))
                every = range(1, len(unified_hunks(change.before, change.after)) + 1)
                refused += [Refusal(path=change.name, hunk=each) for each in every if each not in chosen]
            case {"reason": str(reason)}:
                refused.append(Refusal(path=change.name, reason=reason))
            case _:
                refused.append(Refusal(path=change.name))
    return [each for each in agreed if each.before != each.after], refused


def _hunks_of(file: JsonObject) -> list[JsonObject]:
    hunks = file["hunks"]
    return [each for each in hunks if isinstance(each, dict)] if isinstance(hunks, list) else []
