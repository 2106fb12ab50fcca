"""The tools and agents of a vault as an editor sees them: what is unsaved stands over the files on disk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import AGENT_PREFIX, AgentDefinition, Parameter, ToolDefinition, tool_of_agent
from paperagents.errors import PaperError
from paperagents.registry.entry import Entry
from paperagents.registry.tool_registry import ToolRegistry

Definition = ToolDefinition | AgentDefinition | TagNote


class Catalog:
    """What can be called, at one moment."""

    def __init__(self, registry: ToolRegistry, unsaved: Mapping[str, FileReading]) -> None:
        self._registry = registry
        self._unsaved = unsaved

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Everything, built-in tools and those of other servers too."""
        return tuple(self._registry.overlay(self._unsaved))

    @cached_property
    def _by_name(self) -> dict[str, Entry]:
        """By id, and by name where no other has that as its id; a tool goes before an agent of the same name."""
        tools = sorted(self.tools(), key=lambda each: each.kind != "builtin")
        return {**_index(self.agents(), AGENT_PREFIX), **_index(self.agents()), **_index(tools)}

    @cached_property
    def _by_file(self) -> dict[str, Entry]:
        return {each.file: each for each in self.entries if each.file is not None}

    @cached_property
    def _by_tag(self) -> dict[str, Entry]:
        """In a model's text, capitals do not matter."""
        return {each.id.lower(): each for each in reversed(self.entries) if each.is_tool and each.type is not None}

    def find(self, name: str) -> Entry | None:
        """The tool or agent with this id or name."""
        return self._by_name.get(name)

    def find_agent(self, name: str) -> Entry | None:
        """The agent with this id or name, whatever tool has it as well."""
        return self._by_name.get(f"{AGENT_PREFIX}{name}")

    def find_tag(self, word: str) -> Entry | None:
        """The tool that a tag of this name calls."""
        return self._by_tag.get(word.lower())

    def of_file(self, file: str) -> Entry | None:
        """What a file defines."""
        return self._by_file.get(file)

    def tools(self) -> list[Entry]:
        """Everything that a step can call; what cannot be read is left out."""
        return [each for each in self.entries if each.kind not in ("agent", "tag") and each.type is not None]

    def agents(self) -> list[Entry]:
        """Every agent."""
        return [each for each in self.entries if each.kind == "agent"]

    def definition(self, entry: Entry) -> Definition | None:
        """The whole definition behind an entry; None where its file cannot be used."""
        unsaved = self._unsaved.get(entry.file) if entry.file is not None else None
        if unsaved is not None:
            return unsaved.definition
        try:
            return self._registry.agent(entry.id) if entry.kind == "agent" else self._registry.find_definition(entry.id)
        except PaperError:
            return None

    def parameters(self, entry: Entry) -> dict[str, Parameter]:
        """What a tool or agent takes, with its descriptions."""
        definition = self.definition(entry)
        if isinstance(definition, AgentDefinition):
            definition = tool_of_agent(definition)
        return {each.name: each for each in definition.parameters} if isinstance(definition, ToolDefinition) else {}


def _index(entries: list[Entry], prefix: str = "") -> dict[str, Entry]:
    """Entries by name and by id; of two with one name, the first has it."""
    by_name = {prefix + each.name: each for each in reversed(entries)}
    return by_name | {prefix + each.id: each for each in reversed(entries)}
