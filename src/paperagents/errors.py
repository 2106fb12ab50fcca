"""Every error a caller may catch.

    PaperError                  what went wrong, as code, message and hint
    ├── UsageError              asked in a way that cannot be answered (exit code 2)
    │   ├── UnknownToolError    no tool or agent of that name; tells the nearest ones
    │   ├── UnknownRunError     no run of that id
    │   ├── UnknownApprovalError    no open question of that id
    │   ├── AmbiguousIdError    the beginning of several ids; tells them
    │   ├── ApprovalChangedError    the question is not what was shown any more
    │   ├── RunOverError        the run has ended
    │   ├── RunBusyError        somebody else works on the run
    │   ├── SettingsError       an unknown or impossible setting; names file and line
    │   ├── InvalidArgumentsError   not what the tool wants; carries every problem
    │   └── VariableError       a setting or secret the tool declares
    │       ├── MissingVariableError    is not set
    │       └── WrongVariableError      is not what the tool's file asks for
    ├── BrokenFileError         a file has errors; carries all its problems
    ├── ReferenceMissingError   a reference stands for something that is not there
    ├── SandboxError            a piece of JavaScript ended badly
    │   ├── ScriptSyntaxError   no engine can read it
    │   └── SandboxCrashError   the worker process is gone
    ├── ToolError               a tool could not do what it was asked
    │   ├── FileChangedError    the target is not what was shown any more
    │   ├── HttpStatusError     a server answered with an error status
    │   ├── ModelRefusedError   the model's server refuses the request
    │   ├── ModelBusyError      the model's server cannot answer just now
    │   └── OutcomeUnknownError nobody knows whether it happened; it is not repeated
    ├── BusinessError           a failure that a tool itself has a name for
    ├── StorageError            what must be written down cannot be; the run can go on later
    │   └── RunTakenOverError   another process has the run now
    ├── DamagedRowError         what was written down cannot be read any more
    ├── DeniedError             a person said no (exit code 3)
    ├── WaitingError            nobody is there to say yes; the run waits (exit code 3)
    ├── CancelledError          the person who started the run stopped it
    └── PlanEndsError           what follows depends on what really happens

An error carries a stable kebab-case code and the values of its sentence; the sentence itself is looked
up in the reader's language when it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from paperagents.messages import Sentence, advice, join_sentences, sentence, text

if TYPE_CHECKING:
    # Every command loads this module, and few of them a definition.
    from paperagents.definitions.source import Problem
    from paperagents.definitions.tool import Block, ToolDefinition

SHORT_ID = 8
"""Letters of an id that a person is shown: a beginning is enough to name a run, question or rule."""


class PaperError(Exception):
    """What went wrong, as a code, a message and a hint."""

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        code: str,
        *,
        details: Mapping[str, Any] | None = None,
        retryable: bool = False,
        **values: object,
    ) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
        self.details = dict(details or {})
        self.retryable = retryable
        self.step: int | None = None
        self.block: str | None = None
        self.is_the_callers = False
        """The call itself was wrong: nothing has run yet."""

    @property
    def message(self) -> str:
        """The sentence of this error in the current language: for this very case, else for the code."""
        return sentence(self.code, self.values)

    @property
    def hint(self) -> str | None:
        """What to do next: for this very case, else for the code, where there is something to say."""
        return advice(self.code, self.values)

    def happened_at(self, step: int, block: str) -> None:
        """Note the place in the run; the outermost place is the one a person sees in the record."""
        self.step, self.block = step, block

    def as_json(self) -> dict[str, Any]:
        """The form of an error in records and in ``--json`` output."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "step": self.step,
            "block": self.block,
            "retryable": self.retryable,
            "details": self.details,
        }

    def __str__(self) -> str:
        return join_sentences(self.message, self.hint)


class UsageError(PaperError):
    """Something was asked in a way that cannot be answered."""

    exit_code = 2


class ToolError(PaperError):
    """A tool could not do what it was asked."""


class FileChangedError(ToolError):
    """The file or entry is not what was shown to the person any more; it can be shown again."""

    def __init__(self, *, path: str) -> None:
        super().__init__("file-changed", path=path)


