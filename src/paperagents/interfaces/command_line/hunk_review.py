"""Several changes in one question, answered hunk by hunk as ``git add -p`` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from paperagents.approval.question import ApprovalRequest, Approved
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.editor import edit_text
from paperagents.interfaces.command_line.output import one_line, paint_diff_line, say, say_wrapped
from paperagents.messages import text
from paperagents.runs.together import require_texts

_YES = {"y": "y", "yes": "y", "j": "y", "ja": "y", "是": "y", "n": "n", "no": "n", "nein": "n", "否": "n"}
_KEYS = _YES | {"a": "a", "d": "d", "e": "e", "q": "q"}
ReadLine = Callable[[str], str]
"""Puts a question and gives the line that is typed. Raises EOFError where the input ends."""


def review_hunks(request: ApprovalRequest, read_line: ReadLine) -> Approved:
    """Ask about each hunk of each file. Raises EOFError where the input ends before the last answer."""
    choice: dict[str, JsonValue] = {}
    is_over = False
    for place, file in enumerate(request.files, 1):
        answer: JsonValue = False
        if not is_over:
            answer, is_over = review_file(request, file, f"{place}/{len(request.files)} {file['path']}", read_line)
        choice[str(file["path"])] = answer
    return Approved(via="terminal", files=choice)


def review_file(request: ApprovalRequest, file: JsonObject, where: str, read_line: ReadLine) -> tuple[JsonValue, bool]:
    """The answer for one file, and whether the person wants to see no more."""
    hunks = file["hunks"]
    # An empty file is created, or deleted, as a whole.
    shown = [hunk for hunk in hunks if isinstance(hunk, dict)] if isinstance(hunks, list) and hunks else [file]
    taken: list[int] = []
    key: str | JsonObject = ""
    for number, hunk in enumerate(shown, 1):
        left = range(number, len(shown) + 1)
        edit = partial(edit_file, request, file, frozenset((*taken, *left)))
        key = ask_about(hunk, f"{where} {number}/{len(shown)}", read_line, edit)
        if isinstance(key, dict):
            return key, False
        taken += left if key == "a" else [number] if key == "y" else []
        if key in ("a", "d", "q"):
            break
    return ({"hunks": [*taken]} if 0 < len(taken) < len(shown) else bool(taken)), key == "q"


def ask_about(
    hunk: JsonObject, where: str, read_line: ReadLine, edit: Callable[[], JsonObject | None]
) -> str | JsonObject:
    """Show a hunk and ask until there is an answer: ``y``, ``n``, ``a``, ``d``, ``q``, or another text of the file."""
    for line in str(hunk["diff"]).split("\n"):
        say("  " + paint_diff_line(line, err=True))
    while True:
        key = _KEYS.get(read_line(one_line(text("ask.hunk", where=where))).lower())
        if key == "e":
            if (edited := edit()) is not None:
                return edited
        elif key is not None:
            return key
        else:
            say_wrapped(text("ask.hunk.help"))


def edit_file(request: ApprovalRequest, file: JsonObject, hunks: frozenset[int]) -> JsonObject | None:
    """What the person makes of a file with these hunks, in their own editor; None where nothing is decided."""
    path = str(file["path"])
    proposed = request.new_text(path, hunks)
    if proposed is None:
        say_wrapped(one_line(text("files-no-text", path=path)))
        return None
    try:
        if (written := edit_text(proposed, extension=".md")) is not None:
            answer: JsonObject = {"content": written}
            require_texts([file], {path: answer})
            return answer
        say_wrapped(text("ask.unchanged"))
    except UsageError as error:
        say_wrapped(one_line(str(error)))
    return None
