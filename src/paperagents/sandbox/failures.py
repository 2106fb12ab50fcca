"""From what a worker reports to an error with a code, a sentence and places in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import lossless_bytes, value_without_surrogates, without_surrogates
from paperagents.errors import SandboxCrashError, SandboxError, ScriptSyntaxError, ThrownError
from paperagents.messages import has_text, text
from paperagents.patterns import late_pattern

FIRST_LINE = 1001
"""Where the engine counts the first line of a block; the lines before it are the prelude's."""

_MAX_FRAMES = 50
_FRAME = late_pattern(r" +at (?:(?P<function>.{0,500}) \()?<input>:(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?$")
_NAME = late_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)
_WORD = late_pattern(r"[\w$]+|\S")
_NO_CODE = r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?"""
"""Comments and texts; each is taken whole, closed or not, so that no code takes more than linear time."""
_OF_NULL = late_pattern(r"cannot (?:read|set) property '(.{1,100})' of null")
_NOT_DEFINED = late_pattern(r"([\w$]{1,100}) is not defined")
_READ_ONLY = late_pattern(r"'([\w$]{1,100})' is read-only")
_NO_OBJECT = "Cannot convert undefined or null to object"
_ENGINE_ERRORS = frozenset({
    "AggregateError", "EvalError", "InternalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError",
    "URIError",
})  # fmt: skip
_CODES = {
    "timeout": "sandbox-timeout",
    "memory": "sandbox-memory",
    "stack": "sandbox-stack",
    "never": "sandbox-never-settled",
    "engine": "sandbox-crash",
}
_PROBLEMS = {
    "NaN": "value-not-finite",
    "Infinity": "value-not-finite",
    "-Infinity": "value-not-finite",
    "cycle": "value-cycle",
    "depth": "value-depth",
    "function": "value-function",
    "symbol": "value-symbol",
    "invalid date": "value-invalid-date",
}


class Phrase:
    """A part of a sentence that is put into the reader's language when the sentence is."""

    def __init__(self, key: str, /, **values: object) -> None:
        self._key = key
        self._values = values

    def __str__(self) -> str:
        return text(f"sandbox.{self._key}", **self._values)

    __repr__ = __str__


def breach(kind: str, stack: str, script: Excerpt, limits: Mapping[str, Any]) -> SandboxError:
    """The error of a block that met a limit; kind is the worker's word for which."""
    code = _CODES.get(kind, "sandbox-crash")
    frames = frames_of(stack, script)
    if kind == "timeout" and not frames:
        # In a built-in call that cannot be interrupted, or between two jobs; the block at least is known.
        frames = [start_of(script)]
    error = SandboxCrashError if code == "sandbox-crash" else SandboxError
    return error(code, details={"stack": frames}, place=place_of(frames), **limits)


def thrown(report: Mapping[str, JsonValue], script: Excerpt, limits: Mapping[str, Any]) -> SandboxError:
    """The error of a block that threw, or whose value could not cross the border."""
    match report.get("kind"):
        case "value":
            return refused_value(report, script, limits)
        case "memory" | "stack" as kind:
            return breach(kind, text_of(report, "stack"), script, limits)
    if report.get("name") == "InternalError" and report.get("message") == "string too long":
        # The engine's own limit on a text is another way to run out of memory.
        return breach("memory", text_of(report, "stack"), script, limits)
    return javascript_error(report, script)


def path_text(root: str, path: Sequence[object]) -> str:
    """A path as people write it: data.items[3]["odd key"]."""
    result = root
    for step in path:
        if isinstance(step, int | float):
            result += f"[{step:.0f}]"
        else:
            name = without_surrogates(str(step))
            result += f".{name}" if _NAME.fullmatch(name) else f'["{name}"]'
    return result if len(result) <= 300 else result[:150] + "…" + result[-149:]


def frames_of(stack: str, script: Excerpt) -> list[dict[str, Any]]:
    """The frames of the block's own code, at their lines and columns in the file."""
    lines = script.text.split("\n")
    frames: list[dict[str, Any]] = []
    for line in stack.split("\n")[:_MAX_FRAMES]:
        match = _FRAME.match(line)
        if match and -1 <= int(match["line"]) - FIRST_LINE < len(lines):
            frames.append(read_frame(match, lines, script))
    # What stands around a file to run it is nothing a person could look at.
    return [frame for frame in frames if script.has_line(frame["line"])]


def start_of(script: Excerpt) -> dict[str, Any]:
    """The beginning of a block as a frame; of a whole file, its first line."""
    span = script.span(0, 0)
    return {"function": None, "file": script.file, "line": max(span.line, 1), "column": span.column}


def correct_place(frames: list[dict[str, Any]], message: str, script: Excerpt) -> list[dict[str, Any]]:
    """The engine notes no place for some pieces of code, and tells the one it noted before.

    Where just one piece of the code can be meant, the error is there.
    """
    meant = _find_meant(message)
    if not frames or meant is None:
        return frames
    found = [each for each in re.finditer(meant, script.text, re.DOTALL) if each["meant"]]
    if len(found) != 1:
        return frames
    span = script.span(found[0].start(), found[0].end())
    return [{**frames[0], "line": span.line, "column": span.column}, *frames[1:]]


