"""The documents of the REST API: requests, and what its description says about responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from paperagents.approval.trust import TrustKind, TrustState
from paperagents.runs.record import RunStatus

JsonDict = dict[str, Any]


class RequestBody(BaseModel):
    """What a client sends; a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewRun(RequestBody):
    """A call."""

    tool: str = Field(min_length=1, max_length=500)
    arguments: JsonDict = Field(default_factory=dict)
    dry_run: bool = False
    together: bool = Field(default=False, description="Collect the changes, and ask once, at the end.")


class PlaceInDraft(RequestBody):
    """A place in a file as it stands in an editor; lines and columns count from 1, in characters."""

    file: str = Field(min_length=1, max_length=4000)
    content: str = Field(max_length=2_000_000)
    line: int = Field(ge=1, le=10_000_000)
    column: int = Field(ge=1, le=10_000_000)


class WasDone(RequestBody):
    """A step of which nobody knew was done after all."""

    output: Any = Field(default=None, description="What it gave, as later steps see it.")


class Yes(RequestBody):
    """Approve exactly what was shown."""

    digest: str = Field(description="The digest of the question as it was shown.")
    arguments: JsonDict | None = Field(default=None, description="Other arguments to carry out instead.")
    for_run: bool = Field(default=False, description="And the same tool for the rest of the run.")
    always: bool = Field(default=False, description="And the same from now on, by the narrowest rule.")
    path: str = Field(default="", max_length=1000, description="A wider place for that rule, as a pattern.")
    until: str = Field(default="", max_length=40, description="The last day of that rule; else 90 days.")
    together: bool = Field(default=False, description="And what the run changes later is asked about once, at its end.")
    files: JsonDict | None = Field(
        default=None, description="For several changes: true, false, hunks or content for each file."
    )


class No(RequestBody):
    """Deny exactly what was shown."""

    digest: str = Field(description="The digest of the question as it was shown.")
    reason: str = Field(default="", max_length=10_000)


class TrustChoice(RequestBody):
    """Which things: by their digests, all of a kind, or all."""

    digests: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(default_factory=list, max_length=2000)
    kind: TrustKind | None = None
    all: bool = False


class EntryFields(RequestBody):
    """The fields of an entry to change; a kind of one's own has others."""

    model_config = ConfigDict(extra="allow")

    content: str | None = None
    heading: str | None = None
    notes: str | None = None
    status: str | None = None
    type: str | None = None
    description: str | None = None


class TextToExtract(RequestBody):
    """A model's text, and what to do with its calls."""

    text: str
    tool: str | None = Field(default=None, max_length=500, description="Only the calls of this tool.")
    apply: bool = Field(default=False, description="Carry the calls out.")
    all_or_nothing: bool = Field(default=False, description="Store nothing where one operation fails.")


class TextToResolve(RequestBody):
    """A text with references to the data vault."""

    text: str
    max_depth: int = Field(default=3, ge=0, le=1000, description="How deep entries may refer to entries.")


class Restored(RequestBody):
    """Which version an entry is to be again."""

    version: int = Field(ge=1, le=2**53)


VariableValue = Annotated[str, Field(max_length=100_000)] | int | float | bool | None
"""A setting or secret of a tool; nothing removes it."""


class Variable(BaseModel):
    """What is known of a setting or secret of a tool: everything but its value."""

    required: bool
    configured: bool
    value: Literal["***"] | None
    description: str | None
    default: Any


class Failure(BaseModel):
    """Why a run did not succeed."""

    code: str
    message: str
    hint: str | None
    step: int | None
    block: str | None
    retryable: bool
    details: JsonDict


class Problem(Failure):
    """Problem details (RFC 9457) with the code, hint and details of every error of Paper Agents.

    That of a run has the fields of its record, too, and so its ``status`` is that of the run.
    """

    type: str
    title: str
    status: int | RunStatus
    detail: str
    run_id: str | None = None


class LogEntry(BaseModel):
    """One block that ran, or one step that did not."""

    step: int
    block: Literal["preprocess", "tool", "postprocess", "custom_function"]
    name: str
    status: Literal["success", "error", "denied", "skipped", "waiting"]
    message: str
    parameters: JsonDict
    output: Any
    hitl_required: bool
    hitl_confirmed: bool | None
    approved_by: str | None
    approved_at: str | None
    approved_via: str | None
    console: list[Any]
    timestamp: str
    duration_ms: float


