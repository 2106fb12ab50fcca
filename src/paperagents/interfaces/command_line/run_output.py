"""Records of runs for a person, as JSON, or as a YAML log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.output import (
    local_time,
    one_line,
    paint,
    print_json,
    say,
    say_wrapped,
    visible,
)  # fmt: skip
from paperagents.interfaces.command_line.terminal import MARKS, paint_diff_line
from paperagents.messages import text
from paperagents.runs.history import Node, is_agents_log
from paperagents.runs.note_log import format_yaml_log
from paperagents.runs.record import RunRecord

if TYPE_CHECKING:
    from paperagents.vault import Vault

_COLOURS = {"succeeded": "green", "planned": "green", "failed": "red", "denied": "red", "cancelled": "yellow"}


def print_record(record: RunRecord, *, as_json: bool, log_format: str | None = None) -> None:
    """Print the result on standard output, everything else on standard error."""
    if as_json:
        print_json(record.as_json())
    elif log_format == "yaml":
        click.echo(format_yaml_log(record), nl=False)
    elif record.planned is not None:
        _print_plan(record)
    elif record.success:
        click.echo(visible(format_value(record.data)))
    if not as_json and not record.success:
        print_failure(record)


def print_full_record(vault: Vault, record: RunRecord) -> None:
    """Print everything about a run; the steps of an agent as a tree."""
    status = paint(text(f"status.{record.status}"), _COLOURS.get(record.status, "yellow"), bold=True)
    started = local_time(record.started, vault.settings.zone)
    click.echo(f"{record.run_id}  {visible(record.tool)}  {status}  {started}  {record.duration_ms:.1f} ms")
    if is_agents_log(record.execution_log):
        for line in tree_lines(vault.history.tree(record.run_id)):
            click.echo(line)
    else:
        _print_steps(record)
    if record.success:
        click.echo(visible(format_value(record.data)))
    else:
        print_failure(record)


def _print_steps(record: RunRecord) -> None:
    for entry in record.execution_log:
        status = text(f"status.{entry['status']}")
        what = f"{entry['block']:15} {entry['name']}  {status}  {entry['message']}"
        click.echo(visible(f"  {entry['step']:2}  {what}"))
        if entry["output"] is not None:
            click.echo(visible("      " + cut(json.dumps(entry["output"], ensure_ascii=False), 160)))


def format_value(value: object) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _print_plan(record: RunRecord) -> None:
    if not record.planned:
        say_wrapped(text("cli.run.plan-empty"))
    for call in record.planned or ():
        asks = paint(text("cli.run.asks"), "yellow") if call["would_ask"] else ""
        arguments = cut(json.dumps(call["arguments"], ensure_ascii=False), 160)
        click.echo(f"{call['step']:3}  {paint(visible(str(call['tool'])), bold=True)} {visible(arguments)} {asks}")
        for line in str(call["preview"]).split("\n") if call["preview"] else ():
            click.echo("       " + paint_diff_line(line))


def print_failure(record: RunRecord) -> None:
    """Print what went wrong on standard error, with the place in the JavaScript."""
    error = record.error or {}
    where = text("cli.run.at", step=error["step"], block=error["block"]) if error.get("step") else ""
    status = paint(text(f"cli.status.{record.status}"), _COLOURS.get(record.status, "yellow"), bold=True, err=True)
    say_wrapped(f"{status}{where}: {visible(str(error.get('message', '')))}")
    details = error.get("details")
    stack: list[JsonObject] = details.get("stack", []) if isinstance(details, dict) else []  # type: ignore[assignment]
    for frame in stack[:5]:
        place = f"{frame.get('file') or ''}:{frame['line']}:{frame['column']} {frame.get('function') or ''}"
        say(visible(f"    {place}"))
    if error.get("hint"):
        say_wrapped(visible(f"  {error['hint']}"))


def cut(shown: str, most: int) -> str:
    """The beginning of a long text."""
    return shown if len(shown) <= most else f"{shown[:most]}…"


def tree_lines(nodes: list[Node], indent: str = "") -> Iterator[str]:
    """A run as a tree: each step, and indented below it the run it started."""
    for node in nodes:
        is_last = node is nodes[-1]
        yield f"{indent}{'└─ ' if is_last else '├─ '}{_step_line(node.entry)}"
        yield from tree_lines(node.below, f"{indent}{'   ' if is_last else '│  '}")


def _step_line(entry: JsonObject) -> str:
    mark, colour = MARKS.get(str(entry["status"]), ("?", None))
    took = paint(f"{entry['duration_ms']:.0f} ms", "bright_black")
    block = "" if entry["block"] == "tool" else f" ({entry['block']})"
    what = summarise_step(entry)
    return f"{paint(mark, colour)} {entry['step']:2} {one_line(str(entry['name']))}{block}  {what}  {took}"


def summarise_step(entry: JsonObject) -> str:
    """What was called or answered, in a few words."""
    if entry["status"] != "success":
        return cut(one_line(str(entry["message"])), 100)
    output = entry["output"]
    if entry["name"] == "model" and isinstance(output, dict):
        calls = output.get("calls")
        made = [str(call["name"]) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        answer = " ".join([str(output.get("text") or ""), *(f"→ {name}" for name in made)]).strip()
        return cut(one_line(answer), 100)
    asked = f"{entry['message']} " if entry["hitl_required"] else ""
    return asked + cut(one_line(json.dumps(entry["parameters"], ensure_ascii=False)), 100)
