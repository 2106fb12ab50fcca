"""What is wrong between files: two with one id, calls to tools that are not there, circles, logs in the wrong place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from paperagents.calls.answers import CONTENT
from paperagents.calls.arguments import format_limit
from paperagents.calls.written_values import find_refusals
from paperagents.definitions.shapes import describe_missing, walk_shape
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.definitions.tag import BUILTIN_WORDS
from paperagents.definitions.text import closest, guess_name
from paperagents.definitions.tool import AGENT_PREFIX, Parameter, WrittenValue
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.registry.entry import CallSite, Entry

FOREIGN_PREFIX = "mcp:"
"""Tools of other servers: who they are is only known while they are connected."""
MOST_PER_CALL = 100
"""So many missing or unknown arguments of one call, and so many parameters, are looked at."""
MOST_NAMED = 5
"""So many other files of the same name are told."""
MOST_COMPARISONS = 100_000
"""So many pairs of names are compared for suggestions: huge vaults must not wait for them."""


def is_remote(name: str) -> bool:
    """Whether a name is that of another server's tool."""
    return name.startswith(FOREIGN_PREFIX)


def find_problems(
    entries: Iterable[Entry],
    builtin: Iterable[Entry],
    foreign: Callable[[str], bool] = is_remote,
    *,
    only: str | None = None,
    is_file: Callable[[str], bool] = lambda _: False,
) -> dict[str, tuple[Problem, ...]]:
    """The problems between the files of a vault, by file; of ``foreign`` names nobody knows yet whether they exist.

    With ``only`` those of one file: its own calls are checked, and no others. ``is_file`` knows the names of files,
    which may look like references.
    """
    found: dict[str, list[Problem]] = defaultdict(list)
    for problem in _Checks(entries, builtin, foreign, only, is_file).all_problems():
        if only in (None, problem.file):
            found[problem.file].append(problem)
    return {file: tuple(problems) for file, problems in found.items()}


def index_by_name(entries: Iterable[Entry]) -> dict[str, Entry]:
    """What can be called, by id, and by name where no other has that as its id.

    A tool goes before an agent of the same name; such an agent is called with ``agent:`` before its id.
    """
    entries = tuple(entries)
    tools = [entry for entry in entries if entry.is_tool and entry.type is not None]
    # What cannot be read at all is found, too, but hides nothing.
    unread = [entry for entry in entries if entry.is_tool and entry.type is None]
    agents = [entry for entry in entries if entry.kind == "agent"]
    return {
        **_named(unread),
        **{f"{AGENT_PREFIX}{name}": entry for name, entry in _named(agents).items()},
        **_named(agents),
        **_named(tools),
    }


def _named(entries: list[Entry]) -> dict[str, Entry]:
    names = {entry.name: entry for entry in reversed(entries)}
    return {**names, **{entry.id: entry for entry in reversed(entries)}}


