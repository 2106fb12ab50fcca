"""Whose a line is: a replay of every change that runs made to a note, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from paperagents.approval.diff import compare
from paperagents.definitions.json_value import JsonObject
from paperagents.runs.change_history import ChangeRow

Owner = ChangeRow | None
"""The change that wrote a line; None where it came from outside."""


@dataclass(frozen=True, slots=True)
class Authored:
    """A text with the owner of each of its lines."""

    lines: list[str]
    owners: list[Owner]


def blame(
    rows: Sequence[ChangeRow], texts: Callable[[Sequence[ChangeRow]], tuple[str | None, str | None] | None], now: str
) -> Authored:
    """The text as it is now with the owners of its lines; ``rows`` are all its changes, the oldest first.

    What differs from how a run left it came from outside. Lines that an undo brings back belong to whom they belonged
    before. A change whose texts are not kept any more counts as one from outside.
    """
    authored = Authored([], [])
    undone = {row.undoes for row in rows}
    left: dict[str, list[Authored]] = {}
    """By run, the text as it was before each change of it that was taken back."""
    for row in rows:
        if (kept := texts((row,))) is None:
            continue
        before, after = kept
        authored = follow(authored, before, None)
        if row.root_run in undone:
            left.setdefault(row.root_run, []).append(authored)
        authored = follow(authored, after, row, restored=left.get(row.undoes, ()))
    return follow(authored, now, None)


def follow(authored: Authored, text: str | None, owner: Owner, *, restored: Iterable[Authored] = ()) -> Authored:
    """The owners of the lines of a text that one has become: new lines are the owner's, or as in ``restored``."""
    lines = text_lines(text)
    if lines == authored.lines:
        return authored
    owners: list[Owner] = []
    for kind, start, end, new_start, new_end in compare(authored.lines, lines):
        owners += authored.owners[start:end] if kind == "equal" else [owner] * (new_end - new_start)
    # Also lines of the run that is taken back: one that it wrote may look like one that it had replaced.
    runs = {owner.root_run, owner.undoes} if owner is not None else set()
    open_places = [place for place, each in enumerate(owners) if each is not None and each.root_run in runs]
    for earlier in map(partial(owners_in, lines=lines), restored if open_places else ()):
        for place in [place for place in open_places if place in earlier]:
            owners[place] = earlier[place]
        open_places = [place for place in open_places if place not in earlier]
    return Authored(lines, owners)


def owners_in(authored: Authored, lines: list[str]) -> dict[int, Owner]:
    """By their place in a text, the owners of the lines that it has in common with an older one."""
    owners: dict[int, Owner] = {}
    for kind, start, end, new_start, new_end in compare(authored.lines, lines):
        if kind == "equal":
            owners.update(zip(range(new_start, new_end), authored.owners[start:end], strict=True))
    return owners


def text_lines(text: str | None) -> list[str]:
    """The lines of a text, without what ends them; none after the last line end."""
    lines = (text or "").split("\n")
    return lines[:-1] if not lines[-1] else lines


def blame_as_json(authored: Authored, redact: Callable[[str], str]) -> list[JsonObject]:
    """The form of ``paper blame --json``: one object for each line, with nulls where it came from outside."""
    lines: list[JsonObject] = []
    for number, (line, owner) in enumerate(zip(authored.lines, authored.owners, strict=True), 1):
        lines.append(
            {
                "line": number,
                "text": redact(line.removesuffix("\r")),
                "run_id": owner.root_run if owner else None,
                "tool": owner.tool if owner else None,
                "step": owner.step if owner else None,
                "approved_by": owner.approved_by if owner else None,
                "when": owner.when if owner else None,
            }
        )
    return lines
