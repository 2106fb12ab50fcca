"""``paper import``: tool notes from descriptions of other systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError, ToolError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.interfaces.command_line.run_commands import choose_approver
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.interfaces.importing.openapi_document import Operation, Service
    from paperagents.vault import Vault


@click.group("import", cls=LocalisedGroup, help=text("cli.import"))
@vault_option
def import_command() -> None:
    """Make tools of what others describe."""


@import_command.command("openapi", cls=LocalisedCommand, help=text("cli.import.openapi"))
@click.argument("source", metavar="FILE|URL")
@click.option("--folder", help=text("cli.import.folder"))
@click.option("--server", metavar="URL", help=text("cli.import.server"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def openapi(  # noqa: PLR0913  one argument per option
    context: click.Context, *, source: str, folder: str | None, server: str | None, yes: bool, as_json: bool
) -> None:
    """One readable tool note for each operation; what is written is shown first."""
    from paperagents.interfaces.importing.openapi_document import read_service  # noqa: PLC0415  most never import
    from paperagents.interfaces.importing.openapi_note import path_of  # noqa: PLC0415  see above

    with current_vault(context) as vault:
        service = read_service(_content(vault, source), source=source, server=server)
        approver = _OneAnswer(choose_approver(yes=yes))
        written: list[str] = []
        code = 0
        for operation in service.operations:
            path = path_of(operation, service, folder)
            content = _note(vault, operation, service, path)
            arguments: JsonObject = {"filePath": path, "content": content, "overwrite": True}
            record = vault.run("write_file", arguments, approver=approver)
            code = max(code, record.exit_code)
            if not record.success:
                say(one_line(f"{path}: {(record.error or {}).get('message')}"))
                continue
            written.append(path)
    if as_json:
        print_json(written)
    else:
        for path in written:
            click.echo(one_line(path))
    say(text("cli.import.summary", count=len(written), service=one_line(service.title)))
    context.exit(code)


class _OneAnswer(Approver):
    """A yes "for the rest of the run" holds for all notes of one import."""

    takes_time = True

    def __init__(self, asked: Approver) -> None:
        self._asked = asked
        self._agreed = False

    def decide(self, request: ApprovalRequest) -> Decision:
        """Ask, until somebody says yes to the rest."""
        if self._agreed:
            return Approved(by=text("run.by-run"))
        decision = self._asked.decide(request)
        self._agreed = isinstance(decision, Approved) and decision.for_run
        return decision


def _content(vault: Vault, source: str) -> str:
    """The description: from the web by the tool that knows what may be reached, else from a file."""
    if source.lower().startswith(("http://", "https://")):
        record = vault.run("rest_request", {"url": source})
        if record.error is not None:
            raise ToolError("openapi-not-fetched", url=source, reason=record.error["message"])
        assert isinstance(record.data, dict)
        return str(record.data["body"])
    try:
        return Path(source).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError("no-such-file", path=source) from error


def _note(vault: Vault, operation: Operation, service: Service, path: str) -> str:
    """The note; where the service's schemas are not what ours may be, with types alone."""
    from paperagents.interfaces.importing.openapi_note import note_of  # noqa: PLC0415  see above

    for plain in (False, True):
        content = note_of(operation, service, plain=plain)
        try:
            reading = vault.registry.preview(path, utf8(content))
        except PaperError:
            continue
        if reading.valid:
            return content
    return note_of(operation, service, plain=True)
