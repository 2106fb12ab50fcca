"""``paper approvals allow|rules|revoke``: what has been allowed from now on."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

import click

from paperagents.approval.rule_words import describe_rule
from paperagents.approval.rules import Rule, read_end, split_parts
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import ToolError, UnknownToolError, UsageError
from paperagents.http.addresses import split_port
from paperagents.http.messages import normalize_method
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_tool
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    paint,
    print_json,
    say_allowed,
    say_next,
    say_wrapped,
)
from paperagents.messages import text
from paperagents.vault import Vault

_BY_PATH = ("write_file", "read_file", "search_files", *ENTRY_KINDS)
_BY_HOST = ("rest_request", "web_search")
_WRITE_MODES = ("create", "append", "overwrite")


class Who(TypedDict, total=False):
    """Whose calls a rule is for."""

    by: str
    digest: str


class Place(TypedDict, total=False):
    """Where a rule holds."""

    path: str
    host: str
    method: str


@click.command("allow", cls=LocalisedCommand, help=text("cli.approvals.allow"))
@click.argument("tool", metavar="TOOL|RULE", shell_complete=complete_tool)
@click.option("--by", metavar="TOOL", shell_complete=complete_tool, help=text("cli.approvals.allow.by"))
@click.option("--mode", type=click.Choice([*_WRITE_MODES, "delete"]), help=text("cli.approvals.allow.mode"))
@click.option("--path", metavar="GLOB", help=text("cli.approvals.allow.path"))
@click.option("--host", metavar="HOST", help=text("cli.approvals.allow.host"))
@click.option("--method", metavar="METHOD", help=text("cli.approvals.allow.method"))
@click.option("--until", metavar="DATE", help=text("cli.approvals.allow.until"))
@common_options
def allow(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str, by: str | None, mode: str | None, path: str | None, host: str | None,
    method: str | None, until: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Add a rule, or confirm one that sleeps."""
    vault = current_vault(context)
    end = None if until is None else read_end(until, vault.settings.zone)
    options = (by, mode, path, host, method)
    definition = find_tool_or_none(vault, tool)
    if definition is None and options == (None,) * len(options):
        rule = vault.rules.confirm(vault.rules.find(tool), until=end)
    else:
        definition = require_ruled(definition or vault.find_tool(tool))
        require_mode(definition, mode)
        place = read_place(definition, path, host, method)
        caller = None if by is None else vault.find_tool(by)
        who: Who = {} if caller is None else {"by": caller.key, "digest": caller.text_digest}
        wanted = Rule(tool=definition.key, mode=mode or "", **who, **place)
        rule = vault.rules.allow(wanted if end is None else replace(wanted, until=end))
    if as_json:
        print_json(vault.rules.as_json(rule))
    else:
        say_allowed(describe_rule(rule, vault.settings.zone), rule.id)


@click.command("rules", cls=LocalisedCommand, help=text("cli.approvals.rules"))
@common_options
def rules(context: click.Context, *, as_json: bool) -> None:
    """What has been allowed from now on."""
    vault = current_vault(context)
    found = vault.rules.rules()
    if as_json:
        print_json([vault.rules.as_json(rule) for rule in found])
        return
    for rule in found:
        state = vault.rules.state(rule)
        click.echo(f"{paint(rule.id, bold=True)}  {describe_rule(rule, vault.settings.zone)}")
        if state != "active":
            click.echo("    " + paint(text(f"rule.{state}", id=rule.id, tool=rule.by), "yellow"))
    say_next(text("cli.approvals.undo") if found else text("cli.approvals.no-rules"))


@click.command("revoke", cls=LocalisedCommand, help=text("cli.approvals.revoke"))
@click.argument("rule", metavar="RULE|last")
@common_options
def revoke(context: click.Context, *, rule: str, as_json: bool) -> None:
    """Take a rule back."""
    vault = current_vault(context)
    found = vault.rules.find(rule)
    as_it_was = vault.rules.as_json(found)
    vault.rules.revoke(found.id)
    if as_json:
        print_json(as_it_was)
    else:
        say_wrapped(text("cli.approvals.revoked", rule=describe_rule(found, vault.settings.zone)))


def find_tool_or_none(vault: Vault, name: str) -> ToolDefinition | None:
    """The tool; None where there is none of that name: it may be a rule's."""
    try:
        return vault.find_tool(name)
    except UnknownToolError:
        return None


def require_ruled(tool: ToolDefinition) -> ToolDefinition:
    """A tool that a rule can be about. Raises UsageError for one that does nothing by itself, or asks otherwise."""
    if tool.kind in ("mcp", "store") or tool.id in (*_BY_PATH, *_BY_HOST):
        return tool
    raise UsageError("rule-of-own-tool", tool=tool.id)


def read_place(tool: ToolDefinition, path: str | None, host: str | None, method: str | None) -> Place:
    """Where the rule holds, as its tool needs it. Raises UsageError where that is missing or cannot be."""
    needs = "host" if tool.id in _BY_HOST else "nothing" if tool.kind == "mcp" else "path"
    given = (path is not None, host is not None, method is not None)
    if given != {"host": (False, True, True), "path": (True, False, False), "nothing": (False,) * 3}[needs]:
        raise UsageError("rule-place", tool=tool.id, case=needs)
    if path is not None:
        parts = split_parts(path)
        # What is searched may be the whole vault.
        is_place = bool(parts) or (path == "/" and tool.id == "search_files")
        if not is_place or not {".", ".."}.isdisjoint(parts):
            raise UsageError("rule-path", path=path)
        return {"path": "/".join(parts) or path}
    return {} if host is None or method is None else {"host": read_host(host), "method": read_method(method)}


def read_host(host: str) -> str:
    """A host as requests name it, with a port where one is written. Raises UsageError for what is none, or several."""
    from paperagents.http.urls import authority_of, parse_url  # noqa: PLC0415  the HTTP library is large

    try:
        url = parse_url(f"https://{host}")
    except ToolError:
        raise UsageError("rule-host", host=host) from None
    if url.raw_path != b"/" or url.fragment or host.strip() != host:
        raise UsageError("rule-host", host=host)
    return url.netloc.decode("ascii") if split_port(host)[1] is None else authority_of(url)


def read_method(method: str) -> str:
    """A method as requests name it. Raises UsageError for what is none."""
    try:
        return normalize_method(method)
    except ToolError as error:
        raise UsageError(error.code, method=method) from None


def require_mode(tool: ToolDefinition, mode: str | None) -> None:
    """Raises UsageError for a mode that the tool does not have."""
    known = _WRITE_MODES if tool.id == "write_file" else ("delete",) if tool.id in ENTRY_KINDS else ()
    known = ("delete",) if tool.kind == "store" else known
    if mode is not None and mode not in known:
        raise UsageError("rule-mode", tool=tool.id, mode=mode, modes=", ".join(known))