class Record(BaseModel):
    """The record of a run, the same everywhere."""

    run_id: str
    tool: str
    status: RunStatus
    success: bool
    data: Any
    error: Failure | None
    execution_log: list[LogEntry]
    started: str
    duration_ms: float
    parent_run: str | None
    warnings: list[str]
    planned: list[JsonDict] | None = None


class RunLine(BaseModel):
    """A run in the history."""

    run_id: str
    tool: str
    status: RunStatus
    started: str
    duration_ms: float


class FileProblem(BaseModel):
    """Something wrong with a file, and where."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Literal["error", "warning"]
    code: str
    message: str
    hint: str | None


class ToolLine(BaseModel):
    """A tool or agent in a list."""

    id: str
    name: str
    type: str | None
    kind: str
    description: str
    category: str | None
    file: str | None
    valid: bool
    problems: list[FileProblem]


class ToolDocument(BaseModel):
    """A tool with its manual and the JSON Schema of its arguments."""

    model_config = ConfigDict(extra="allow")

    id: str
    name: str
    description: str
    category: str | None
    file: str | None
    manual: str
    kind: str


class Approval(BaseModel):
    """An open question."""

    id: str
    run_id: str
    step: int
    tool: str
    arguments: JsonDict
    preview: str
    digest: str
    requested: str
    files: list[JsonDict] | None = Field(
        default=None, description="Of several changes: each file with its diff and hunks."
    )
    pending: list[JsonDict] | None = Field(default=None, description="What the run has collected so far.")


class NewText(BaseModel):
    """What a file of a question about several is to become."""

    path: str
    content: str


class ProposedRule(BaseModel):
    """The rule that "always" would make, or why there cannot be one; `path` is the narrowest place it can have."""

    words: str
    possible: bool
    path: str


class Rule(BaseModel):
    """What somebody has allowed from now on."""

    id: str
    tool: str
    by: str
    digest: str
    mode: str
    path: str
    method: str
    host: str
    allowed_by: str
    created: str
    until: str
    state: Literal["active", "sleeping", "expired"]


class StoredEntry(BaseModel):
    """A memory, task, goal, entry of the data vault, or of a kind of one's own."""

    model_config = ConfigDict(extra="allow")

    identifier: str
    heading: str | None
    content: str
    notes: str | None
    status: str | None
    type: str | None
    description: str | None
    created: str
    updated: str
    version: int


class EntryKindLine(BaseModel):
    """A kind of entries, and how many there are."""

    kind: str
    count: int


class EntryVersion(BaseModel):
    """What an entry was; nothing where it was deleted."""

    version: int
    changed: str
    fields: JsonDict | None


class SearchAnswer(BaseModel):
    """The answer of search_files."""

    results: list[JsonDict]
    count: int
    truncated: bool


class SettingLine(BaseModel):
    """A setting and where its value comes from."""

    value: Any
    origin: str


class TrustLine(BaseModel):
    """Something that the vault brings along."""

    kind: TrustKind
    what: str
    where: str
    digest: str
    state: TrustState


class Status(BaseModel):
    """What is being served."""

    version: str
    vault: str
    language: str
    mcp: str


class Extracted(BaseModel):
    """The calls of a text, what is wrong with its tags, and what came of each call that was carried out."""

    operations: list[JsonDict]
    diagnostics: list[JsonDict]
    results: list[JsonDict]


class Resolved(BaseModel):
    """A text with its entries."""

    original_text: str
    resolved_text: str
    references: list[str]
    missing: list[str]
    errors: list[JsonDict]
    depth: int
    fully_resolved: bool


class CompletionLine(BaseModel):
    """What can stand at a place: `insert` takes the place of the columns from `start` to `end`."""

    label: str
    kind: str
    insert: str
    start: int
    end: int
    detail: str
    documentation: str


class CompletionAnswer(BaseModel):
    """What can stand at a place, best first; with `is_cut` there is more, to be asked for when more is typed."""

    items: list[CompletionLine]
    is_cut: bool


class Definition(BaseModel):
    """Where something is defined."""

    file: str
    line: int
    column: int


class HoverAnswer(BaseModel):
    """What there is to say about a place, in Markdown, and where it is defined; empty where that is nothing."""

    markdown: str
    definitions: list[Definition]
