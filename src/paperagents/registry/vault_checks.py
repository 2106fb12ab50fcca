"""What is wrong between files: two with one id, calls to tools that are not there, circles, logs in the wrong place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice

from paperagents.definitions.names import closest, guess_name
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.definitions.tag import BUILTIN_WORDS
from paperagents.definitions.tool import AGENT_PREFIX
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
) -> dict[str, tuple[Problem, ...]]:
    """The problems between the files of a vault, by file; of ``foreign`` names nobody knows yet whether they exist.

    With ``only`` those of one file: its own calls are checked, and no others.
    """
    entries = tuple(entries)
    builtin = tuple(builtin)
    found: dict[str, list[Problem]] = defaultdict(list)
    for problem in _all_problems(entries, builtin, foreign, only):
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


def _all_problems(
    entries: tuple[Entry, ...], builtin: tuple[Entry, ...], foreign: Callable[[str], bool], only: str | None
) -> Iterator[Problem]:
    yield from _duplicates(entries, builtin)
    yield from _same_names(entries)
    yield from _taken_words(entries, builtin)
    yield from _logs_into_others(entries)
    known = index_by_name((*builtin, *entries))
    chosen = [entry for entry in entries if only in (None, entry.file)]
    yield from _unknown_to_agents(chosen, known)
    calls = [
        (entry, call)
        for entry in chosen
        if entry.kind != "agent"
        for call in entry.calls
        if call.tool in known or not foreign(call.tool)
    ]
    near = _nearest({call.tool for _, call in calls} - known.keys(), known)
    accepted = {name: frozenset(known[name].parameters) for name in {call.tool for _, call in calls} & known.keys()}
    for entry, call in calls:
        if call.tool not in known:
            yield _unknown_tool(entry, call, near.get(call.tool, ""))
        elif known[call.tool].type is not None:
            yield from _check_arguments(entry, call, known[call.tool], accepted[call.tool])
    if any(entry.calls for entry in chosen):
        yield from _circles(entries, known)


def _duplicates(entries: tuple[Entry, ...], builtin: tuple[Entry, ...]) -> Iterator[Problem]:
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        # A file that cannot be read at all has no id of its own to quarrel about.
        if entry.type is not None:
            groups["tool" if entry.is_tool else entry.kind, entry.id].append(entry)
    taken = {entry.id for entry in builtin}
    for (kind, identifier), group in groups.items():
        if kind != "agent" and identifier in taken:
            yield from (_problem(entry, "duplicate-id", entry.span, id=identifier, case="builtin") for entry in group)
        elif len(group) > 1:
            for entry in group:
                others = ", ".join(str(each.file) for each in group if each is not entry)
                yield _problem(entry, "duplicate-id", entry.span, id=identifier, other=others)


def _same_names(entries: tuple[Entry, ...]) -> Iterator[Problem]:
    """Who calls them by that name gets the first one."""
    groups: dict[tuple[bool, str], dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.type is not None and entry.kind != "tag":
            groups[entry.is_tool, entry.name][entry.id].append(entry)
    for (_, name), by_id in groups.items():
        for identifier, group in by_id.items() if len(by_id) > 1 else ():
            others = islice((str(each[0].file) for other, each in by_id.items() if other != identifier), MOST_NAMED)
            values = {"name": name, "other": ", ".join(others)}
            yield from (_problem(each, "duplicate-name", each.span, severity="warning", **values) for each in group)


def _taken_words(entries: tuple[Entry, ...], builtin: tuple[Entry, ...]) -> Iterator[Problem]:
    """Tags that are written like another one: the first has the word. Of one id in two places is told elsewhere."""
    owners = {word: word for word in BUILTIN_WORDS}
    taken = {entry.id for entry in builtin}
    for entry in entries:
        if entry.kind != "tag" or entry.id in taken or not entry.valid:
            continue
        others = {word: owners[word.lower()] for word in entry.words if owners.get(word.lower(), entry.id) != entry.id}
        in_the_way = others or (dict.fromkeys(entry.words, entry.id) if entry.id in BUILTIN_WORDS else {})
        for word, other in in_the_way.items():
            yield _problem(entry, "tag-word-taken", entry.words[word], word=word, tag=entry.id, other=other)
        if not in_the_way:
            owners |= {word.lower(): entry.id for word in entry.words}


def _logs_into_others(entries: tuple[Entry, ...]) -> Iterator[Problem]:
    """Logs that are never written: they would go into the file of another tool."""
    files = {entry.file for entry in entries}
    for entry in entries:
        if entry.log in files and entry.log != entry.file:
            yield _problem(entry, "invalid-log", entry.span, severity="warning", path=entry.log, case="tool")


def _nearest(unknown: Iterable[str], known: Mapping[str, Entry]) -> dict[str, str]:
    """Suggestions for unknown names; in a vault that is full of them, for the first ones only."""
    affordable = islice(sorted(unknown), MOST_COMPARISONS // (len(known) + 1) + 1)
    return {name: ", ".join(f"'{each}'" for each in closest(name, known)) for name in affordable}


def _unknown_tool(entry: Entry, call: CallSite, near: str) -> Problem:
    case = "suggestion" if near else None
    return _problem(entry, "unknown-tool", call.span, name=call.tool, suggestion=near, case=case)


def _unknown_to_agents(entries: Iterable[Entry], known: Mapping[str, Entry]) -> Iterator[Problem]:
    """Tools and agents that an agent names and that are not there; a pattern may match something later."""
    agents = {name: entry for name, entry in known.items() if entry.kind == "agent"}
    for entry in entries:
        if entry.kind != "agent":
            continue
        tools = ((call, known, "unknown-tool") for call in entry.calls if not call.tool.startswith(FOREIGN_PREFIX))
        for call, names, code in (*tools, *((call, agents, "unknown-agent") for call in entry.agents)):
            yield from _unmatched(entry, call, names, code)


def _unmatched(entry: Entry, call: CallSite, names: Mapping[str, Entry], code: str) -> Iterator[Problem]:
    if call.tool in names:
        return
    if not is_pattern(call.tool):
        near = ", ".join(f"'{each}'" for each in closest(call.tool, names))
        case = "suggestion" if near else None
        yield _problem(entry, code, call.span, name=call.tool, suggestion=near, case=case)
    elif not any(fits_pattern(call.tool, name) for name in islice(names, MOST_COMPARISONS)):
        yield _problem(entry, "pattern-matches-nothing", call.span, severity="warning", name=call.tool)


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


def _circles(entries: tuple[Entry, ...], known: Mapping[str, Entry]) -> Iterator[Problem]:
    """Chains that call themselves through steps that are always taken."""
    own = {entry.id: entry for entry in reversed(entries)}
    calls = {
        identifier: {known[call.tool].id: call for call in entry.calls if not call.conditional and call.tool in known}
        for identifier, entry in own.items()
    }
    circling = _peel(_turned(_peel(_turned({name: set(targets) for name, targets in calls.items()}))))
    for name in sorted(circling):
        target = next(each for each in calls[name] if each in circling)
        path = _path(name, calls, circling)
        yield _problem(own[name], "endless-chain", calls[name][target].span, path=path)


def _peel(graph: dict[str, set[str]]) -> dict[str, set[str]]:
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


def _turned(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets & graph.keys():
            turned[target].add(name)
    return turned


def _path(start: str, calls: Mapping[str, Mapping[str, CallSite]], circling: Container[str]) -> str:
    names = [start]
    while len(names) < 6:
        names.append(next(each for each in calls[names[-1]] if each in circling))
        if names[-1] in names[:-1]:
            return " → ".join(names)
    return " → ".join([*names, "…"])


def _problem(entry: Entry, code: str, span: Span | None, severity: Severity = "error", **values: object) -> Problem:
    span = span or Span(line=1, column=1, end_line=1, end_column=1)
    return Problem(code=code, severity=severity, file=entry.file or "", span=span, values=values)
