"""What every built-in tool is made of: a definition, and a function that turns arguments into an effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Parameter, Pieces, ToolDefinition
from paperagents.messages import text
from paperagents.values import dataclass

if TYPE_CHECKING:
    # To list the tools, nothing that carries them out is loaded.
    from paperagents.files.folder import VaultFolder
    from paperagents.npm.tool_packages import NpmPackages
    from paperagents.storage.entries import EntryStore

ANY: JsonObject = {}
TEXT: JsonObject = {"type": "string"}
INTEGER: JsonObject = {"type": "integer"}
BOOLEAN: JsonObject = {"type": "boolean"}


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """The parts of a vault that built-in tools act on; a dry run hands in copies of its own."""

    folder: VaultFolder
    entries: EntryStore
    packages: NpmPackages
    allowed_hosts: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class BuiltIn:
    """A tool that every vault has. Its description is ``builtin.<name>`` in the catalogue."""

    name: str
    parameters: tuple[Parameter, ...]
    """Described by ``builtin.<name>.<parameter>`` in the catalogue."""
    prepare: Callable[[ToolContext, JsonObject], Effect] | None
    """What a call with these arguments will do; None where the run itself carries the tool out."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    refuses: Mapping[str, Callable[[Pieces], None]] = field(default_factory=dict)
    """By parameter, what raises the error of a run for a text in pieces that no schema can judge."""
    answer: JsonObject = field(default_factory=dict)
    reads_when: Callable[[Mapping[str, JsonValue]], bool] | None = None
    leaves_the_vault: bool = True
    judges_words: bool = False

    def definition(self) -> ToolDefinition:
        """What callers are told, in the current language."""
        return ToolDefinition(
            id=self.name,
            name=self.name,
            kind="builtin",
            description=text(f"builtin.{self.name}"),
            parameters=tuple(map(self._describe, self.parameters)),
            strict=True,
            aliases=self.aliases,
            answer=self.answer,
            refuses=self.refuses,
            reads_when=self.reads_when,
            leaves_the_vault=self.leaves_the_vault,
            judges_words=self.judges_words,
            category="builtin",
        )

    def _describe(self, parameter: Parameter) -> Parameter:
        schema = {**parameter.schema, "description": text(f"builtin.{self.name}.{parameter.name}")}
        return Parameter(name=parameter.name, required=parameter.required, schema=schema)


def always_reads(_: Mapping[str, JsonValue]) -> bool:
    """For ``reads_when``: whatever the arguments are."""
    return True


def refuse_by(judge: Callable[[str], object]) -> Callable[[Pieces], None]:
    """Judge a text in which a plain word stands for each reference; right for paths, whose parts are judged alone."""
    return lambda pieces: void(judge("".join("x" if each is None else each for each in pieces)))


def refuse_whole_by(judge: Callable[[str], object]) -> Callable[[Pieces], None]:
    """Judge a text only where it has no references."""
    return lambda pieces: void(judge("".join(map(str, pieces)))) if None not in pieces else None


def void(_: object) -> None:
    """Only whether it raises matters."""


def required(name: str, schema: JsonObject) -> Parameter:
    """A parameter that must be given."""
    return Parameter(name=name, schema=schema)


def one_of(words: Sequence[str]) -> JsonObject:
    """JSON Schema of a text that is one of these words."""
    return {"type": "string", "enum": [*words]}


def optional(name: str, schema: JsonObject, default: JsonValue = None) -> Parameter:
    """A parameter that may be left out."""
    with_default: JsonObject = schema if default is None else {**schema, "default": default}
    return Parameter(name=name, schema=with_default, required=False)


def object_of(**properties: JsonObject) -> JsonObject:
    """JSON Schema of an object with these properties and no others."""
    return {"type": "object", "properties": {**properties}, "additionalProperties": False}


def list_of(items: JsonObject) -> JsonObject:
    """JSON Schema of a list."""
    return {"type": "array", "items": items}