class HttpStatusError(ToolError):
    """A server answered with a status of 400 or above (``http-status``)."""


class ModelRefusedError(ToolError):
    """The model's server refuses this request (``model-refused``)."""


class ModelBusyError(ToolError):
    """The model's server cannot answer just now; the same request may succeed later (``model-busy``)."""


class OutcomeUnknownError(ToolError):
    """The program was killed while it acted: nobody knows whether it happened, so it is not repeated."""

    def __init__(self, tool: str) -> None:
        super().__init__("outcome-unknown", tool=tool)


class BusinessError(PaperError):
    """A failure that a tool itself has a name for; code, sentence and advice are the tool's own."""

    def __init__(self, failure: Mapping[str, Any]) -> None:
        super().__init__(str(failure["code"]), retryable=bool(failure["retryable"]), details=dict(failure))

    @property
    def message(self) -> str:
        """What the tool says about it."""
        return str(self.details["description"])

    @property
    def hint(self) -> str | None:
        """What the tool advises."""
        solution = self.details.get("solution")
        return None if solution is None else str(solution)


class SandboxError(PaperError):
    """A piece of JavaScript ended badly: too slow, too big, or an error of its own."""


class ThrownError(SandboxError):
    """What the author of a tool throws, told in the author's own words (``javascript-error``)."""

    @property
    def message(self) -> str:
        """As it was written."""
        return str(self.details["message"])


class ScriptSyntaxError(SandboxError):
    """The engine cannot read the code (``sandbox-syntax``)."""


class SandboxCrashError(SandboxError):
    """The worker process ended without an answer (``sandbox-crash``)."""


class UnknownToolError(UsageError):
    """There is no tool or agent of that name; the nearest names are told."""

    def __init__(self, name: str, nearest: Sequence[str] = (), *, code: str = "unknown-tool") -> None:
        suggestion = ", ".join(f"'{each}'" for each in nearest)
        super().__init__(code, name=name, suggestion=suggestion, case="suggestion" if nearest else None)
        self.details = {"nearest": list(nearest)}


class UnknownRunError(UsageError):
    """There is no run of that id."""

    def __init__(self, run_id: str) -> None:
        super().__init__("unknown-run", id=run_id, case=run_id if run_id == "last" else None)


class UnknownApprovalError(UsageError):
    """There is no open question of that id: it was answered already, or never asked."""

    def __init__(self, approval_id: str) -> None:
        super().__init__("unknown-approval", id=approval_id, case=approval_id if approval_id == "last" else None)


class AmbiguousIdError(UsageError):
    """What was given is the beginning of several ids; the first ones are told."""

    def __init__(self, given: str, ids: Sequence[str]) -> None:
        super().__init__("ambiguous-id", id=given, ids=", ".join(ids), details={"ids": list(ids)})


class ApprovalChangedError(UsageError):
    """What the question is about is no longer what the person was shown."""

    def __init__(self, approval_id: str) -> None:
        super().__init__("approval-changed", id=approval_id)


class RunOverError(UsageError):
    """The run has ended; it cannot be resumed or answered."""

    def __init__(self, run_id: str, status: str) -> None:
        super().__init__("run-is-over", id=run_id, status=Sentence(key=f"status.{status}"))


class RunBusyError(UsageError):
    """Somebody else works on the run; it may be tried again later."""

    def __init__(self, run_id: str) -> None:
        super().__init__("run-is-running", id=run_id)


class UntrustedRunError(UsageError):
    """The run came with somebody's folder, and the user has not said that it may go on."""

    def __init__(self, run_id: str, digest: str) -> None:
        super().__init__("run-not-trusted", id=run_id, digest=digest[:12])


class BrokenFileError(PaperError):
    """A tool or agent cannot be used because its file has errors; carries all its problems."""

    def __init__(self, file: str, problems: Sequence[Problem], *, definition: ToolDefinition | None = None) -> None:
        errors = [problem for problem in problems if problem.severity == "error"]
        first = errors[0] if errors else None
        where = f"{file}:{first.span.line}:{first.span.column}: {first.message}" if first else file
        super().__init__("broken-file", file=file, count=len(errors), first=where)
        self.problems = tuple(problems)
        self.in_block: Block = definition.block_at(first.span.line) if definition and first else "tool"
        self.details = {"problems": [problem.as_json() for problem in problems]}