class _Checks:
    """Everything that is checked between files."""

    def __init__(
        self,
        entries: Iterable[Entry],
        builtin: Iterable[Entry],
        foreign: Callable[[str], bool],
        only: str | None,
        is_file: Callable[[str], bool],
    ) -> None:
        self.is_file = is_file
        self.entries = tuple(entries)
        self.builtin = tuple(builtin)
        self.foreign = foreign
        self.chosen = [entry for entry in self.entries if only in (None, entry.file)]
        self.known = index_by_name((*self.builtin, *self.entries))

    def all_problems(self) -> Iterator[Problem]:
        yield from self.duplicates()
        yield from self.same_names()
        yield from self.taken_words()
        yield from self.logs_into_others()
        yield from self.unknown_to_agents()
        yield from self.calls()
        yield from self.near_references()
        yield from self.unknown_answers()
        for entry in self.chosen:
            # Examples of a broken file are judged once it says what its parameters are.
            if entry.example_values and entry.valid:
                yield from find_wrong_values(entry, entry, entry.example_values, "warning")
        if any(entry.calls for entry in self.chosen):
            yield from self.circles()

    def duplicates(self) -> Iterator[Problem]:
        groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in self.entries:
            # A file that cannot be read at all has no id of its own to quarrel about.
            if entry.type is not None:
                groups["tool" if entry.is_tool else entry.kind, entry.id].append(entry)
        taken = {entry.id for entry in self.builtin}
        for (kind, identifier), group in groups.items():
            if kind != "agent" and identifier in taken:
                for entry in group:
                    yield _problem(entry, "duplicate-id", entry.span, id=identifier, case="builtin")
            elif len(group) > 1:
                for entry in group:
                    others = ", ".join(str(each.file) for each in group if each is not entry)
                    yield _problem(entry, "duplicate-id", entry.span, id=identifier, other=others)

    def same_names(self) -> Iterator[Problem]:
        """Who calls them by that name gets the first one."""
        groups: dict[tuple[bool, str], dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
        for entry in self.entries:
            if entry.type is not None and entry.kind != "tag":
                groups[entry.is_tool, entry.name][entry.id].append(entry)
        for (_, name), by_id in groups.items():
            for identifier, group in by_id.items() if len(by_id) > 1 else ():
                others = islice((str(each[0].file) for other, each in by_id.items() if other != identifier), MOST_NAMED)
                values = {"name": name, "other": ", ".join(others)}
                yield from (_problem(each, "duplicate-name", each.span, severity="warning", **values) for each in group)

    def taken_words(self) -> Iterator[Problem]:
        """Tags that are written like another one, or a tool: who was first has the word.

        Of one id in two places is told elsewhere. A tag may have the id of a tool: it says how that is written.
        """
        if all(entry.kind != "tag" for entry in self.entries):
            return
        tools = [entry for entry in (*self.entries, *self.builtin) if entry.is_tool and entry.type is not None]
        owners = {entry.id.lower(): entry.id for entry in tools} | {word: word for word in BUILTIN_WORDS}
        taken = {entry.id for entry in self.builtin}
        for entry in self.entries:
            if entry.kind != "tag" or entry.id in taken or not entry.valid:
                continue
            own = {word: word.lower() for word in entry.words}
            others = {word: owners[low] for word, low in own.items() if owners.get(low, entry.id) != entry.id}
            in_the_way = others or (dict.fromkeys(entry.words, entry.id) if entry.id in BUILTIN_WORDS else {})
            for word, other in in_the_way.items():
                yield _problem(entry, "tag-word-taken", entry.words[word], word=word, tag=entry.id, other=other)
            if not in_the_way:
                owners |= dict.fromkeys(own.values(), entry.id)

    def logs_into_others(self) -> Iterator[Problem]:
        """Logs that are never written: they would go into the file of another tool."""
        files = {entry.file for entry in self.entries}
        for entry in self.entries:
            if entry.log in files and entry.log != entry.file:
                yield _problem(entry, "invalid-log", entry.span, severity="warning", path=entry.log, case="tool")

    def unknown_to_agents(self) -> Iterator[Problem]:
        """Tools and agents that an agent names and that are not there; a pattern may match something later."""
        agents = {name: entry for name, entry in self.known.items() if entry.kind == "agent"}
        for entry in self.chosen:
            if entry.kind != "agent":
                continue
            tools = ((call, self.known, "unknown-tool") for call in entry.calls if not is_remote(call.tool))
            for call, names, code in (*tools, *((call, agents, "unknown-agent") for call in entry.agents)):
                if call.tool in names:
                    continue
                if not is_pattern(call.tool):
                    yield _unknown_name(entry, call, code, ", ".join(f"'{each}'" for each in closest(call.tool, names)))
                elif not any(fits_pattern(call.tool, name) for name in islice(names, MOST_COMPARISONS)):
                    yield _problem(entry, "pattern-matches-nothing", call.span, severity="warning", name=call.tool)

    def calls(self) -> Iterator[Problem]:
        """Calls of tools that are not there, and with arguments that those who are do not take."""
        known = self.known
        chains = [entry for entry in self.chosen if entry.kind != "agent"]
        calls = [
            (entry, call)
            for entry in chains
            for call in entry.calls
            if call.tool in known or not self.foreign(call.tool)
        ]
        wanted = {call.tool for _, call in calls}
        # In a vault that is full of unknown names, there are suggestions for the first ones only.
        affordable = islice(sorted(wanted - known.keys()), MOST_COMPARISONS // (len(known) + 1) + 1)
        near = {name: ", ".join(f"'{each}'" for each in closest(name, known)) for name in affordable}
        accepted = {name: frozenset(known[name].parameters) for name in wanted & known.keys()}
        for entry, call in calls:
            if call.tool not in known:
                yield _unknown_name(entry, call, "unknown-tool", near.get(call.tool, ""))
            elif known[call.tool].type is not None:
                yield from _check_arguments(entry, call, known[call.tool], accepted[call.tool])
                yield from find_wrong_values(entry, known[call.tool], call.values, "error")

    def near_references(self) -> Iterator[Problem]:
        """Texts that are nearly references, unless a file has that name."""
        for entry in self.chosen:
            for near in (each for call in entry.calls for each in call.near_references):
                if not self.is_file(near.text):
                    values = {"text": near.text, "suggestion": near.suggestion}
                    yield _problem(entry, "looks-like-a-reference", near.span, severity="warning", **values)

    def unknown_answers(self) -> Iterator[Problem]:
        """References into the answer of another file's tool that are not in its ``returns``.

        A schema that only names fields allows others: a name that is near none of them may be right.
        """
        for entry in self.chosen:
            for each in (each for call in entry.calls for each in call.answer_references):
                called = self.known.get(each.tool)
                missing = walk_shape(called.answer, each.path, named_only=True) if called is not None else None
                # What a tool shows stands beside what it says.
                if missing is not None and missing.wanted != CONTENT:
                    may_be_right = missing.may_be_there and not missing.near()
                    severity: Severity = "warning" if may_be_right else "error"
                    values = describe_missing(each.text, missing)
                    yield _problem(entry, "unknown-reference", each.span, severity=severity, **values)

    def circles(self) -> Iterator[Problem]:
        """Chains that call themselves through steps that are always taken."""
        own = {entry.id: entry for entry in reversed(self.entries)}
        calls = {
            identifier: {
                self.known[call.tool].id: call
                for call in entry.calls
                if not call.conditional and call.tool in self.known
            }
            for identifier, entry in own.items()
        }
        # What nothing calls, and what calls nothing, is taken away from both ends: circles are left.
        circling = peel(turn(peel(turn({name: set(targets) for name, targets in calls.items()}))))
        for name in sorted(circling):
            target = next(each for each in calls[name] if each in circling)
            path = describe_path(name, calls, circling)
            yield _problem(own[name], "endless-chain", calls[name][target].span, path=path)


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


def _check_arguments(entry: Entry, call: CallSite, called: Entry, accepted: frozenset[str]) -> Iterator[Problem]:
    given = {called.aliases.get(name, name) for name in call.arguments}
    missing = (name for name in called.required if name not in given)
    for name in islice(missing, MOST_PER_CALL):
        yield _problem(entry, "missing-argument", call.span, name=name, tool=called.id)
    unknown = ((name, span) for name, span in call.arguments.items() if called.aliases.get(name, name) not in accepted)
    for name, span in islice(unknown, MOST_PER_CALL):
        yield from _check_unknown(entry, called, name, span, given)


def _check_unknown(entry: Entry, called: Entry, name: str, span: Span, given: set[str]) -> Iterator[Problem]:
    """A tool that takes anything may be given anything; a slip of the finger is still worth a word."""
    meant = guess_name(name, [each for each in called.parameters[:MOST_PER_CALL] if each not in given])
    if not called.strict and meant is None:
        return
    severity: Severity = "error" if called.strict else "warning"
    case = "suggestion" if meant else None
    values = {"name": name, "tool": called.id, "suggestion": f"'{meant}'", "case": case}
    yield _problem(entry, "unknown-argument", span, severity=severity, **values)


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


def peel(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Take away what nothing points to, again and again: only what a circle reaches is left."""
    pointed_at = Counter(target for targets in graph.values() for target in targets)
    loose = [name for name in graph if not pointed_at[name]]
    graph = dict(graph)
    while loose:
        for target in graph.pop(loose.pop()):
            pointed_at[target] -= 1
            if not pointed_at[target] and target in graph:
                loose.append(target)
    return graph


def turn(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same graph with every arrow the other way round."""
    turned: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets & graph.keys():
            turned[target].add(name)
    return turned


def describe_path(start: str, calls: Mapping[str, Mapping[str, CallSite]], circling: Container[str]) -> str:
    """The first names of a circle, with arrows between."""
    names = [start]
    while len(names) < 6:
        names.append(next(each for each in calls[names[-1]] if each in circling))
        if names[-1] in names[:-1]:
            return " → ".join(names)
    return " → ".join([*names, "…"])


def _problem(entry: Entry, code: str, span: Span | None, severity: Severity = "error", **values: object) -> Problem:
    span = span or Span(line=1, column=1, end_line=1, end_column=1)
    return Problem(code=code, severity=severity, file=entry.file or "", span=span, values=values)
