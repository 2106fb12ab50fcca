"""What is wrong between files: two with one id, calls to tools that are not there, circles, logs in the wrong place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from paperagents.calls.answers import CONTENT
from paperagents.calls.arguments import format_limit
from paperagents.calls.written_values import find_refusals
from paperagents.definitions.shapes import describe_missing, walk_shape
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.definitions.tag import BUILTIN_WORDS
from paperagents.definitions.text import guess_name
from paperagents.definitions.tool import Parameter, WrittenValue
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.registry.circles import Circles
from paperagents.registry.entry import CallSite, Entry
from paperagents.values import dataclass

if TYPE_CHECKING:
    from paperagents.registry.vault_index import VaultIndex

FOREIGN_PREFIX = "mcp:"
"""Tools of other servers: who they are is only known while they are connected."""
MOST_PER_CALL = 100
"""So many missing or unknown arguments of one call, and so many parameters, are looked at."""
MOST_NAMED = 5
"""So many other files of the same name are told."""


def is_remote(name: str) -> bool:
    """Whether a name is that of another server's tool."""
    return name.startswith(FOREIGN_PREFIX)


class FileChecks:
    """Everything that is checked between one entry's file and the others of its vault."""

    def __init__(self, index: VaultIndex, entry: Entry) -> None:
        self.index = index
        self.entry = entry

    def find_problems(self) -> Iterator[Problem]:
        """All problems, in the order in which they are told where they stand in the same place."""
        entry = self.entry
        yield from self.duplicates()
        if entry.stale:
            # Its places are those of the last good version, not of the file as it is.
            return
        yield from self.same_names()
        if entry.kind == "tag":
            yield from self.index.taken_words().get(entry.file or "", ())
        if entry.log != entry.file and self.index.has_entry(entry.log):
            yield _problem(entry, "invalid-log", entry.span, severity="warning", path=entry.log, case="tool")
        yield from self.unknown_to_agents() if entry.kind == "agent" else self.calls()
        yield from self.near_references()
        yield from self.unknown_answers()
        # Examples of a broken file are judged once it says what its parameters are.
        if entry.example_values and entry.valid:
            yield from find_wrong_values(entry, entry, entry.example_values, "warning")

    def duplicates(self) -> Iterator[Problem]:
        """Neither of two with one id runs."""
        entry = self.entry
        # A file that cannot be read at all has no id of its own to quarrel about.
        if entry.type is None:
            return
        if entry.kind != "agent" and self.index.is_given(entry.id):
            yield _problem(entry, "duplicate-id", entry.span, id=entry.id, case="builtin")
            return
        others = (file for file in self.index.files_with_id(entry) if file != entry.file)
        if named := ", ".join(islice(others, MOST_NAMED)):
            files = f"{entry.file}, {named}"
            yield _problem(entry, "duplicate-id", entry.span, id=entry.id, files=files, case="files")

    def same_names(self) -> Iterator[Problem]:
        """Who calls them by that name gets the first one."""
        entry = self.entry
        if entry.type is None or entry.kind == "tag":
            return
        firsts = self.index.first_files_by_id(entry)
        others = islice((file for identifier, file in firsts.items() if identifier != entry.id), MOST_NAMED)
        if named := ", ".join(others):
            values = {"name": entry.name, "other": named}
            yield _problem(entry, "duplicate-name", entry.span, severity="warning", **values)

    def unknown_to_agents(self) -> Iterator[Problem]:
        """Tools and agents that an agent names and that are not there; a pattern may match something later."""
        tools = ((call, False, "unknown-tool") for call in self.entry.calls if not is_remote(call.tool))
        agents = ((call, True, "unknown-agent") for call in self.entry.agents)
        for call, is_agent, code in (*tools, *agents):
            found = self.index.find(call.tool)
            if found is not None and (not is_agent or found.kind == "agent"):
                continue
            if not is_pattern(call.tool):
                yield _unknown_name(self.entry, call, code, self.index.suggest(call.tool, agents_only=is_agent))
            elif not self.index.matches_any(call.tool, agents_only=is_agent):
                yield _problem(self.entry, "pattern-matches-nothing", call.span, severity="warning", name=call.tool)

    def calls(self) -> Iterator[Problem]:
        """Calls of tools that are not there, and with arguments that those who are do not take."""
        for call in self.entry.calls:
            called = self.index.find(call.tool)
            if called is None:
                if not self.index.is_foreign(call.tool):
                    yield _unknown_name(self.entry, call, "unknown-tool", self.index.suggest(call.tool))
            elif called.type is not None:
                yield from _check_arguments(self.entry, call, called)
                yield from find_wrong_values(self.entry, called, call.values, "error")

    def near_references(self) -> Iterator[Problem]:
        """Texts that are nearly references, unless a file has that name."""
        for near in (each for call in self.entry.calls for each in call.near_references):
            if not self.index.is_file(near.text):
                values = {"text": near.text, "suggestion": near.suggestion}
                yield _problem(self.entry, "looks-like-a-reference", near.span, severity="warning", **values)

    def unknown_answers(self) -> Iterator[Problem]:
        """References into the answer of another file's tool that are not in its ``returns``.

        A schema that only names fields allows others: a name that is near none of them may be right.
        """
        for each in (each for call in self.entry.calls for each in call.answer_references):
            called = self.index.find(each.tool)
            missing = walk_shape(called.answer, each.path, named_only=True) if called is not None else None
            # What a tool shows stands beside what it says.
            if missing is not None and missing.wanted != CONTENT:
                may_be_right = missing.may_be_there and not missing.near()
                severity: Severity = "warning" if may_be_right else "error"
                values = describe_missing(each.text, missing)
                yield _problem(self.entry, "unknown-reference", each.span, severity=severity, **values)