class SettingsError(UsageError):
    """A setting is unknown or has a value it cannot have; names file and line."""


class InvalidArgumentsError(UsageError):
    """The arguments are not what the tool wants; carries every problem.

    A tool in one JavaScript file has its own names for what can be wrong: its code is then one of those.
    """

    def __init__(
        self, tool: str, problems: Sequence[Mapping[str, Any]], *, code: str = "invalid-arguments", **values: Any
    ) -> None:
        told = join_sentences(*(str(problem["message"]) for problem in problems))
        super().__init__(code, tool=tool, problems=told, details={"problems": list(problems)}, **values)

    @property
    def message(self) -> str:
        """All problems, one after the other."""
        return text("invalid-arguments", **self.values)

    @property
    def hint(self) -> str | None:
        """How it is called, or where to read what the tool wants."""
        return advice("invalid-arguments", self.values)


class QuerySyntaxError(UsageError):
    """A query of the search cannot be read; tells the column (``query-syntax``)."""


class VariableError(UsageError):
    """Something is the matter with the settings or secrets that a tool declares. Values are never told."""

    sentence: ClassVar[str]

    def __init__(self, tool: str, names: Sequence[str], *, code: str | None = None, service: str | None = None) -> None:
        super().__init__(
            code or self.sentence,
            tool=tool,
            name=names[0],
            names=", ".join(names),
            service=service,
            case="service" if service else None,
            details={"variables": list(names)},
        )

    @property
    def message(self) -> str:
        """Which ones."""
        return text(self.sentence, **self.values)

    @property
    def hint(self) -> str | None:
        """How to set them."""
        return advice("missing-variable", self.values)


class MissingVariableError(VariableError):
    """A setting or secret that the tool declares is not set."""

    sentence = "missing-variable"


class WrongVariableError(VariableError):
    """A setting or secret is set, and not what the tool's file asks for."""

    sentence = "wrong-variable"


class EnvironmentChangedError(VariableError):
    """The tool's file is not the one that the settings and secrets were given to."""

    sentence = "environment-changed"

    @property
    def hint(self) -> str | None:
        """How to give them to the file as it is now."""
        return advice(self.sentence, self.values)


class ReferenceMissingError(PaperError):
    """A reference stands for something that is not there."""


class StorageError(PaperError):
    """What must be written down cannot be: a run stays as it was last written, and can go on from there."""


class RunTakenOverError(StorageError):
    """Another process has locked the run meanwhile; this one must write nothing more of it."""

    def __init__(self, run_id: str) -> None:
        super().__init__("run-taken-over", id=run_id)


class DamagedRowError(PaperError):
    """What was written down cannot be read any more; to try again later is of no use."""

    def __init__(self, table: str, column: str) -> None:
        super().__init__("row-damaged", table=table, column=column)


class DeniedError(PaperError):
    """A person said no."""

    exit_code = 3

    def __init__(self, reason: str, *, tool: str) -> None:
        case = "reason" if reason else None
        super().__init__("denied", tool=tool, reason=reason, case=case, details={"reason": reason})
        self.answer: Any = None
        """What an agent said to it, which is its answer all the same."""


class WaitingError(PaperError):
    """Nobody is there to say yes; the run waits."""

    exit_code = 3

    def __init__(self, tool: str, approval_id: str, *, is_repeated: bool = False) -> None:
        case = "repeated" if is_repeated else None
        super().__init__("waiting-for-approval", tool=tool, id=approval_id[:SHORT_ID], case=case)


class CancelledError(PaperError):
    """The person who started the run stopped it."""

    def __init__(self) -> None:
        super().__init__("cancelled")


class PlanEndsError(PaperError):
    """A plan cannot be made beyond this step: what comes after depends on what really happens."""

    def __init__(self) -> None:
        super().__init__("plan-ends")
