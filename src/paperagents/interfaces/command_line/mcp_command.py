"""``paper mcp``: the vault for an MCP client that starts this program, and the servers the vault itself uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paperagents.definitions.closest import closest
from paperagents.errors import ToolError, UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_notes, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say
from paperagents.interfaces.command_line.terminal_approver import somebody_is_there
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.remote_tools.known_servers import KnownServers
    from paperagents.remote_tools.remote_server import RemoteServer


@click.group("mcp", cls=LocalisedGroup, help=text("cli.mcp"), invoke_without_command=True)
@vault_option
@click.pass_context
def command(context: click.Context) -> None:
    """Serve until the client goes. With a further word: the servers of the settings."""
    if context.invoked_subcommand is not None:
        return
    # Loaded here: everything else starts without the library.
    import asyncio  # noqa: PLC0415

    from paperagents.interfaces.mcp.server import McpServer  # noqa: PLC0415
    from paperagents.interfaces.serving.access import Access, user_key  # noqa: PLC0415
    from paperagents.interfaces.serving.live_runs import LiveRuns  # noqa: PLC0415

    with current_vault(context) as vault:
        live = LiveRuns(vault)
        server = McpServer(live, Access(user_key(), vault.root).sealing_key)

        async def serve() -> None:
            async with server.following():
                await server.serve_stdio()

        try:
            asyncio.run(serve())
        finally:
            live.close()


@command.command("servers", cls=LocalisedCommand, help=text("cli.mcp.servers"))
@vault_option
@json_option
@click.pass_context
def servers(context: click.Context, *, as_json: bool) -> None:
    """List the servers, started or not."""
    known = current_notes(context).remote_servers
    found = [_listed(known, server) for server in known.servers.values()]
    if as_json:
        print_json(found)
        return
    for each in found:
        state = text("cli.mcp.agreed" if each["agreed"] else "cli.mcp.open")
        click.echo(f"{paint(one_line(str(each['name'])), bold=True)}  {state}  {one_line(str(each['uses']))}")


@command.command("connect", cls=LocalisedCommand, help=text("cli.mcp.connect"))
@click.argument("name")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def connect(context: click.Context, *, name: str, yes: bool, as_json: bool) -> None:
    """Agree once to exactly this command; then the server is asked what it offers."""
    with current_vault(context) as vault:
        known = vault.remote_servers
        server = _named(known, name)
        if not known.is_agreed(server):
            _ask(server, yes=yes)
            known.agree(server)
        tools = vault.remote_effects.connect(server)
    if as_json:
        print_json(tools)
        return
    for tool in tools:
        asks = text("cli.mcp.reads" if tool["read_only"] else "cli.mcp.asks")
        shown = paint(one_line(f"mcp:{name}/{tool['name']}"), bold=True)
        click.echo(f"{shown}  {asks}  {one_line(str(tool['description']).split(chr(10), 1)[0])}")


def _ask(server: RemoteServer, *, yes: bool) -> None:
    say(text("cli.mcp.will-start", server=one_line(server.name)))
    say(f"  {one_line(server.shown)}")
    if yes:
        return
    if not somebody_is_there() or not click.confirm(text("cli.mcp.agree"), err=True):
        refused = ToolError("remote-not-agreed", server=server.name, command=server.shown)
        raise refused


def _named(known: KnownServers, name: str) -> RemoteServer:
    if name not in known.servers:
        near = ", ".join(f"'{each}'" for each in closest(name, known.servers))
        raise UsageError("unknown-server", name=name, suggestion=near, case="suggestion" if near else None)
    return known.servers[name]


def _listed(known: KnownServers, server: RemoteServer) -> dict[str, object]:
    # An address may carry a key; a command line is shown in full where it is agreed to.
    uses = server.shown if server.command else server.url.partition("?")[0]
    tools = [tool.id for tool in known.tools() if tool.category == server.name]
    return {"name": server.name, "uses": uses, "agreed": known.is_agreed(server), "tools": tools}
