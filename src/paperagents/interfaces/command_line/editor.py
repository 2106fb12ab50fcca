"""The person's own editor, for what they want otherwise."""

from __future__ import annotations

import click

from paperagents.errors import UsageError


def edit_text(written: str, *, extension: str) -> str | None:
    """The text as the person has left it; None where they have not changed it.

    Raises UsageError where no editor can be used. As bytes: line ends and the end of the text stay as they are.
    """
    try:
        edited = click.edit(written.encode(), extension=extension)
        changed = edited.decode() if edited is not None else written
    except click.ClickException as error:
        raise UsageError("editor-failed", reason=error.message) from error
    except ValueError as error:
        # Quotes in $EDITOR that do not end, or a text that is no UTF-8.
        raise UsageError("editor-failed", reason=str(error)) from error
    return None if changed == written else changed
