"""``paper import openapi``: a tool note for each operation of a described service.

A note has frontmatter, a script that makes the address, the request, and a script that picks the answer.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import slug, utf8, without_surrogates
from paperagents.errors import PaperError, ToolError, UsageError
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.openapi_document import Argument, Operation, Service, read_service
from paperagents.interfaces.command_line.options import common_options, current_vault, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.interfaces.command_line.terminal import choose_approver
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.vault import Vault

_SEGMENT = (
    "const segment = value => {",
    # Two dots would lead to another place of the service than the one the tool is about.
    '  if (/^\\.{1,2}$/.test(value)) throw new Error("A part of the path cannot be " + value);',
    "  return encodeURIComponent(value);",
    "};",
)
SECRET = "API_TOKEN"  # noqa: S105  the name of a variable


@click.group("import", cls=LocalisedGroup, help=text("cli.import"))
@vault_option
def import_command() -> None:
    """Make tools from descriptions of other systems."""


@import_command.command("openapi", help=text("cli.import.openapi"))
@click.argument("source", metavar="FILE|URL")
@click.option("--folder", help=text("cli.import.folder"))
@click.option("--server", metavar="URL", help=text("cli.import.server"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def openapi(  # noqa: PLR0913  one argument per option
    context: click.Context, *, source: str, folder: str | None, server: str | None, yes: bool, as_json: bool
) -> None:
    """One readable tool note for each operation; what is written is shown first."""
    with current_vault(context) as vault:
        service = read_service(load_description(vault, source), source=source, server=server)
        approver = BatchApprover(choose_approver(yes=yes))
        written: list[str] = []
        code = 0
        for operation in service.operations:
            path = f"{folder or f'tools/{category(service)}'}/{operation.id}.md".lstrip("/")
            content = valid_note(vault, operation, service, path)
            arguments: JsonObject = {"filePath": path, "content": content, "overwrite": True}
            record = vault.run("write_file", arguments, approver=approver)
            code = max(code, record.exit_code)
            if record.success:
                written.append(path)
            else:
                say(one_line(f"{path}: {(record.error or {}).get('message')}"))
    if as_json:
        print_json(written)
    else:
        for path in written:
            click.echo(one_line(path))
    say(text("cli.import.summary", count=len(written), service=one_line(service.title)))
    context.exit(code)


class BatchApprover(Approver):
    """Asks another approver; a yes "for the rest of the run" holds for all notes of one import."""

    takes_time = True

    def __init__(self, asked: Approver) -> None:
        self._asked = asked
        self._agreed = False

    def decide(self, request: ApprovalRequest) -> Decision:
        """Ask until there is a yes to the rest."""
        if self._agreed:
            return Approved(by=text("run.by-run"))
        decision = self._asked.decide(request)
        self._agreed = isinstance(decision, Approved) and decision.for_run
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
        return Path(source).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError("no-such-file", path=source) from error


def valid_note(vault: Vault, operation: Operation, service: Service, path: str) -> str:
    """The note; where the service's schemas are not allowed in ours, with types alone."""
    for plain in (False, True):
        content = write_note(operation, service, plain=plain)
        try:
            reading = vault.registry.preview(path, utf8(content))
        except PaperError:
            continue
        if reading.valid:
            return content
    return write_note(operation, service, plain=True)


# --- the note of one operation


def write_note(operation: Operation, service: Service, *, plain: bool = False) -> str:
    """The whole note; ``plain`` leaves out what a schema says beyond types."""
    title = re.sub(r"([\\`*_\[\]<>#{}|])", r"\\\1", operation.name)
    return "\n".join(
        [
            "---",
            *frontmatter(operation, service, plain=plain),
            "---",
            "",
            f"# {title}",
            "",
            f"{operation.method} `{operation.server}{operation.path}`",
            "",
            *("```javascript", address_script(operation), "```", ""),
            *("```yaml", _request_block(operation), "```", ""),
            *("```javascript", "// @postprocess\nreturn output.json ?? output.body;", "```", ""),
        ]
    )


def category(service: Service) -> str:
    """The service as one word."""
    return slug(service.title) or "api"


def frontmatter(operation: Operation, service: Service, *, plain: bool) -> list[str]:
    """The definition of the tool."""
    lines = [
        "tool: true",
        f"id: {to_scalar(operation.id)}",
        f"name: {to_scalar(operation.name)}",
        f"description: {to_scalar(operation.description)}",
        f"category: {to_scalar(category(service))}",
    ]
    if operation.arguments:
        lines += [
            "parameters:",
            *(line for each in operation.arguments for line in _parameter_lines(each, plain=plain)),
        ]
    if operation.secrets:
        lines += ["environment:", f"  - name: {SECRET}", "    type: string",
                  f"    description: {to_scalar(service.title)}"]  # fmt: skip
    return lines


def _parameter_lines(argument: Argument, *, plain: bool) -> list[str]:
    lines = [
        f"  - name: {to_scalar(argument.name)}",
        f"    type: {argument.schema['type']}",
        f"    description: {to_scalar(argument.description)}",
    ]
    if not argument.required:
        lines.append("    required: false")
    more = {} if plain else {key: value for key, value in argument.schema.items() if key != "type"}
    return lines + [f"    {key}: {to_scalar(value)}" for key, value in more.items()]


def address_script(operation: Operation) -> str:
    """JavaScript that makes the address and quotes every value in it."""
    lines = ["// @preprocess", f"let path = {to_literal(operation.path)};"]
    if parts := operation.arguments_in("path"):
        lines += _SEGMENT
        names = [(to_literal("{" + each.name + "}"), to_literal(each.name)) for each in parts]
        lines += [f"path = path.replace({place}, segment(input[{name}]));" for place, name in names]
    if query := operation.arguments_in("query"):
        listed = ", ".join(to_literal(each.name) for each in query)
        lines += [
            "const query = new URLSearchParams();",
            f"for (const name of [{listed}]) {{",
            "  for (const value of [input[name]].flat()) {",
            "    if (value !== undefined && value !== null) query.append(name, String(value));",
            "  }",
            "}",
            'if (query.toString()) path += "?" + query.toString();',
        ]
    headers = enumerate(operation.arguments_in("header"), 1)
    extra = "".join(f", header_{number}: String(input[{to_literal(each.name)}])" for number, each in headers)
    lines.append(f"return {{ ...input, request_url: {to_literal(operation.server)} + path{extra} }};")
    return "\n".join(lines)


def _request_block(operation: Operation) -> str:
    lines = ["tool: rest_request", "parameters:", '  url: "{{request_url}}"', f"  method: {operation.method}"]
    headers = {"Accept": "application/json"}
    headers |= {name: f"{begins}{{{{env.{SECRET}}}}}" for name, begins in operation.secrets.items()}
    for number, each in enumerate(operation.arguments_in("header"), 1):
        headers[each.name] = f"{{{{header_{number}}}}}"
    lines += ["  headers:", *(f"    {to_scalar(name)}: {to_scalar(value)}" for name, value in headers.items())]
    if operation.arguments_in("body"):
        lines.append('  body: "{{body}}"')
    return "\n".join(lines)


def to_scalar(value: Any) -> str:
    """A value as one line of YAML. JSON is YAML, but for lone surrogates, which no note can hold."""
    written = without_surrogates(json.dumps(value, ensure_ascii=False))
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in written)


def to_literal(value: str) -> str:
    """A string of JavaScript in which no placeholder can stand."""
    return json.dumps(value, ensure_ascii=True).replace("{{", "{\\u007b")