def describe_circle(entry: Entry, circles: Circles) -> Problem:
    """Of a chain that calls itself through steps that are always taken."""
    span = circles.first_call(entry.id).span
    return _problem(entry, "endless-chain", span, path=circles.describe_path(entry.id))


def find_taken_words(tags: Iterable[Entry], tools: Iterable[Entry], given: Iterable[Entry]) -> Iterator[Problem]:
    """Tags that are written like another one, or a tool: who was first has the word.

    Of one id in two places is told elsewhere. A tag may have the id of a tool: it says how that is written.
    """
    given = tuple(given)
    owners = {entry.id.lower(): entry.id for entry in (*tools, *given) if entry.is_tool and entry.type is not None}
    owners |= {word: word for word in BUILTIN_WORDS}
    taken = {entry.id for entry in given}
    for entry in tags:
        if entry.id in taken or not entry.valid:
            continue
        own = {word: word.lower() for word in entry.words}
        others = {word: owners[low] for word, low in own.items() if owners.get(low, entry.id) != entry.id}
        in_the_way = others or (dict.fromkeys(entry.words, entry.id) if entry.id in BUILTIN_WORDS else {})
        for word, other in in_the_way.items():
            yield _problem(entry, "tag-word-taken", entry.words[word], word=word, tag=entry.id, other=other)
        if not in_the_way:
            owners |= dict.fromkeys(own.values(), entry.id)


def _unknown_name(entry: Entry, call: CallSite, code: str, near: str) -> Problem:
    case = "suggestion" if near else None
    return _problem(entry, code, call.span, name=call.tool, suggestion=near, case=case)


def is_pattern(name: str) -> bool:
    """Whether it may stand for several tools."""
    return any(sign in name for sign in "*?")


def fits_pattern(pattern: str, name: str) -> bool:
    """Whether a tool or agent is meant: by its name, or by a pattern in which ``*`` stands for any letters.

    It walks along and goes back only to the last star, so that no pattern costs more than both lengths multiplied.
    """
    place, at, star, resume = 0, 0, -1, 0
    while at < len(name):
        if place < len(pattern) and pattern[place] == "*":
            star, resume = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", name[at]):
            place, at = place + 1, at + 1
        elif star >= 0:
            resume += 1
            place, at = star + 1, resume
        else:
            return False
    return all(sign == "*" for sign in pattern[place:])


