"""What is asked, and the answers there are."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, field
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, ToolError
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What a rule can say of a change: how it is made, and where."""

    mode: str = ""
    """``create``, ``append``, ``overwrite``, ``delete``, or empty where the tool has no modes."""
    path: str = ""
    method: str = ""
    host: str = ""

    @property
    def place(self) -> str:
        """For people: a path, or a method and a host."""
        return f"{self.method} {self.host}" if self.host else self.path


def read_scope(kept: JsonObject) -> Scope | None:
    """The scope that was kept with a question; one that is not understood is none, and so no rule."""
    match kept:
        case {"mode": str(mode), "path": str(path), "method": str(method), "host": str(host)}:
            return Scope(mode=mode, path=path, method=method, host=host)
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalRequest:
    """Exactly what will happen, for a person to read."""

    id: str
    run_id: str
    step: int
    tool: str
    arguments: JsonObject
    preview: str
    digest: str
    requested: str
    scope: Scope | None = None
    """What a rule about it would say; None where there can be none."""
    caller: str = ""
    """The outermost tool or agent of the call, by its key."""
    asked_in: str = ""
    """The run that asks: the one a person started, which is ``run_id``, or one below it."""
    path: str = ""
    """The step of that run."""
    effect: str = ""
    """The digest of the effect that is asked about."""
    files: tuple[JsonObject, ...] = ()
    """For several changes at once: each file with its diff and hunks, as ``describe_change`` has them."""
    pending: tuple[JsonObject, ...] = ()
    """What the run has collected so far and asks about at its end, in the same form."""
    new_text: Callable[[str, frozenset[int]], str | None] = field(default=lambda *_: None, compare=False, repr=False)
    """The text that one of the files gets with these hunks, for whoever edits it while the run waits for the answer.

    None where there is none: in a question that was kept, of a file that is deleted, or in an undo."""

    @property
    def target(self) -> str:
        """What it is done to, for people; empty where no rule can name it."""
        return "" if self.scope is None else self.scope.place or self.tool

    @property
    def is_intact(self) -> bool:
        """Whether it shows what its digest stands for: nobody may swap the picture of a stored question."""
        return self.digest == question_digest(
            self.effect, self.tool, self.arguments, self.preview, run_id=self.asked_in, path=self.path,
            changes=(self.files, self.pending),
        )  # fmt: skip

    def as_json(self) -> JsonObject:
        """The form of ``paper approvals list --json``."""
        question: JsonObject = {
            "id": self.id,
            "run_id": self.run_id,
            "step": self.step,
            "tool": self.tool,
            "arguments": self.arguments,
            "preview": self.preview,
            "digest": self.digest,
            "requested": self.requested,
        }
        for name, changes in (("files", self.files), ("pending", self.pending)):
            question |= {name: [*changes]} if changes else {}
        return question


@cache
def system_user() -> str:
    """The name of whoever the program runs for, as the system knows it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, kw_only=True, slots=True)
class Approved:
    """Yes: once, or with more."""

    by: str = field(default_factory=system_user)
    """Who decided: the system's user, the login of a page, the name of a token."""
    via: str = "function"
    """The way it was said: ``terminal``, ``page``, ``api``, ``mcp``, ``rule``, ``--yes``, or a caller's function."""
    at: str = field(default_factory=_now, compare=False)
    """When it was said."""
    rule: str = ""
    """The id of the rule that said it."""
    for_run: bool = False
    """And the same tool for the rest of this run."""
    always: bool = False
    """And the same from now on, by the narrowest rule that covers it."""
    path: str = ""
    """A wider place for that rule, as a pattern."""
    until: str = ""
    """Another end of that rule, as a time."""
    arguments: JsonObject | None = None
    """Yes to these arguments instead."""
    together: bool = False
    """And what this run changes from here on is collected, and asked about once, at its end."""
    files: JsonObject | None = None
    """For several changes at once, by the name of each file: true, false, ``{"hunks": [1, 3]}``,
    ``{"content": "…"}`` or ``{"reason": "why not"}``. None is yes to all."""

    @property
    def repeated(self) -> Approved:
        """The same yes to another change: by whom, when and how it was said, and nothing more."""
        return Approved(by=self.by, via=self.via, at=self.at)


