"""The command ``paper``."""

from __future__ import annotations

import gc
import signal
import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    # While modules are loaded nothing has begun that could be cancelled: an interruption just ends the program.
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Loading modules makes many objects and no garbage: it is looked for less often.
    gc.set_threshold(20_000, 20, 20)
    if sys.argv[1:] == ["--version"]:
        from paperagents.interfaces.command_line.output import prepare_streams  # noqa: PLC0415  as below
        from paperagents.version import __version__  # noqa: PLC0415  answered before anything else is loaded

        prepare_streams()
        sys.stdout.write(f"paper {__version__}\n")
        return
    from paperagents.interfaces.command_line.app import run  # noqa: PLC0415  only what the command needs

    signal.signal(signal.SIGINT, interrupt)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