def _check_arguments(entry: Entry, call: CallSite, called: Entry) -> Iterator[Problem]:
    given = {called.aliases.get(name, name) for name in call.arguments}
    missing = [name for name in called.required if name not in given]
    accepted = frozenset(called.parameters)
    unknown = (name for name in call.arguments if called.aliases.get(name, name) not in accepted)
    free = [each for each in called.parameters[:MOST_PER_CALL] if each not in given]
    slips = {name: guess_name(name, free) for name in islice(unknown, MOST_PER_CALL)}
    meant = set(slips.values())
    # What a slip was meant to be is not told as missing, too.
    for name in islice((each for each in missing if each not in meant), MOST_PER_CALL):
        yield _problem(entry, "missing-argument", call.span, name=name, tool=called.id)
    for name, known in slips.items():
        is_error = called.strict or known in missing
        # A tool that takes anything may be given anything; a slip of the finger is still worth a word.
        if is_error or known is not None:
            suggestion, case = (f"'{known}'", "suggestion") if known else ("", None)
            values = {"name": name, "tool": called.id, "suggestion": suggestion, "case": case}
            severity: Severity = "error" if is_error else "warning"
            yield _problem(entry, "unknown-argument", call.arguments[name], severity=severity, **values)


def find_wrong_values(
    entry: Entry, called: Entry, values: Iterable[WrittenValue], severity: Severity
) -> Iterator[Problem]:
    """Values in the entry's file that the called tool refuses."""
    properties = called.schema.get("properties")
    if not isinstance(properties, dict):
        return
    for written in values:
        name = called.aliases.get(written.name, written.name)
        schema = properties.get(name)
        if not isinstance(schema, dict):
            continue
        parameter = Parameter(name=name, schema=schema, required=name in called.required)
        refusals = list(islice(find_refusals(written, parameter, called.schema), MOST_PER_CALL))
        for each in refusals:
            case = "suggestion" if each.suggestion else None
            told = {"tool": called.id, "reason": each.reason, "suggestion": each.suggestion, "case": case}
            yield _problem(entry, "invalid-argument", each.span, severity=severity, **told)
        if not refusals and name in called.refuses:
            yield from _find_refused_text(entry, called, name, written, severity)


def keep_doubtful_values(entry: Entry, builtin: Mapping[str, Entry]) -> Entry:
    """The entry without the values that are surely right, so that they are not judged each time.

    What other files of the vault say can change; what a built-in tool takes, and the file itself, cannot.
    """

    def doubtful(values: tuple[WrittenValue, ...], called: Entry) -> tuple[WrittenValue, ...]:
        return tuple(each for each in values if any(find_wrong_values(entry, called, (each,), "error")))

    calls = tuple(
        replace(call, values=doubtful(call.values, builtin[call.tool]))
        if call.tool in builtin and call.values
        else call
        for call in entry.calls
    )
    return replace(entry, calls=calls, example_values=doubtful(entry.example_values, entry))


def _find_refused_text(
    entry: Entry, called: Entry, name: str, written: WrittenValue, severity: Severity
) -> Iterator[Problem]:
    """What no schema says: paths that leave the vault, queries that cannot be read."""
    is_text = isinstance(written.value, str | int | float)
    pieces = written.templates.get("", (format_limit(written.value),) if is_text else ())
    if not any(pieces):
        return
    try:
        called.refuses[name](pieces)
    except PaperError as error:
        near = error.values.get("suggestion")
        told = {"tool": called.id, "reason": Refused(error=error, parameter=name), "suggestion": near}
        case = "suggestion" if near else None
        yield _problem(entry, "invalid-argument", written.span, severity=severity, **told, case=case)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """What a run would say, in the reader's language."""

    error: PaperError
    parameter: str

    def __str__(self) -> str:
        return text("argument-refused", parameter=self.parameter, reason=str(self.error))


def _problem(entry: Entry, code: str, span: Span | None, severity: Severity = "error", **values: object) -> Problem:
    span = span or Span(line=1, column=1, end_line=1, end_column=1)
    return Problem(code=code, severity=severity, file=entry.file or "", span=span, values=values)
