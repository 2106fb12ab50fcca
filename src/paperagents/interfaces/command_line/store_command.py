"""``paper store``: memories, tasks, goals and the data vault."""

from __future__ import annotations

from collections.abc import Mapping

import click

from paperagents.calls.arguments import convert_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.options import common_options, current_vault, vault_option
from paperagents.interfaces.command_line.output import paint, print_json, say_warning, visible
from paperagents.interfaces.command_line.run_output import format_value, print_record
from paperagents.interfaces.command_line.terminal import choose_approver
from paperagents.interfaces.command_line.text_commands import echo_content
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.runs.restoring import RESTORE_ENTRY
from paperagents.storage.entries import Entry
from paperagents.vault import Vault

_LONGEST_NOTE = 80
_KIND = "paperagents.kind"
"""The key under which the click context holds the kind for the subcommands."""


class StoreGroup(LocalisedGroup):
    """Without a subcommand behind the kind: list."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert ``list`` where no subcommand follows the kind."""
        behind = next((place for place, each in enumerate(args, 1) if is_kind(args, place - 1)), None)
        following = "-" if behind is None else next(iter(args[behind:]), "-")
        if following.startswith("-") and following not in ctx.help_option_names and behind is not None:
            args = [*args[:behind], "list", *args[behind:]]
        return super().parse_args(ctx, args)


def is_kind(args: list[str], place: int) -> bool:
    """Whether the word there is the kind: the first that is neither an option nor the value of one."""
    return not args[place].startswith("-") and (place == 0 or args[place - 1] != "--vault")


@click.group("store", cls=StoreGroup, help=text("cli.store"))
@click.argument("kind", metavar="memory|task|goal|datavault|KIND")
@vault_option
@click.pass_context
def store_command(context: click.Context, *, kind: str) -> None:
    """Look at and change what tools have stored."""
    if kind not in ENTRY_KINDS:
        with current_vault(context) as vault:
            kinds = vault.entry_kinds()
        if kind not in kinds:
            raise UsageError("unknown-kind", kind=kind, kinds=", ".join(kinds))
    context.meta[_KIND] = kind


@store_command.command("list", help=text("cli.store.list"))
@click.option("--search", help=text("cli.store.search"))
@common_options
def list_entries(context: click.Context, *, search: str | None, as_json: bool) -> None:
    """All entries of a kind."""
    with current_vault(context) as vault:
        entries = vault.entries.entries(context.meta[_KIND], search=search)
    if as_json:
        print_json([entry.as_json() for entry in entries])
        return
    for entry in entries:
        own = ", ".join(f"{name}={value}" for name, value in entry.attributes.items())
        note = (entry.heading or entry.description or entry.content.split("\n", 1)[0] or own)[:_LONGEST_NOTE]
        status = f"  {entry.status}" if entry.status else ""
        click.echo(f"{paint(visible(entry.identifier), bold=True)}{status}  {visible(note)}")


@store_command.command("get", help=text("cli.store.get"))
@click.argument("identifier")
@common_options
def get(context: click.Context, *, identifier: str, as_json: bool) -> None:
    """One entry; exit code 1 where there is none."""
    entry = load_entry(context, identifier)
    if as_json:
        print_json(entry.as_json())
    elif entry.content or entry.attributes:
        echo_content(entry.content or format_value({**entry.attributes}))
    else:
        # A task or a goal may be no more than its heading.
        said = "  ".join(filter(None, (entry.heading or entry.description, entry.status, entry.notes)))
        click.echo(visible(said or entry.identifier))


@store_command.command("set", help=text("cli.store.set"))
@click.argument("identifier")
@click.option("--content")
@click.option("--heading")
@click.option("--notes")
@click.option("--status")
@click.option("--type", "type_")
@click.option("--description")
@click.option("-p", "--param", "attributes", multiple=True, metavar="NAME=VALUE", help=text("cli.store.attribute"))
@common_options
def set_entry(
    context: click.Context, /, *, identifier: str, type_: str | None, attributes: tuple[str, ...], as_json: bool,
    **fields: str | None,
) -> None:  # fmt: skip
    """Create an entry, or change just what is named."""
    named = {name: value for name, value in {**fields, "type": type_}.items() if value is not None}
    for written in attributes:
        name, equals, value = written.partition("=")
        if not equals:
            raise UsageError("attribute-without-value", name=name)
        named[name] = value
    run(context, identifier, named, yes=False, as_json=as_json)


