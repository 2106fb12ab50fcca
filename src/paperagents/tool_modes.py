"""The modes of a tool besides executing it: dry run, manual, configuration, log, rebuild."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, get_args

from paperagents.calls.arguments import accepts_value, variable_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.definitions.tool import Parameter, ToolDefinition, service_name
from paperagents.errors import UsageError
from paperagents.known_settings import is_host
from paperagents.mcp_client.servers import named_secrets
from paperagents.registry.manual import manual
from paperagents.runs.record import RunRecord

if TYPE_CHECKING:
    from paperagents.vault import Person, Vault

Mode = Literal["execute", "dryrun", "manual", "configure", "log", "rebuild"]


def in_mode(
    vault: Vault,
    mode: Mode,
    tool: str,
    arguments: Mapping[str, JsonValue],
    approver: Person,
) -> RunRecord:
    """Use a tool in one of the other modes; returns a record as for a run."""
    match mode:
        case "dryrun":
            return vault.plan(tool, arguments)
        case "rebuild":
            return vault.install(tool, rebuild=True, approver=approver)
        case "manual":
            definition = vault.registry.tool(tool)
            data: JsonValue = manual(definition, vault.npm_grants(definition.id).as_json())
        case "configure":
            data = configure(vault, vault.registry.tool(tool), arguments)
        case "log":
            data = [*vault.history.runs(tool=vault.registry.tool(tool).id)]
        case _:
            raise UsageError("unknown-mode", name=mode, choices=", ".join(get_args(Mode)))
    return RunRecord(
        run_id="",
        tool=vault.registry.tool(tool).id,
        status="succeeded",
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        duration_ms=0.0,
        data=data,
    )


def configure(vault: Vault, tool: ToolDefinition, changes: Mapping[str, JsonValue]) -> JsonObject:
    """Set variables of a tool, empty ones removed; returns which are set, never their values."""
    if changes:
        declared = {each.name: each for each in tool.environment}
        written = {name: validate_variable(tool.id, declared, name, value) for name, value in changes.items()}
        vault.environments.set(tool.id, written)
    values = vault.variables(tool)
    return {each.name: describe_variable(each, values) for each in tool.environment}


def configure_service(vault: Vault, host: str, changes: Mapping[str, JsonValue]) -> JsonObject:
    """The same for a service: what is set serves every tool that declares the variable for this host."""
    service = service_name(host)
    declared = variables_of_service(vault, service)
    if not is_host(service):
        raise UsageError("service-unknown", host=host, case="host")
    if not declared:
        raise UsageError("service-unknown", host=service)
    if changes:
        written = {name: validate_variable(service, declared, name, value) for name, value in changes.items()}
        vault.service_secrets.set(service, written)
    values = vault.service_secrets.values(service)
    return {name: describe_variable(each, values) for name, each in declared.items()}


def variables_of_service(vault: Vault, service: str) -> dict[str, Parameter]:
    """What the vault's tools and MCP servers declare for a service, by name; the first tool is heard."""
    entries = [each for each in vault.registry.entries() if each.valid and each.kind in ("markdown", "javascript")]
    declared = [each for entry in entries for each in vault.registry.tool(entry.id).environment]
    servers = [each for each in vault.remote_servers.servers.values() if each.service == service]
    of_servers = [Parameter(name=name, schema={"type": "string"}) for each in servers for name in named_secrets(each)]
    return {
        each.name: each for each in (*of_servers, *reversed([each for each in declared if each.service == service]))
    }


def describe_variable(variable: Parameter, configured: Mapping[str, str]) -> JsonObject:
    """Everything about a variable but its value."""
    return {
        "required": variable.must_be_given,
        "configured": variable.name in configured,
        "value": "***" if variable.name in configured else None,
        "description": variable.schema.get("description"),
        "default": variable.schema.get("default"),
    }


def require_declared(owner: str, declared: Collection[str], name: str) -> None:
    """Raises UsageError, with the nearest names, for a variable that nobody declares."""
    if name not in declared:
        near = ", ".join(f"'{each}'" for each in closest(name, declared))
        case = "suggestion" if near else None
        raise UsageError("unknown-variable", name=name, tool=owner, suggestion=near, case=case)


def validate_variable(owner: str, declared: Mapping[str, Parameter], name: str, value: JsonValue) -> str | None:
    """The text to store; None removes. Raises UsageError, which never repeats the value."""
    require_declared(owner, declared, name)
    written = None if value in (None, "") else variable_text(value)
    if written is not None and not accepts_value(declared[name], written):
        rules = {
            key: value
            for key, value in declared[name].schema.items()
            if key not in ("description", "default", "service")
        }
        raise UsageError("variable-does-not-fit", name=name, rules=json.dumps(rules, ensure_ascii=False))
    return written
