"""Open questions as pages show them: who wants what, exactly what will happen, the rule that "always" would make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest
from paperagents.approval.rule_words import describe_proposal
from paperagents.approval.rules import LASTING, escape_pattern
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.rendering import natural_order
from paperagents.interfaces.web.texts import Diff, read_diff
from paperagents.messages import LANGUAGES, choose_words, has_text, language, sentences, text
from paperagents.runs.restoring import RESTORE_ENTRY
from paperagents.runs.undo import UNDO
from paperagents.secrets.redaction import MASK, Redaction
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class HunkView:
    """One place of a file that would change."""

    number: int
    diff: Diff | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FileView:
    """One file of a question about several."""

    path: str
    change: str
    diff: Diff | None
    hunks: tuple[HunkView, ...]
    is_editable: bool
    """Whether its new text can be shown whole, and replaced."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionView:
    """An open question as it is shown."""

    request: ApprovalRequest
    caller: str
    """The name of the tool or agent that somebody started."""
    wish: Markup
    """Who wants what, in one sentence."""
    steps: int
    """How many steps the tool that was started has; 0 where nobody knows beforehand."""
    diff: Diff | None
    preview: str
    files: tuple[FileView, ...]
    pending: tuple[FileView, ...]
    """What the run has collected so far, and asks about at its end."""
    caution: str
    """What to know before the files are looked at."""
    always: str
    """The rule that "always" would make, in words."""
    pattern: str
    """The place of that rule, which can be widened."""
    until: str
    """Its last day."""

    @property
    def added(self) -> int:
        """How many lines are added in all files."""
        return sum(each.diff.added for each in self.files if each.diff is not None)

    @property
    def removed(self) -> int:
        """How many lines are removed in all files."""
        return sum(each.diff.removed for each in self.files if each.diff is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionGroup:
    """The open questions of one run."""

    run_id: str
    caller: str
    questions: tuple[QuestionView, ...]


def question_views(live: LiveRuns, run_id: str | None = None) -> tuple[QuestionView, ...]:
    """The open questions of a run, or all of them, the oldest first."""
    return tuple(question_view(live, request) for request in live.vault.history.questions(run_id))


def group_by_run(questions: Sequence[QuestionView]) -> list[QuestionGroup]:
    """Questions of one run together, the runs in the order of their oldest question."""
    runs = list(dict.fromkeys(each.request.run_id for each in questions))
    # Of steps side by side each asks when it comes to it; they are read in the order of the file.
    in_order = sorted(questions, key=lambda each: (runs.index(each.request.run_id), _place(each.request)))
    grouped = [(run_id, tuple(asked)) for run_id, asked in groupby(in_order, lambda each: each.request.run_id)]
    return [QuestionGroup(run_id=run_id, caller=asked[0].caller, questions=asked) for run_id, asked in grouped]


def _place(request: ApprovalRequest) -> tuple[int, list[tuple[int, str]]]:
    return request.step, natural_order(f"{request.asked_in} {request.path}")


def question_view(live: LiveRuns, request: ApprovalRequest) -> QuestionView:
    """One question with everything that its card shows."""
    preview = Redaction().text(without_pending(request))
    files = tuple(read_files(request, request.files))
    caller, steps = describe_caller(live, request.caller or request.tool)
    return QuestionView(
        request=request,
        caller=caller,
        wish=describe_wish(live, request, caller, files),
        steps=steps,
        diff=read_diff(preview) if request.tool == "write_file" and not files else None,
        preview=preview,
        files=files,
        pending=tuple(read_files(request, request.pending)),
        caution=preview.partition("\n")[0] if request.tool == UNDO and not preview.startswith("--- ") else "",
        always=describe_proposal(request, live.vault.settings.zone),
        pattern=escape_pattern(request.scope.path) if request.scope is not None else "",
        until=f"{(datetime.now(UTC) + LASTING).astimezone(live.vault.settings.zone):%Y-%m-%d}",
    )


def describe_caller(live: LiveRuns, key: str) -> tuple[str, int]:
    """The name of the tool or agent that somebody started, and how many steps it has."""
    if key == UNDO:
        return text("web.undo"), 0
    try:
        found = live.vault.registry.find_definition(key)
    except PaperError:
        return key, 0
    if not isinstance(found, ToolDefinition):
        return found.name, 0
    blocks = sum(each is not None for each in (found.preprocess, found.custom_function, found.postprocess))
    return found.name, len(found.steps) + blocks


def without_pending(request: ApprovalRequest) -> str:
    """The preview without the pending changes at its end, below a line of their own: the page shows them beside."""
    diffs = "\n".join(str(each["diff"]) for each in request.pending)
    return request.preview.removesuffix(f"\n{diffs}").rpartition("\n")[0].rstrip("\n") if diffs else request.preview


def describe_wish(live: LiveRuns, request: ApprovalRequest, caller: str, files: Sequence[FileView]) -> Markup:
    """Who wants what: "Keep wants to create kept/one.md", the names marked."""
    if request.tool == UNDO and (undone := live.vault.history.run(str(request.arguments.get("run")))) is not None:
        if undone.tool == UNDO:
            return mark_names("web.wants.redo")
        return mark_names("web.wants.undo", what=describe_caller(live, undone.tool)[0])
    mode = request.scope.mode if request.scope is not None else ""
    if request.caller == RESTORE_ENTRY and files:
        return mark_names("web.wants.restore", what=files[0].path)
    if files:
        return mark_names("web.wants.files", who=caller, count=str(len(files)))
    if request.scope is not None and request.scope.host:
        return mark_names("web.wants.send", who=caller, what=request.scope.place)
    key = f"web.wants.{mode}" if mode and has_text(f"web.wants.{mode}") else "web.wants.use"
    return mark_names(key, who=caller, what=request.target or request.tool)


def mark_names(key: str, **names: str) -> Markup:
    """A sentence of the catalogue with its values marked as names; they are escaped, the sentence is ours."""
    marked = {
        name: Markup("<strong><bdi>{}</bdi></strong>").format(escape_invisible(each)) for name, each in names.items()
    }
    template = choose_words(sentences()[key][LANGUAGES.index(language())], names)
    return escape(template).format(**marked)


def read_files(request: ApprovalRequest, files: Sequence[JsonObject]) -> Iterator[FileView]:
    """The files of a question about several changes, or those that are pending beside it."""
    told: Any = Redaction().value([*files])
    for each in told:
        hunks = tuple(
            HunkView(number=int(hunk["number"]), diff=_read_hunks(str(each["path"]), [hunk])) for hunk in each["hunks"]
        )
        diff = _read_hunks(str(each["path"]), each["hunks"])
        # A text without its secrets cannot be changed; what an undo restores is what was there before.
        is_editable = (
            request.tool not in (UNDO, RESTORE_ENTRY) and each["change"] != "deleted" and MASK not in str(each["diff"])
        )
        yield FileView(
            path=str(each["path"]), change=str(each["change"]), diff=diff, hunks=hunks, is_editable=is_editable
        )


def _read_hunks(path: str, hunks: Sequence[dict[str, Any]]) -> Diff | None:
    """Some places of a file, also of one that would be deleted: nobody says yes to what is not shown."""
    lines = [f"--- a/{path}", f"+++ b/{path}"]
    for hunk in hunks:
        written = str(hunk["diff"]).removesuffix("\n")
        lines.append(written if written.startswith("@@ ") else f"{hunk['header']}\n{written}")
    return read_diff("\n".join(lines))
