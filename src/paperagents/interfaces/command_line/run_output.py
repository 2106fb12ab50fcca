"""Records of runs for a person, as JSON, or as a YAML log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from paperagents.calls.answers import show_answer
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.output import (
    format_duration,
    local_time,
    name_command,
    one_line,
    pad,
    paint,
    paint_diff_line,
    print_json,
    say,
    say_warning,
    say_wrapped,
    visible,
)  # fmt: skip
from paperagents.interfaces.command_line.progress import MARKS
from paperagents.messages import text
from paperagents.runs.history import Node, is_agents_log
from paperagents.runs.note_log import format_yaml_log
from paperagents.runs.record import RunRecord
from paperagents.runs.usage import describe_usage

if TYPE_CHECKING:
    from paperagents.vault import Vault

_COLOURS = {"succeeded": "green", "planned": "green", "failed": "red", "denied": "red", "cancelled": "yellow"}


def print_record(
    vault: Vault, record: RunRecord, *, as_json: bool, log_format: str | None = None, field: str | None = None
) -> None:
    """Print the result on standard output, everything else on standard error."""
    if as_json and (field is None or not record.success):
        print_json(record.as_json())
    elif log_format == "yaml":
        click.echo(format_yaml_log(record), nl=False)
    elif record.success and record.planned is None:
        _print_result(record.data, field, as_json=as_json)
    if not as_json and not record.success:
        print_failure(vault, record)
    if not as_json:
        print_usage(record)
    if not as_json and record.planned is not None:
        _print_plan(record)


def print_usage(record: RunRecord) -> None:
    """What models have used, where one was asked."""
    if line := describe_usage(record.usage):
        say(paint(line, "bright_black", err=True))


def _print_result(data: JsonValue, field: str | None, *, as_json: bool) -> None:
    shown = data if field is None else find_field(data, field)
    if field is None and not as_json:
        shown = show_answer(data)
    if as_json:
        print_json(shown)
    elif field is not None and isinstance(shown, list) and not any(isinstance(each, list | dict) for each in shown):
        # A line for each: what other programs take.
        for each in shown:
            click.echo(visible(format_value(each)))
    else:
        click.echo(visible(format_value(shown)))


def find_field(data: JsonValue, field: str) -> JsonValue:
    """The value at a dotted path of names and numbers (``results.0.path``). Raises UsageError."""
    found = data
    for name in field.split("."):
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isascii() and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        else:
            near = closest(name, found) if isinstance(found, dict) else []
            names = ", ".join(found) if isinstance(found, dict) else ""
            case = "near" if near else "names" if names else None
            raise UsageError("no-such-field", field=field, names=names, near="".join(near[:1]), case=case)
    return found


def print_full_record(vault: Vault, record: RunRecord) -> None:
    """Print everything about a run; the steps of an agent as a tree."""
    status = paint_status(record.status)
    started = local_time(record.started, vault.settings.zone)
    took = format_duration(record.duration_ms)
    click.echo(f"{record.run_id}  {visible(record.tool)}  {status}  {started}  {took}")
    if not vault.journal.is_own(record.run_id):
        click.echo(f"  {text('run-not-trusted', id=record.run_id)}")
    if is_agents_log(record.execution_log):
        for line in tree_lines(vault.history.tree(record.run_id)):
            click.echo(line)
    else:
        _print_steps(record)
    steps = [str(entry["message"]) for entry in record.execution_log]
    for warning in record.warnings:
        # That of a step stands beside it.
        if not any(warning in message for message in steps):
            say_warning(warning)
    print_usage(record)
    if record.success:
        click.echo(visible(format_value(show_answer(record.data))))
    else:
        print_failure(vault, record)


def paint_status(status: str, *, columns: int = 0) -> str:
    """The status of a run in the reader's language and its colour."""
    return paint(pad(text(f"status.{status}"), columns), _COLOURS.get(status, "yellow"), bold=True)