@store_command.command("delete", help=text("cli.store.delete"))
@click.argument("identifier")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def delete(context: click.Context, *, identifier: str, yes: bool, as_json: bool) -> None:
    """Delete an entry; you are asked first."""
    removed = load_entry(context, identifier).as_json()
    run(context, identifier, {"delete": True}, yes=yes, as_json=as_json, removed=removed)


@store_command.command("history", help=text("cli.store.history"))
@click.argument("identifier")
@common_options
def history(context: click.Context, *, identifier: str, as_json: bool) -> None:
    """Every version of an entry, the oldest first."""
    with current_vault(context) as vault:
        versions = vault.entries.versions(context.meta[_KIND], identifier)
    if not versions:
        raise PaperError("entry-not-found", kind=context.meta[_KIND], id=identifier)
    if as_json:
        print_json(versions)
        return
    for version in versions:
        fields = version["fields"]
        shown = text("cli.store.deleted")
        if isinstance(fields, dict):
            shown = str(fields.get("content") or format_value(fields.get("attributes") or ""))[:_LONGEST_NOTE]
        click.echo(visible(f"{version['version']:>4}  {version['changed']}  {shown}"))


@store_command.command("restore", help=text("cli.store.restore"))
@click.argument("identifier")
@click.argument("version", type=int)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def restore(context: click.Context, *, identifier: str, version: int, yes: bool, as_json: bool) -> None:
    """Make an entry what it was; you are asked first."""
    arguments: JsonObject = {"kind": context.meta[_KIND], "identifier": identifier, "version": version}
    with current_vault(context) as vault:
        record = vault.run(RESTORE_ENTRY, arguments, approver=choose_approver(yes=yes))
        require_success(context, vault, record, as_json=as_json)
        entry = load_entry(context, identifier)
    if as_json:
        print_json(entry.as_json())
    else:
        echo_content(entry.content)


def load_entry(context: click.Context, identifier: str) -> Entry:
    """An entry. Raises PaperError where there is none."""
    with current_vault(context) as vault:
        entry = vault.entries.get(context.meta[_KIND], identifier)
    if entry is None:
        raise PaperError("entry-not-found", kind=context.meta[_KIND], id=identifier)
    return entry


def run(  # noqa: PLR0913  everything that a call and its printing need
    context: click.Context,
    identifier: str,
    wanted: Mapping[str, JsonValue],
    *,
    yes: bool,
    as_json: bool,
    removed: JsonObject | None = None,
) -> None:
    """Call the tool of the kind, validated, approved and recorded like every call, and print the entry."""
    with current_vault(context) as vault:
        name, named = vault.own_stores.address(context.meta[_KIND], identifier)
        arguments = convert_arguments(vault.find_tool(name), {**named, **wanted})
        record = vault.run(name, arguments, approver=choose_approver(yes=yes))
        require_success(context, vault, record, as_json=as_json)
    entry = removed or (record.data.get("entry") if isinstance(record.data, dict) else None)
    if as_json:
        print_json(entry)
    else:
        click.echo(visible(str(entry["identifier"] if isinstance(entry, dict) else "")))
    warnings = record.data.get("warnings") if isinstance(record.data, dict) else None
    for warning in warnings if isinstance(warnings, list) else ():
        say_warning(str(warning))


def require_success(context: click.Context, vault: Vault, record: RunRecord, *, as_json: bool) -> None:
    """Print what is wrong with a run that did not succeed, and end with its exit code."""
    if record.success:
        return
    if as_json:
        print_json({"success": False, "error": record.error})
    else:
        print_record(vault, record, as_json=False)
    wrongly_called = record.error is not None and record.error["code"] == "invalid-arguments"
    context.exit(2 if wrongly_called else record.exit_code)
