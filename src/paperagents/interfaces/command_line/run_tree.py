"""A run as a tree, drawn in lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.output import one_line, paint
from paperagents.records.run_store import RunStore
from paperagents.records.run_tree import Node, run_tree

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
        return _short(str(entry["message"]))
    output = entry["output"]
    if entry["name"] == "model" and isinstance(output, dict):
        calls = output.get("calls")
        made = [str(call["name"]) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        return _short(" ".join([str(output.get("text") or ""), *(f"→ {name}" for name in made)]).strip())
    asked = f"{entry['message']} " if entry["hitl_required"] else ""
    return asked + _short(json.dumps(entry["parameters"], ensure_ascii=False))


def _short(shown: str) -> str:
    shown = one_line(shown)
    return shown if len(shown) <= _SHORT else f"{shown[:_SHORT]}…"