@dataclass(frozen=True, kw_only=True, slots=True)
class Denied:
    """No, and why; the reason reaches the caller and the model."""

    reason: str = ""
    by: str = field(default_factory=system_user)
    """Who decided, as in ``Approved``; so are the way and the time."""
    via: str = "function"
    at: str = field(default_factory=_now, compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    """Nobody is there to answer now."""


Decision = Approved | Denied | Pending


def decision_as_json(decision: Decision) -> JsonObject:
    """An answer as it is kept until the run goes on."""
    match decision:
        case Approved():
            return {"approved": True, **asdict(decision)}
        case Denied():
            return {"approved": False, **asdict(decision)}
    raise ValueError("nobody has answered")


def decision_of(kept: JsonObject) -> Decision:
    """The answer that was kept. Unknown keys are ignored; one that is not understood is no answer, and so no yes."""
    match kept:
        case {
            "approved": True, "by": str(by), "via": str(via), "at": str(at),
            "for_run": bool(for_run), "always": bool(always),
        }:  # fmt: skip
            arguments, files = kept.get("arguments"), kept.get("files")
            path, until, together = kept.get("path", ""), kept.get("until", ""), kept.get("together") is True
            are_texts = isinstance(path, str) and isinstance(until, str)
            if are_texts and isinstance(arguments, dict | None) and isinstance(files, dict | None):
                return Approved(by=by, via=via, at=at, for_run=for_run, always=always, path=str(path), until=str(until),
                                together=together, arguments=arguments, files=files)  # fmt: skip
        case {"approved": False, "reason": str(reason)}:
            # A no stays one, also from before they had names.
            by, via, at = (str(kept.get(name, "")) for name in ("by", "via", "at"))
            return Denied(reason=reason, by=by, via=via, at=at)
    return Pending()


class Approver:
    """Who is asked. This one is nobody: what must be asked waits."""

    takes_time = False
    """Whether an answer may take minutes: nothing is held up meanwhile that others need."""

    decides_unseen = False
    """Whether it says yes to whatever comes."""

    def decide(self, request: ApprovalRequest) -> Decision:  # noqa: ARG002  nobody is there to read it
        """The answer to one request."""
        return Pending()

    def try_again(self, error: PaperError) -> bool:  # noqa: ARG002  nobody is there to read it
        """Whether a failed request is to be sent once more."""
        return False

    def confirm_environment(self, changed: PaperError) -> bool:  # noqa: ARG002  nobody is there to read it
        """Whether a tool whose file has changed may have what was given to it before."""
        return False


class ApproveEverything(Approver):
    """``--yes``: everything is approved, and the record says so."""

    decides_unseen = True

    def __init__(self, given: Approved | None = None) -> None:
        self._given = given

    def decide(self, request: ApprovalRequest) -> Decision:  # noqa: ARG002  everything is approved
        """Yes."""
        return self._given or Approved(via="--yes")


class AskFunction(Approver):
    """An approver made of a function, or of a coroutine function."""

    takes_time = True
    """It may ask a person."""

    def __init__(self, decide: Callable[[ApprovalRequest], Decision | Awaitable[Decision]]) -> None:
        self._decide = decide

    def decide(self, request: ApprovalRequest) -> Decision:
        """Whatever the function says. Raises ToolError where that is no decision: a flaw of it is no yes."""
        try:
            answer: Any = self._decide(request)
            decision = wait_for(answer) if hasattr(answer, "__await__") else answer
        except PaperError:
            raise
        except Exception as error:
            import logging  # noqa: PLC0415  only needed once something is wrong

            logging.getLogger("paper").exception("the approver failed")
            raise ToolError("approver-failed", tool=request.tool, reason=f"{type(error).__name__}: {error}") from error
        if not isinstance(decision, Approved | Denied | Pending):
            raise ToolError("approver-answer", tool=request.tool, answer=repr(decision)[:200])
        return decision


def wait_for(answer: Awaitable[Decision]) -> Decision:
    """What a coroutine gives, in a loop of its own: this thread may have one that is busy with waiting for us."""
    import asyncio  # noqa: PLC0415  most approvers need none
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  as above

    async def waiting() -> Decision:
        return await answer

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, waiting()).result()


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Who can be asked while a call is being performed, and for which run."""

    approver: Approver
    run_id: str
    step: int

    def ask(self, tool: str, arguments: JsonObject, preview: str) -> Decision:
        """Put a question that nobody could know before, for example of another server; it is not kept."""
        digest = digest_of([tool, arguments, preview])
        request = ApprovalRequest(
            id=digest[:16], run_id=self.run_id, step=self.step, tool=tool, arguments=arguments, preview=preview,
            digest=digest, requested=_now(),
        )  # fmt: skip
        return self.approver.decide(request)


asking: ContextVar[Asking | None] = ContextVar("asking", default=None)
"""Set while an effect is being performed."""


@contextmanager
def can_ask(who: Asking) -> Iterator[None]:
    """Inside, what is being performed can ask."""
    token = asking.set(who)
    try:
        yield
    finally:
        asking.reset(token)


def question_digest(  # noqa: PLR0913  everything a yes is bound to
    effect: str, tool: str, arguments: JsonObject, preview: str, *, run_id: str, path: str,
    changes: tuple[tuple[JsonObject, ...], tuple[JsonObject, ...]] = ((), ()),
) -> str:  # fmt: skip
    """Names a change by the digest of its effect, what a person was shown of it, and where in which run."""
    return digest_of([effect, tool, arguments, preview, run_id, path, [[*files] for files in changes]])


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a call will do, prepared so that it can be shown, approved, performed, or only planned."""

    tool: str
    arguments: JsonObject
    perform: Callable[[], JsonValue]
    needs_approval: bool = False
    preview: str = ""
    scope: Scope | None = None
    """What a rule about it can say; None where there can be none."""
    before: str = ""
    """The state the preview was made from. Another state is another change, and is asked again."""
    after: str | None = None
    """The state once it is performed, where that can be known: how a resumed run finds out what happened."""
    changes: tuple[Change, ...] = ()
    """The notes and entries it changes, as far as that can be seen before."""
    must_be_seen: bool = False
    """It rests on what a stranger may have written: only a yes of somebody who was shown it counts."""
    undoes: Mapping[str, str] = field(default_factory=dict)
    """Of changes that take one back: by name, the run that made it."""
    answer: JsonValue = None
    """The answer, where it can be known without performing it: for plans, and after an interruption."""
    current: Callable[[], str] = lambda: ""
    """The state now."""
    transaction: Callable[[], AbstractContextManager[Any]] | None = None
    """For what is kept in the journal's own database: performed and journaled in one transaction."""
    is_idempotent: bool = False
    """The other side recognises a repetition, so that it may be sent again."""
    runs_in_plan: bool = True
    """A plan may perform it: it reads, or writes to the plan's own copy."""
    leaves_the_vault: bool = False
    """It reaches another machine: an example needs a made-up answer instead."""
    perform_as: Callable[[str], JsonValue] | None = None
    """Performs it under a name of its own, by which the other side can recognise a repetition."""
    warn_of: Callable[[Any], Sequence[str]] = lambda answer: ()  # noqa: ARG005  most answers are complete
    """What a person should know of the answer once it is there."""
    refusal: ToolError | None = None
    """Why it cannot be performed as things stand."""
    cancel: Callable[[], None] = lambda: None
    """Ends it while it is being performed."""
    is_commit: bool = False
    """The gate itself makes its changes: all of them or none, also when the program is killed in between."""
    parts: tuple[tuple[str, Scope | None], ...] = ()
    """The tool and scope of each call that it is made of; what allows each of them allows the whole."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """Of changes that are made together: by name, the step that has changed it last."""
    choose: Callable[[JsonObject], Effect] | None = None
    """The part of it that an answer for each file agrees to."""

    @cached_property
    def digest(self) -> str:
        """Names exactly this change; several that are made together are named by their texts before and after."""
        return (
            self.before
            if self.is_commit
            else digest_of({"tool": self.tool, "arguments": self.arguments, "before": self.before})
        )

    @property
    def target(self) -> str:
        """What it is done to, for people; empty where no rule can name it."""
        return "" if self.scope is None else self.scope.place or self.tool

    def require_possible(self) -> Effect:
        """Raise why it cannot be performed, if anything."""
        if self.refusal is not None:
            raise self.refusal
        return self


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the value as canonical JSON: sorted keys, no blanks."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(canonical.encode("ascii")).hexdigest()