def _print_steps(record: RunRecord) -> None:
    for entry in record.execution_log:
        mark, colour = MARKS.get(str(entry["status"]), ("?", None))
        block = "" if entry["block"] == "tool" else f" ({entry['block']})"
        # What the run failed with is told below, once.
        told = "" if record.error is not None and entry["message"] == record.error["message"] else entry["message"]
        took = paint(format_duration(entry["duration_ms"]), "bright_black")
        what = visible(f"{entry['step']:2}  {entry['name']}{block}")
        click.echo(f"  {paint(mark, colour)} {what}  {took}  {visible(str(told))}".rstrip())
        if entry["output"] is not None:
            click.echo(visible("      " + cut(json.dumps(entry["output"], ensure_ascii=False), 160)))


def format_value(value: object) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _print_plan(record: RunRecord) -> None:
    if not record.planned and record.success:
        say_wrapped(text("cli.run.plan-empty"))
    for call in record.planned or ():
        asks = paint(text("cli.run.asks"), "yellow") if call["would_ask"] else ""
        arguments = cut(json.dumps(call["arguments"], ensure_ascii=False), 160)
        click.echo(f"{call['step']:3}  {paint(visible(str(call['tool'])), bold=True)} {visible(arguments)} {asks}")
        for line in str(call["preview"]).split("\n") if call["preview"] else ():
            click.echo("       " + paint_diff_line(line))


def print_failure(vault: Vault, record: RunRecord) -> None:
    """Print what went wrong on standard error, with the place in the JavaScript."""
    error = record.error or {}
    message = visible(str(error.get("message") or text("cli.run.goes-on", id=record.run_id)))
    colour = _COLOURS.get(record.status, "yellow")
    if record.status == "failed":
        # Called wrongly, it has not run; the place would be that of nothing.
        failed = text("cli.error") if record.exit_code == UsageError.exit_code else text("cli.run.failed")
        where = "" if record.exit_code == UsageError.exit_code else visible(describe_place(vault, record))
        say_wrapped(f"{paint(f'{failed}{where}: ', colour, bold=True, err=True)}{message}")
    else:
        say_wrapped(paint(message, colour, bold=True, err=True))
    details = error.get("details")
    stack: list[JsonObject] = details.get("stack", []) if isinstance(details, dict) else []  # type: ignore[assignment]
    for frame in stack[:5]:
        place = f"{frame.get('file') or ''}:{frame['line']}:{frame['column']} {frame.get('function') or ''}"
        say(visible(f"    {place}"))
    if error.get("hint"):
        say_wrapped(visible(f"  {name_command(str(error['hint']))}"))


def describe_place(vault: Vault, record: RunRecord) -> str:
    """The step that failed, by the name its file gives it, and the tool it calls; nothing where there is just one."""
    number = (record.error or {}).get("step")
    failed = [each for each in record.execution_log if each["step"] == number and each["status"] in ("error", "denied")]
    if not failed:
        return ""
    label, block = str(failed[-1]["name"]), str(failed[-1]["block"])
    if label == record.tool:
        return text("cli.run.in-block", block=block) if block in ("preprocess", "postprocess") else ""
    if block != "tool":
        return text("cli.run.in-block-of", block=block, label=label)
    called = _called_tools(vault, record.tool).get(label, label)
    key = "cli.run.in-step" if called != label else "cli.run.in-number"
    return text(key, step=number, label=label, tool=called)


def _called_tools(vault: Vault, tool: str) -> dict[str, str]:
    """By the name of a step: the tool that it calls, as far as the file still says so."""
    try:
        steps = list(vault.registry.tool(tool).steps)
    except PaperError:
        return {}
    called = {}
    while steps:
        step = steps.pop()
        called[step.name] = step.tool
        steps += step.parallel
    return called


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
    took = paint(format_duration(entry["duration_ms"]), "bright_black")
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
