"""A record as a person reads it, as JSON, or as the log form of the documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import partial

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.output import local_time, one_line, paint, print_json, say, tell, visible
from paperagents.interfaces.command_line.terminal import coloured_diff_line
from paperagents.messages import text
from paperagents.runs.journal import RunStore
from paperagents.runs.note_log import yaml_log
from paperagents.runs.record import RunRecord
from paperagents.runs.tree import Node, run_tree

_COLOURS = {"succeeded": "green", "planned": "green", "failed": "red", "denied": "red", "cancelled": "yellow"}


def print_record(record: RunRecord, *, as_json: bool, log_format: str | None = None) -> None:
    """The result on standard output; everything else on standard error."""
    if as_json:
        print_json(record.as_json())
    elif log_format == "yaml":
        click.echo(yaml_log(record), nl=False)
    elif record.planned is not None:
        _print_plan(record)
    elif record.success:
        click.echo(visible(shown_value(record.data)))
    if not as_json and not record.success:
        print_failure(record)


def print_full_record(
    record: RunRecord, print_steps: Callable[[], None] | None = None, *, zone: tzinfo | None = None
) -> None:
    """Everything about a run; ``print_steps`` draws its steps where they are more than a list."""
    status = paint(record.status, _COLOURS.get(record.status, "yellow"), bold=True)
    started = local_time(record.started, zone)
    click.echo(f"{record.run_id}  {visible(record.tool)}  {status}  {started}  {record.duration_ms:.1f} ms")
    (print_steps or partial(_print_steps, record))()
    if record.success:
        click.echo(visible(shown_value(record.data)))
    else:
        print_failure(record)


def _print_steps(record: RunRecord) -> None:
    for entry in record.execution_log:
        what = f"{entry['block']:15} {entry['name']}  {entry['status']}  {entry['message']}"
        click.echo(visible(f"  {entry['step']:2}  {what}"))
        if entry["output"] is not None:
            click.echo(visible("      " + _short(json.dumps(entry["output"], ensure_ascii=False))))


def shown_value(value: object) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _print_plan(record: RunRecord) -> None:
    if not record.planned:
        tell(text("cli.run.plan-empty"))
    for call in record.planned or ():
        asks = paint(text("cli.run.asks"), "yellow") if call["would_ask"] else ""
        arguments = _short(json.dumps(call["arguments"], ensure_ascii=False))
        click.echo(f"{call['step']:3}  {paint(visible(str(call['tool'])), bold=True)} {visible(arguments)} {asks}")
        for line in str(call["preview"]).split("\n") if call["preview"] else ():
            click.echo("       " + coloured_diff_line(line))


def print_failure(record: RunRecord) -> None:
    """What went wrong, on standard error."""
    error = record.error or {}
    where = text("cli.run.at", step=error["step"], block=error["block"]) if error.get("step") else ""
    status = paint(text(f"cli.status.{record.status}"), _COLOURS.get(record.status, "yellow"), bold=True, err=True)
    tell(f"{status}{where}: {visible(str(error.get('message', '')))}")
    for frame in _frames(error.get("details")):
        say(visible(f"    {frame}"))
    if error.get("hint"):
        tell(visible(f"  {error['hint']}"))


def _frames(details: object) -> list[str]:
    """Where in the file the JavaScript was."""
    stack = details.get("stack", []) if isinstance(details, dict) else []
    return [
        f"{frame.get('file') or ''}:{frame['line']}:{frame['column']} {frame.get('function') or ''}"
        for frame in stack[:5]
    ]


def _short(shown: str) -> str:
    return shown if len(shown) <= 160 else shown[:160] + "…"


# --- a run as a tree, drawn in lines


_MARKS = {"success": ("✓", "green"), "error": ("✗", "red"), "denied": ("✗", "red"), "skipped": ("–", None),
          "waiting": ("…", "yellow")}  # fmt: skip
_SHORT = 100


def print_tree(store: RunStore, run_id: str) -> None:
    """Every step with what came of it."""
    for line in _lines(run_tree(store, run_id), ""):
        click.echo(line)


def _lines(nodes: list[Node], indent: str) -> Iterator[str]:
    for node in nodes:
        is_last = node is nodes[-1]
        yield f"{indent}{'└─ ' if is_last else '├─ '}{_line(node.entry)}"
        yield from _lines(node.below, f"{indent}{'   ' if is_last else '│  '}")


def _line(entry: JsonObject) -> str:
    mark, colour = _MARKS.get(str(entry["status"]), ("?", None))
    took = paint(f"{entry['duration_ms']:.0f} ms", "bright_black")
    block = "" if entry["block"] == "tool" else f" ({entry['block']})"
    return f"{paint(mark, colour)} {entry['step']:2} {one_line(str(entry['name']))}{block}  {_gist(entry)}  {took}"


def _gist(entry: JsonObject) -> str:
    """What was wanted and what it gave, in one line."""
    if entry["status"] != "success":
        return _shorten(str(entry["message"]))
    output = entry["output"]
    if entry["name"] == "model" and isinstance(output, dict):
        calls = output.get("calls")
        made = [str(call["name"]) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        return _shorten(" ".join([str(output.get("text") or ""), *(f"→ {name}" for name in made)]).strip())
    asked = f"{entry['message']} " if entry["hitl_required"] else ""
    return asked + _shorten(json.dumps(entry["parameters"], ensure_ascii=False))


def _shorten(shown: str) -> str:
    shown = one_line(shown)
    return shown if len(shown) <= _SHORT else f"{shown[:_SHORT]}…"
