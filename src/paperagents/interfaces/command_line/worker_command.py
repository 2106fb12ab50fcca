"""``paper worker``: carries out queued, scheduled and interrupted runs, on this machine or as one of many."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import ExitStack, suppress

import click

from paperagents.errors import PaperError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, vault_option
from paperagents.messages import text


@click.command("worker", cls=LocalisedCommand, help=text("cli.worker"))
@click.option("--port", type=click.IntRange(0, 65535), help=text("cli.worker.port"))
@click.option("--host", default="127.0.0.1", show_default=True, help=text("cli.worker.host"))
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", help=text("cli.worker.log"))
@vault_option
@click.pass_context
def command(context: click.Context, *, port: int | None, host: str, log_format: str) -> None:
    """Work until told to stop."""
    from paperagents.cluster.operations import serve_figures  # noqa: PLC0415  only a worker needs it
    from paperagents.cluster.worker import worker_of  # noqa: PLC0415  the same
    from paperagents.cluster.worker_log import write_log  # noqa: PLC0415  the same

    write_log(log_format)
    with current_vault(context) as vault, ExitStack() as running:
        worker, ended = worker_of(vault), threading.Event()
        running.callback(ended.set)

        def leave() -> None:
            worker.stop()
            if not ended.wait(vault.settings.get("worker.grace")):
                with suppress(PaperError):
                    worker.hand_back()
                os._exit(0)

        for number in (signal.SIGINT, signal.SIGTERM):
            # Not in the handler itself: it may interrupt whoever holds a lock that stopping needs.
            signal.signal(number, lambda *_: threading.Thread(target=leave, daemon=True).start())
        running.enter_context(vault.follow())
        if port is not None:
            running.enter_context(serve_figures(vault, host, port))
        worker.run()
