"""``paper import openapi``: a tool note for each operation of a service that describes itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError, ToolError, UsageError
from paperagents.importing.openapi_document import Document, read_document
from paperagents.importing.openapi_note import category, write_note
from paperagents.importing.openapi_operations import Choice, Operation, read_operations
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.options import cannot_read, common_options, current_vault, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say, say_next
from paperagents.interfaces.command_line.terminal import choose_approver
from paperagents.interfaces.command_line.text_commands import as_text
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.vault import Vault


@click.group("import", cls=LocalisedGroup, help=text("cli.import"))
@vault_option
def import_command() -> None:
    """Make tools from descriptions of other systems."""


@import_command.command("openapi", help=text("cli.import.openapi"))
@click.argument("source", metavar="FILE|URL")
@click.option("--only", multiple=True, metavar="PATTERN", help=text("cli.import.only"))
@click.option("--tag", multiple=True, help=text("cli.import.tag"))
@click.option("--method", multiple=True, metavar="METHOD", help=text("cli.import.method"))
@click.option("--folder", help=text("cli.import.folder"))
@click.option("--server", metavar="URL", help=text("cli.import.server"))
@click.option("--variable", multiple=True, metavar="NAME=VALUE", help=text("cli.import.variable"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def openapi(  # noqa: PLR0913  one argument per option
    context: click.Context,
    *,
    source: str,
    only: tuple[str, ...],
    tag: tuple[str, ...],
    method: tuple[str, ...],
    folder: str | None,
    server: str | None,
    variable: tuple[str, ...],
    yes: bool,
    as_json: bool,
) -> None:
    """One readable tool note for each operation; what is written is shown first."""
    with current_vault(context) as vault:
        document = read_document(load_description(vault, source), source=source)
        place = (folder or f"tools/{category(document)}").strip("/")
        operations = read_operations(
            document,
            Choice(only=only, tags=tag, methods=method),
            server=server,
            variables=dict(map(read_variable, variable)),
            taken=ids_of_others(vault, place),
        )
        written, code = write_notes(vault, document, operations, place, choose_approver(yes=yes))
    if as_json:
        print_json(written)
    else:
        for path in written:
            click.echo(one_line(path))
    say(text("cli.import.summary", count=len(written), service=one_line(document.title)))
    secrets = {secret.variable: operation.server for operation in operations for secret in operation.secrets}
    for name, address in secrets.items() if written else ():
        say_next(text("cli.import.secret", name=name, host=urlsplit(address).netloc))
    context.exit(code)


def write_notes(
    vault: Vault, document: Document, operations: list[Operation], folder: str, approver: Approver
) -> tuple[list[str], int]:
    """Write the notes that are agreed to; the answer is their paths, and the exit code."""
    approver, written, code = BatchApprover(approver), list[str](), 0
    for operation in operations:
        path = f"{folder}/{operation.id}.md".lstrip("/")
        content = valid_note(vault, operation, document, path)
        arguments: JsonObject = {"filePath": path, "content": content, "overwrite": True}
        record = vault.run("write_file", arguments, approver=approver)
        code = max(code, record.exit_code)
        if record.success:
            written.append(path)
        else:
            say(one_line(f"{path}: {(record.error or {}).get('message')}"))
    return written, code


def ids_of_others(vault: Vault, folder: str) -> set[str]:
    """Ids of tools outside of the folder: a note there is written anew, all others keep their ids."""
    return {each.id for each in vault.registry.entries() if not (each.file or "").startswith(f"{folder}/")}


def read_variable(pair: str) -> tuple[str, str]:
    """A variable of the server's address, as ``NAME=VALUE``."""
    name, equals, value = pair.partition("=")
    if not equals:
        raise UsageError("param-without-value", pair=pair)
    return name, value


class BatchApprover(Approver):
    """Asks another approver; a yes "for the rest of the run" holds for all notes of one import."""

    takes_time = True

    def __init__(self, asked: Approver) -> None:
        self._asked = asked
        self._agreed: Approved | None = None

    def decide(self, request: ApprovalRequest) -> Decision:
        """Ask until there is a yes to the rest."""
        if self._agreed is not None:
            return self._agreed
        decision = self._asked.decide(request)
        if isinstance(decision, Approved) and decision.for_run:
            self._agreed = decision.repeated
        return decision


def load_description(vault: Vault, source: str) -> str:
    """The description from a file, or from the web by the tool that knows which addresses are allowed."""
    if source.lower().startswith(("http://", "https://")):
        record = vault.run("rest_request", {"url": source})
        if record.error is not None:
            raise ToolError("openapi-not-fetched", url=source, reason=record.error["message"])
        assert isinstance(record.data, dict)
        return str(record.data["body"])
    try:
        content = Path(source).read_bytes()
    except OSError as error:
        raise cannot_read(source, error) from error
    return as_text(content, source).removeprefix("\ufeff")


def valid_note(vault: Vault, operation: Operation, document: Document, path: str) -> str:
    """The note; where something in it is not allowed in ours, with the types of its parameters alone."""
    content = write_note(operation, document)
    try:
        if vault.registry.preview(path, utf8(content)).valid:
            return content
    except PaperError:
        pass
    return write_note(operation, document, plain=True)
