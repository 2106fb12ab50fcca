"""Several changes in one question, answered hunk by hunk as ``git add -p`` does."""

from __future__ import annotations

from collections.abc import Callable

from paperagents.approval.question import ApprovalRequest, Approved
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.interfaces.command_line.output import one_line, paint_diff_line, say, say_wrapped
from paperagents.messages import text

_YES = {"y": "y", "yes": "y", "j": "y", "ja": "y", "是": "y", "n": "n", "no": "n", "nein": "n", "否": "n"}
_KEYS = _YES | {"a": "a", "d": "d", "q": "q"}


def review_hunks(request: ApprovalRequest, read_line: Callable[[str], str]) -> Approved:
    """Ask about each hunk of each file. Raises EOFError where the input ends before the last answer."""
    choice: dict[str, JsonValue] = {}
    key = ""
    for place, file in enumerate(request.files, 1):
        hunks = file["hunks"]
        # An empty file is created, or deleted, as a whole.
        shown = [hunk for hunk in hunks if isinstance(hunk, dict)] if isinstance(hunks, list) and hunks else [file]
        taken: list[JsonValue] = []
        key = key if key == "q" else ""
        for number, hunk in enumerate(shown, 1):
            if key not in ("a", "d", "q"):
                where = f"{place}/{len(request.files)} {file['path']} {number}/{len(shown)}"
                key = ask_about(hunk, where, read_line)
            if key in ("y", "a"):
                taken.append(number)
        choice[str(file["path"])] = {"hunks": taken} if 0 < len(taken) < len(shown) else bool(taken)
    return Approved(via="terminal", files=choice)


def ask_about(hunk: JsonObject, where: str, read_line: Callable[[str], str]) -> str:
    """Show a hunk and ask until there is an answer: ``y``, ``n``, ``a``, ``d`` or ``q``."""
    for line in str(hunk["diff"]).split("\n"):
        say("  " + paint_diff_line(line, err=True))
    while True:
        answer = read_line(one_line(text("ask.hunk", where=where))).lower()
        if answer in _KEYS:
            return _KEYS[answer]
        say_wrapped(text("ask.hunk.help"))
