"""What is wrong with a block of JavaScript before it ever runs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from paperagents.definitions.source import Excerpt, Span
from paperagents.reading.javascript_checks import find_endless_loops, find_mistakes
from paperagents.reading.javascript_syntax import MAX_CHARACTERS, Finding, JavaScript
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import BUILT_IN_NAMES

MAX_FINDINGS = 20
"""Of one kind in one block: enough to act on."""
_OF_MODULES = ("require", "import", "export")


def check_block(script: Excerpt, arguments: Iterable[str], problems: ProblemList) -> JavaScript | None:
    """Check a block that is a function's body and must return something; None where it cannot be read."""
    if _is_too_long(script, problems):
        return None
    arguments = tuple(arguments)
    code = JavaScript(script.text, placeholders=(*arguments, *BUILT_IN_NAMES))
    _suggest_input(code, script, arguments, problems)
    if report_syntax_errors(code, script, problems):
        return None
    if next(code.returns(), None) is None:
        problems.error("missing-return", script.span(*_first_words(script.text)))
    for finding in islice(code.forbidden(), MAX_FINDINGS):
        problems.error("forbidden-javascript", _span(script, finding), name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.error("endless-loop", _span(script, finding))
    return code


def check_expression(script: Excerpt, references: Iterable[tuple[int, int]], problems: ProblemList) -> None:
    """Check a small expression, the condition of a step; where a reference in braces stands, a value will."""
    if _is_too_long(script, problems):
        return
    text = script.text
    for start, end in references:
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
    code = JavaScript(f"({text}\n)")
    error = code.syntax_error()
    if error is not None:
        start = min(max(error.start - 1, 0), len(script.text))
        problems.error("javascript-syntax", script.span(start, start + 1), reason=error.what)
        return
    for finding in islice(code.forbidden(), MAX_FINDINGS):
        span = script.span(finding.start - 1, finding.end - 1)
        problems.error("forbidden-javascript", span, name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.error("endless-loop", script.span(finding.start - 1, finding.end - 1))


def check_module(code: JavaScript, script: Excerpt, problems: ProblemList, *, confined: bool) -> None:
    """Warn of what will fail in a whole file; it may be ready for that, so the file can still be used.

    A file with packages is not ``confined`` to the small sandbox. What it loads by name is judged elsewhere.
    """
    missing = (each for each in code.forbidden() if each.what not in _OF_MODULES) if confined else ()
    for finding in islice(missing, MAX_FINDINGS):
        problems.warning("forbidden-javascript", _span(script, finding), name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.warning("endless-loop", _span(script, finding))


def _is_too_long(script: Excerpt, problems: ProblemList) -> bool:
    size = len(script.text)
    if size > MAX_CHARACTERS:
        problems.error("javascript-too-long", script.span(*_first_words(script.text)), size=size, limit=MAX_CHARACTERS)
    return size > MAX_CHARACTERS


def report_syntax_errors(code: JavaScript, script: Excerpt, problems: ProblemList) -> bool:
    """Report what no engine can read; whether there is any."""
    error = code.syntax_error()
    errors = [error] if error is not None else list(islice(find_mistakes(code), MAX_FINDINGS))
    for each in errors:
        problems.error("javascript-syntax", _span(script, each), reason=each.what)
    return bool(errors)


def _suggest_input(code: JavaScript, script: Excerpt, arguments: tuple[str, ...], problems: ProblemList) -> None:
    written = (each for each in code.placeholders if each.what in arguments and not code.is_comment(each))
    for finding in islice(written, MAX_FINDINGS):
        problems.warning("argument-in-javascript", _span(script, finding), name=finding.what)


def _span(script: Excerpt, finding: Finding) -> Span:
    return script.span(finding.start, max(finding.end, finding.start + 1))


def _first_words(text: str) -> tuple[int, int]:
    """The first line that says something, to point at a block as a whole."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    return start, len(text) if end < 0 else end