def _find_meant(message: str) -> str | None:
    """The pattern of what an error is about, where the engine may have noted no place for it."""
    if message == _NO_OBJECT:
        return rf"{_NO_CODE}|(?P<meant>\b(?:const|let|var)\s*\{{)"
    if (of_null := _OF_NULL.fullmatch(message)) is not None:
        return rf"{_NO_CODE}|(?P<meant>\bnull\s*(?:\.\s*{re.escape(of_null[1])}\b|\[))"
    if (constant := _READ_ONLY.fullmatch(message)) is not None:
        name = rf"(?<![\w$.])(?<!const ){re.escape(constant[1])}"
        return rf"{_NO_CODE}|(?P<meant>{name}\s*(?:[-+*/%&|^<>?]{{0,3}}=(?![=>])|\+\+|--))"
    if (undefined := _NOT_DEFINED.fullmatch(message)) is not None:
        # Also inside a text, which may be a template with code in it.
        return rf"(?P<meant>(?<![\w$.]){re.escape(undefined[1])}(?![\w$]))"
    return None


def read_frame(match: re.Match[str], lines: list[str], script: Excerpt) -> dict[str, Any]:
    """One frame of a stack, at its place in the file."""
    # The line before the first is the head of the function around the block; its place is the block's start.
    number, at = int(match["line"]) - FIRST_LINE, int(match["column"])
    number, at = (0, 1) if number < 0 else (number, at)
    # The engine counts columns in bytes of UTF-8.
    before = lossless_bytes(lines[number])[: at - 1].decode("utf-8", "ignore")
    offset = sum(len(each) + 1 for each in lines[:number]) + len(before)
    word = _WORD.match(script.text, offset)
    span = script.span(offset, word.end() if word else offset)
    function = match["function"] if match["function"] != "<anonymous>" else None
    return {"function": function, "file": script.file, "line": span.line, "column": span.column}


def refused_value(report: Mapping[str, JsonValue], script: Excerpt, limits: Mapping[str, Any]) -> SandboxError:
    """The error of a block whose value is not JSON."""
    problem, steps = str(report.get("problem")), report.get("path")
    if problem == "size":
        return SandboxError("sandbox-output", **limits)
    steps = steps if isinstance(steps, list) else []
    # The answer of a tool in one file comes with what it has stored.
    is_answer = script.last_line is not None and steps[:1] == ["value"]
    path = path_text("data", steps[1:] if is_answer else steps)
    key = _PROBLEMS.get(problem, "value-object")
    return SandboxError(
        "sandbox-value",
        details={"path": path},
        path=path,
        problem=Phrase(key, name=problem[:40], depth=200),
    )


def javascript_error(report: Mapping[str, JsonValue], script: Excerpt) -> SandboxError:
    """The error of a block that threw."""
    name, message = text_of(report, "name"), text_of(report, "message")
    said = message.removesuffix(".")  # our own sentence ends with one
    frames = correct_place(frames_of(text_of(report, "stack"), script), message, script)
    properties = report.get("properties")
    own = value_without_surrogates(properties) if isinstance(properties, dict) else {}
    is_syntax = report.get("syntax") is True
    if report.get("kind") == "null":
        message = said = "null"
    is_tool = script.last_line is not None
    is_own = is_tool and bool(message) and report.get("kind") != "null"
    is_own = is_own and (name not in _ENGINE_ERRORS or is_made_by_code(name, frames, script))
    error = ScriptSyntaxError if is_syntax else ThrownError if is_own else SandboxError
    return error(
        "sandbox-syntax" if is_syntax else "javascript-error",
        details={**own, "name": name or None, "message": message, "stack": frames},
        error=f"{name}: {said}" if name and said else name or said or Phrase("thrown-object"),
        advice=advise(message, name, in_tool=is_tool),
        place=place_of(frames or ([start_of(script)] if is_syntax else [])),
    )


def is_made_by_code(name: str, frames: Sequence[Mapping[str, Any]], script: Excerpt) -> bool:
    """Whether the code itself makes the error, ``new RangeError(…)``; one of the engine's own points elsewhere."""
    if not frames:
        return False
    line = script.text.split("\n")[frames[0]["line"] - script.position(1, 1)[0]]
    return re.match(rf"(?:new\s+)?{name}\b", line[frames[0]["column"] - 1 :]) is not None


def advise(message: str, name: str, *, in_tool: bool = False) -> Phrase | str:
    """What QuickJS means, where its own words puzzle people; a tool in one file has other ways out than a block."""
    if name == "RangeError" and message.startswith("too many arguments in function call"):
        return Phrase("too-many-arguments")
    if name == "ReferenceError" and message.endswith(" is not defined"):
        missing = message.removesuffix(" is not defined")
        keys = (*((f"missing-{missing}-in-tool",) if in_tool else ()), f"missing-{missing}")
        return next((Phrase(key) for key in keys if has_text(f"sandbox.{key}")), "")
    return ""


def place_of(frames: Sequence[Mapping[str, Any]]) -> Phrase | str:
    """Where it happened, as a part of a sentence."""
    if not frames:
        return ""
    file, line, column = (frames[0][key] for key in ("file", "line", "column"))
    return (
        Phrase("at-line", line=line, column=column)
        if file is None
        else Phrase("at-place", place=f"{file}:{line}:{column}")
    )


def text_of(report: Mapping[str, JsonValue], key: str) -> str:
    """A text of a report that nobody trusts."""
    value = report.get(key)
    return without_surrogates(value) if isinstance(value, str) else ""
