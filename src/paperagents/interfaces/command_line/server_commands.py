"""Commands that serve until stopped: serve (pages, REST, MCP), worker, mcp and lsp (stdio); the vault's MCP servers."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import click

from paperagents.definitions.text import closest
from paperagents.errors import PaperError, SettingsError, ToolError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import common_options, current_notes, current_vault, vault_option
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say
from paperagents.interfaces.command_line.terminal import is_interactive
from paperagents.interfaces.command_line.token_commands import PORT, pair_command, print_qr, token_command
from paperagents.interfaces.command_line.trust_command import settle_trust
from paperagents.inventory import list_schedules, list_stored
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.mcp_client.servers import RemoteServer
    from paperagents.vault import Vault

SHORTEST_TOKEN = 16


@click.group("serve", cls=LocalisedGroup, help=text("cli.serve"), invoke_without_command=True)
@click.option("--host", default="127.0.0.1", help=text("cli.serve.host"))
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help=text("cli.serve.port"))
@click.option("--log-format", type=click.Choice(["text", "json"]), help=text("cli.worker.log"))
@click.option("--open/--no-open", "browse", default=None, help=text("cli.serve.open"))
@common_options
def serve_command(  # noqa: PLR0913  each is an option
    context: click.Context, *, host: str, port: int, log_format: str | None, browse: bool | None, as_json: bool
) -> None:
    """Serve until interrupted; with a subcommand, manage the tokens of programs."""
    if context.invoked_subcommand is not None:
        return
    # Loaded here: everything else starts without a web server.
    from paperagents.cluster.operations import write_log  # noqa: PLC0415
    from paperagents.cluster.worker import working_beside  # noqa: PLC0415
    from paperagents.interfaces.serving.access import Access, load_user_key  # noqa: PLC0415
    from paperagents.interfaces.serving.app import Server, Serving, is_loopback, listen, make_app  # noqa: PLC0415  # noqa: PLC0415
    from paperagents.interfaces.serving.guard import LOOPBACK_HOSTS, Hosts  # noqa: PLC0415
    from paperagents.interfaces.serving.live_runs import LiveRuns  # noqa: PLC0415
    from paperagents.interfaces.serving.pairing import open_pairing  # noqa: PLC0415
    from paperagents.interfaces.serving.pairing_link import address_for_devices, pairing_link  # noqa: PLC0415
    from paperagents.interfaces.serving.tokens import open_token_book  # noqa: PLC0415

    if log_format is not None:
        write_log(log_format)
    with current_vault(context) as vault:
        settle_trust(vault, (*list_schedules(vault), *list_stored(vault)))
        token = vault.settings.get("serve.token")
        if token is not None and len(token) < SHORTEST_TOKEN:
            raise SettingsError("token-too-short", least=SHORTEST_TOKEN)
        access = Access(load_user_key(), vault.root, token=token, tokens=open_token_book(vault))
        listener = listen(host, port)
        host = host or listener.getsockname()[0]
        authority = f"[{host}]" if ":" in host else host
        at = f"http://{authority}:{listener.getsockname()[1]}"
        names = LOOPBACK_HOSTS | {authority.lower(), *map(str.lower, vault.settings.get("serve.hosts"))}
        live = LiveRuns(vault)
        serving = Serving(access=access, hosts=Hosts(names=names, any_address=not is_loopback(host)))
        if not is_loopback(host):
            _warn(text("cli.serve.reachable", host=host), log_format)

        def announce() -> None:
            link = f"{at}/?token={access.new_link_token()}"
            code = open_pairing(vault).new_code()
            print_addresses(vault, at, link, access.token, code=code, as_json=as_json)
            reached_at = address_for_devices(at, listener.getsockname()[1], is_reachable=not is_loopback(host))
            if reached_at and sys.stderr.isatty() and not as_json:
                print_qr(pairing_link(reached_at, code))
            if browse if browse is not None else sys.stdout.isatty() and has_screen():
                click.launch(link)

        with working_beside(vault):
            server = Server(make_app(vault, serving, live), on_ready=announce, before_end=live.shut_down)
            server.run(sockets=[listener])


serve_command.add_command(token_command)
serve_command.add_command(pair_command)


def _warn(words: str, log_format: str | None) -> None:
    if log_format is None:
        say(paint(words, "yellow", err=True))
    else:
        logging.getLogger("paper").warning("%s", words)


def print_addresses(vault: Vault, at: str, link: str, token: str, *, code: str, as_json: bool) -> None:  # noqa: PLR0913  each is shown
    """Where people, programs and devices find the server, and with which token or code."""
    if as_json:
        print_json({"url": at, "link": link, "api": f"{at}/api", "mcp": f"{at}/mcp", "token": token, "code": code})
        return
    click.echo(text("cli.serve.ready", vault=one_line(str(vault.root))))
    click.echo(f"  {paint(link, bold=True)}")
    click.echo(text("cli.serve.programs", api=f"{at}/api", mcp=f"{at}/mcp"))
    click.echo(f"  Authorization: Bearer {token}")
    click.echo(text("cli.serve.pairing", code=code))


def has_screen() -> bool:
    """Whether a browser opens a window; without a screen a text browser would take over this terminal."""
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


@click.command("worker", cls=LocalisedCommand, help=text("cli.worker"))
@click.option("--port", type=click.IntRange(0, 65535), help=text("cli.worker.port"))
@click.option("--host", default="127.0.0.1", help=text("cli.worker.host"))
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", help=text("cli.worker.log"))
@vault_option
@click.pass_context
def worker_command(context: click.Context, *, port: int | None, host: str, log_format: str) -> None:
    """Carry out queued, scheduled and interrupted runs until stopped."""
    from paperagents.cluster.operations import serve_health, write_log  # noqa: PLC0415  --help lists every command
    from paperagents.cluster.worker import worker_of  # noqa: PLC0415  the same

    write_log(log_format)
    with current_vault(context) as vault, ExitStack() as running:
        settle_trust(vault, (*list_schedules(vault), *list_stored(vault)))
        worker, ended = worker_of(vault), threading.Event()
        running.callback(ended.set)

        def leave() -> None:
            worker.stop()
            # A run that does not stop in time is handed to another worker, and its thread dies with the process.
            if not ended.wait(vault.settings.get("worker.grace")):
                with suppress(PaperError):
                    worker.hand_back()
                os._exit(0)

        for number in (signal.SIGINT, signal.SIGTERM):
            # In a thread: the handler may interrupt whoever holds a lock that stopping needs.
            signal.signal(number, lambda *_: threading.Thread(target=leave, daemon=True).start())
        running.enter_context(vault.follow())
        if port is not None:
            running.enter_context(serve_health(vault, host, port))
        worker.run()


# --- ``paper mcp``


@click.group("mcp", cls=LocalisedGroup, help=text("cli.mcp"), invoke_without_command=True)
@vault_option
@click.pass_context
def mcp_command(context: click.Context) -> None:
    """Serve one MCP client over stdio; with a subcommand, manage the MCP servers that the vault uses."""
    if context.invoked_subcommand is not None:
        return
    # Loaded here: everything else starts without the library.
    import asyncio  # noqa: PLC0415

    from paperagents.interfaces.mcp.server import McpServer  # noqa: PLC0415
    from paperagents.interfaces.serving.access import Access, load_user_key  # noqa: PLC0415
    from paperagents.interfaces.serving.live_runs import LiveRuns  # noqa: PLC0415

    with current_vault(context) as vault:
        live = LiveRuns(vault)
        try:
            asyncio.run(McpServer(live, Access(load_user_key(), vault.root).sealing_key).serve_stdio())
        finally:
            live.close()


# --- ``paper lsp``


@click.command("lsp", cls=LocalisedCommand, help=text("cli.lsp"))
@vault_option
@click.pass_context
def lsp_command(context: click.Context) -> None:
    """Serve one editor over stdio."""
    from paperagents.interfaces.language_server.features import make_server  # noqa: PLC0415  everything else starts without it

    server = make_server(context.obj.vault)
    server.start_io()
    # The protocol's own rule; its library drops the exit code.
    context.exit(0 if server.is_shut_down else 1)


@mcp_command.command("servers", help=text("cli.mcp.servers"))
@common_options
def servers(context: click.Context, *, as_json: bool) -> None:
    """List the servers of the settings, agreed to or not."""
    known = current_notes(context).remote_servers
    found = []
    for server in known.servers.values():
        # An address may carry a key; a command line is shown in full where it is agreed to.
        uses = server.invocation if server.command else server.url.partition("?")[0]
        tools = [tool.id for tool in known.tools() if tool.category == server.name]
        found.append({"name": server.name, "uses": uses, "agreed": known.is_agreed(server), "tools": tools})
    if as_json:
        print_json(found)
        return
    for each in found:
        state = text("cli.mcp.agreed" if each["agreed"] else "cli.mcp.open")
        click.echo(f"{paint(one_line(str(each['name'])), bold=True)}  {state}  {one_line(str(each['uses']))}")


@mcp_command.command("connect", help=text("cli.mcp.connect"))
@click.argument("name")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def connect(context: click.Context, *, name: str, yes: bool, as_json: bool) -> None:
    """Agree once to exactly this command; then list the tools of the server."""
    with current_vault(context) as vault:
        tools = vault.remote_effects.connect(agreed_server(vault, name, yes=yes))
    if as_json:
        print_json(tools)
        return
    for tool in tools:
        asks = text("cli.mcp.reads" if tool["read_only"] else "cli.mcp.asks")
        shown = paint(one_line(f"mcp:{name}/{tool['name']}"), bold=True)
        click.echo(f"{shown}  {asks}  {one_line(str(tool['description']).split(chr(10), 1)[0])}")


@mcp_command.command("login", help=text("cli.mcp.login"))
@click.argument("name")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def login(context: click.Context, *, name: str, yes: bool, as_json: bool) -> None:
    """Bring the person to the login page of a server; its tools are known then."""

    async def show(address: str) -> None:
        import webbrowser  # noqa: PLC0415  for this command alone

        say(text("mcp.login.open", address=one_line(address)))
        webbrowser.open(address)

    with current_vault(context) as vault:
        tools = vault.remote_effects.log_in(agreed_server(vault, name, yes=yes), show)
    if as_json:
        print_json(tools)
    else:
        click.echo(text("cli.mcp.logged-in", server=one_line(name)))


def agreed_server(vault: Vault, name: str, *, yes: bool) -> RemoteServer:
    """The server of this name, once somebody has agreed to it. Raises UsageError or ToolError."""
    known = vault.remote_servers
    if name not in known.servers:
        near = ", ".join(f"'{each}'" for each in closest(name, known.servers))
        raise UsageError("unknown-server", name=name, suggestion=near, case="suggestion" if near else None)
    server = known.servers[name]
    if not known.is_agreed(server):
        require_agreement(server, yes=yes)
        known.agree(server)
    return server


def require_agreement(server: RemoteServer, *, yes: bool) -> None:
    """Show the whole command and ask. Raises ToolError without a yes."""
    say(text("cli.mcp.will-start", server=one_line(server.name)))
    say(f"  {one_line(server.invocation)}")
    if server.command:
        say(text("cli.mcp.outside"))
    for remark in server.remarks():
        say(one_line(remark))
    if not yes and not (is_interactive() and click.confirm(text("cli.mcp.agree"), err=True)):
        raise ToolError("remote-not-agreed", server=server.name, command=server.invocation)
