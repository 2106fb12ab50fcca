"""``paper mcp``: the vault for an MCP client that starts this program."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, vault_option
from paperagents.messages import text


@click.command("mcp", cls=LocalisedCommand, help=text("cli.mcp"))
@vault_option
@click.pass_context
def command(context: click.Context) -> None:
    """Serve until the client goes."""
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
