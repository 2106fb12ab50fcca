"""``paper serve``: pages, REST and MCP of the vault, on this machine."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

import click

from paperagents.errors import SettingsError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.interfaces.serving.access import Access
    from paperagents.vault import Vault

SHORTEST_TOKEN = 16


@click.command("serve", cls=LocalisedCommand, help=text("cli.serve"))
@click.option("--host", default="127.0.0.1", show_default=True, help=text("cli.serve.host"))
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help=text("cli.serve.port"))
@click.option("--log-format", type=click.Choice(["text", "json"]), help=text("cli.worker.log"))
@click.option("--open/--no-open", "browse", default=None, help=text("cli.serve.open"))
@vault_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913  each is an option
    context: click.Context, *, host: str, port: int, log_format: str | None, browse: bool | None, as_json: bool
) -> None:
    """Serve until interrupted."""
    # Loaded here: everything else starts without a web server.
    from paperagents.cluster.worker import working_beside  # noqa: PLC0415
    from paperagents.cluster.worker_log import write_log  # noqa: PLC0415
    from paperagents.interfaces.serving.app import Serving, make_app  # noqa: PLC0415
    from paperagents.interfaces.serving.guard import LOOPBACK_HOSTS, Hosts  # noqa: PLC0415
    from paperagents.interfaces.serving.live_runs import LiveRuns  # noqa: PLC0415
    from paperagents.interfaces.serving.server import Server, is_loopback, listening  # noqa: PLC0415

    if log_format is not None:
        write_log(log_format)
    with current_vault(context) as vault:
        access = _access(vault)
        listener = listening(host, port)
        host = host or listener.getsockname()[0]
        at = f"http://{_shown_host(host)}:{listener.getsockname()[1]}"
        names = LOOPBACK_HOSTS | {_shown_host(host).lower(), *map(str.lower, vault.settings.get("serve.hosts"))}
        live = LiveRuns(vault)
        serving = Serving(access=access, hosts=Hosts(names=names, any_address=not is_loopback(host)))
        if not is_loopback(host):
            _warn(text("cli.serve.reachable", host=host), log_format)

        def announce() -> None:
            link = f"{at}/?token={access.new_link_token()}"
            _announce(vault, at, link, access.token, as_json=as_json)
            if browse if browse is not None else sys.stdout.isatty() and _has_screen():
                click.launch(link)

        with working_beside(vault):
            server = Server(make_app(vault, serving, live), on_ready=announce, before_end=live.say_goodbye)
            server.run(sockets=[listener])


def _warn(words: str, log_format: str | None) -> None:
    if log_format is None:
        say(paint(words, "yellow", err=True))
    else:
        logging.getLogger("paper").warning("%s", words)


def _access(vault: Vault) -> Access:
    from paperagents.interfaces.serving.access import Access, user_key  # noqa: PLC0415  see above

    token = vault.settings.get("serve.token")
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise SettingsError("token-too-short", least=SHORTEST_TOKEN)
    return Access(user_key(), vault.root, token=token)


def _announce(vault: Vault, at: str, link: str, token: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"url": at, "link": link, "api": f"{at}/api", "mcp": f"{at}/mcp", "token": token})
        return
    click.echo(text("cli.serve.ready", vault=one_line(str(vault.root))))
    click.echo(f"  {paint(link, bold=True)}")
    click.echo(text("cli.serve.programs", api=f"{at}/api", mcp=f"{at}/mcp"))
    click.echo(f"  Authorization: Bearer {token}")


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _has_screen() -> bool:
    """Without a screen a browser for terminals would take this one."""
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
