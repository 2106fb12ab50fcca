"""Repairs: what was probably meant in the place of what is written, and parameters that are not declared yet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paperagents.definitions.source import Problem, Span
from paperagents.language.answers import Edit, Fix
from paperagents.language.outline import Outline, sequence_in
from paperagents.language.view import View
from paperagents.messages import text

_LISTED = re.compile(r"'([^']+)'(?:, |$)")
_SEGMENT = re.compile(r"[^\s.\[\]{}\"']+")
_QUOTED = re.compile(r"""\s*(["'`])(.*)\1\s*""", re.DOTALL)
_PLAIN = re.compile(r"[^\W\d][\w.-]*")


def find_fixes(view: View, problem: Problem) -> Iterator[Fix]:
    """Every repair of one problem that the program knows."""
    replacements = list(_replacements(view, problem))
    for number, (span, words, meant) in enumerate(replacements):
        edit = Edit(file=view.document.file, span=span, text=words)
        title = text("language.fix.replace", text=meant)
        yield Fix(title=title, problem=problem, edits=(edit,), is_preferred=number == 0 and len(replacements) == 1)
    name = _missing_parameter(problem)
    edit_or_none = declare_parameter(view.outline, name) if name is not None else None
    if name is not None and edit_or_none is not None:
        yield Fix(title=text("language.fix.declare", name=name), problem=problem, edits=(edit_or_none,))


def suggestions_of(problem: Problem) -> list[str]:
    """The names that a problem suggests: one, or a list in quotes."""
    suggestion = str(problem.values.get("suggestion") or "")
    return _LISTED.findall(suggestion) or ([suggestion] if suggestion else [])


def _replacements(view: View, problem: Problem) -> Iterator[tuple[Span, str, str]]:
    """What to write where, and what to call it."""
    written = view.document.text_at(problem.span)
    if problem.code == "not-true":
        yield problem.span, "true", "true"
    elif problem.code == "argument-in-javascript":
        yield from _input_instead(view, problem, str(problem.values["name"]))
    elif problem.code == "undefined-name" and problem.values.get("case") in ("argument", "context"):
        owner = "input" if problem.values["case"] == "argument" else "context"
        meant = f"{owner}.{problem.values['name']}"
        yield problem.span, meant, meant
    else:
        for meant in suggestions_of(problem):
            yield problem.span, _put_in_place(problem, written, meant), meant


def _put_in_place(problem: Problem, written: str, meant: str) -> str:
    """The text of the span with the suggestion in it."""
    match problem.code:
        case "unknown-marker":
            return f"@{meant}"
        case "unknown-reference" | "prompt-placeholder":
            wanted = str(problem.values.get("wanted") or _root(str(problem.values.get("name", ""))))
            return replace_segment(written, wanted, meant)
        case "looks-like-a-reference":
            return f'"{meant}"'
    quoted = _QUOTED.fullmatch(written)
    if quoted is not None:
        return f"{quoted[1]}{meant}{quoted[1]}"
    is_plain = problem.code != "invalid-argument" or _PLAIN.fullmatch(meant) or meant.replace(".", "").isdigit()
    return meant if is_plain else f'"{meant}"'


def _root(path: str) -> str:
    found = _SEGMENT.search(path)
    return found[0] if found is not None else path


def replace_segment(written: str, wanted: str, meant: str) -> str:
    """A reference with another name in the place of one of its segments.

    >>> replace_segment("{{ steps.fnd.output }}", "fnd", "find")
    '{{ steps.find.output }}'
    """
    # A step whose output is missing is told as ``steps.find``; the segment is its last name.
    wanted = wanted.rpartition(".")[2]
    for segment in _SEGMENT.finditer(written):
        if segment[0] == wanted:
            return f"{written[: segment.start()]}{meant}{written[segment.end() :]}"
    return written


def _input_instead(view: View, problem: Problem, name: str) -> Iterator[tuple[Span, str, str]]:
    """``"{{title}}"`` becomes ``input.title``; inside a longer text it is put in between."""
    line, span, meant = view.document.line(problem.span.line), problem.span, f"input.{name}"
    before, after = line[: span.column - 1], line[span.end_column - 1 :]
    if before[-1:] in ("'", '"', "`") and after.startswith(before[-1]):
        wider = Span(line=span.line, column=span.column - 1, end_line=span.line, end_column=span.end_column + 1)
        yield wider, meant, meant
    elif before.count("`") % 2:
        yield span, f"${{{meant}}}", meant
    else:
        quote = next((sign for sign in ('"', "'") if before.count(sign) % 2), None)
        yield span, f"{quote} + {meant} + {quote}" if quote else meant, meant


# --- declaring what is missing


def _missing_parameter(problem: Problem) -> str | None:
    """The name that a declared parameter would make known."""
    if problem.code == "undeclared-input":
        return str(problem.values["name"])
    if problem.code == "unknown-reference" and problem.values.get("case") in ("name", "names", "suggestion", "field"):
        path = str(problem.values["reference"])
        root, _, rest = path.partition(".")
        wanted = str(problem.values["wanted"])
        is_argument = root == wanted or (root in ("input", "preprocess") and _root(rest) == wanted)
        return wanted if is_argument else None
    return None


def declare_parameter(outline: Outline, name: str) -> Edit | None:
    """The lines that declare a parameter, behind the others; None where the frontmatter has no place for lines."""
    front, document = outline.front, outline.document
    if front is None or document.line(2).lstrip().startswith("{"):
        return None
    if items := sequence_in(front, "parameters"):
        first = items[0].span
        dash = document.line(first.line)[: first.column - 1].rfind("-")
        if dash < 0 or document.line(first.line)[:dash].strip():
            return _declare_in_brackets(outline, items[-1].span, name)
        line = _last_line(outline, items[-1].span)
        return _insert(document.file, line + 1, _declaration(name, " " * dash))
    if "parameters" in front.entries:
        return _fill_empty_list(outline, name)
    anchor = next(each for each in ("description", "name", *front.entries) if each in front.entries)
    line = _last_line(outline, front.entries[anchor][1].span)
    return _insert(document.file, line + 1, f"parameters:\n{_declaration(name, '  ')}")


def _declare_in_brackets(outline: Outline, last: Span, name: str) -> Edit:
    """``[{name: x, type: string}]`` with another one."""
    end = Span(line=last.end_line, column=last.end_column, end_line=last.end_line, end_column=last.end_column)
    return Edit(file=outline.document.file, span=end, text=f", {{name: {_quote(name)}, type: string}}")


def _fill_empty_list(outline: Outline, name: str) -> Edit | None:
    """``parameters:`` or ``parameters: []`` with the first one."""
    assert outline.front is not None
    if outline.front.entries["parameters"][1].plain() not in (None, []):
        return None
    line = outline.front.key("parameters").span.line
    whole = Span(line=line, column=1, end_line=line, end_column=len(outline.document.line(line)) + 1)
    words = f"parameters:\n{_declaration(name, '  ')}".removesuffix("\n")
    return Edit(file=outline.document.file, span=whole, text=words)


def _declaration(name: str, indent: str) -> str:
    return f"{indent}- name: {_quote(name)}\n{indent}  type: string\n"


def _quote(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f'"{name}"'


def _insert(file: str, line: int, words: str) -> Edit:
    return Edit(file=file, span=Span(line=line, column=1, end_line=line, end_column=1), text=words)


def _last_line(outline: Outline, span: Span) -> int:
    """The last line of a node that is not blank."""
    lines = [outline.document.line(number) for number in range(span.line, span.end_line)]
    lines.append(outline.document.line(span.end_line)[: span.end_column - 1])
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return span.line + len(lines) - 1
