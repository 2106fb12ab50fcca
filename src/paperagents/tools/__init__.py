"""The built-in tools: each file holds what a tool wants and answers, and what it does.

A new one is a file of its own and a name in ``BUILT_IN``; its sentences stand in ``messages/catalogue/builtin.py``.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from paperagents.messages import language
from paperagents.tools.built_in import BuiltIn, ToolContext
from paperagents.tools.entries import DATAVAULT, GOAL, MEMORY, TASK
from paperagents.tools.install_packages import INSTALL_PACKAGES
from paperagents.tools.js_execute import JS_EXECUTE
from paperagents.tools.read_file import READ_FILE
from paperagents.tools.restore_entry import RESTORE_ENTRY
from paperagents.tools.search_files import SEARCH_FILES
from paperagents.tools.undo import UNDO
from paperagents.tools.web import REST_REQUEST, WEB_SEARCH
from paperagents.tools.write_file import WRITE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from paperagents.approval.question import Effect
    from paperagents.definitions.json_value import JsonObject
    from paperagents.definitions.tool import ToolDefinition

BUILT_IN: tuple[BuiltIn, ...] = (
    SEARCH_FILES,
    READ_FILE,
    WRITE_FILE,
    REST_REQUEST,
    WEB_SEARCH,
    MEMORY,
    TASK,
    GOAL,
    DATAVAULT,
    JS_EXECUTE,
    INSTALL_PACKAGES,
    UNDO,
    RESTORE_ENTRY,
)


def builtin_tools() -> tuple[ToolDefinition, ...]:
    """The definitions of all built-in tools, in the current language."""
    return _define(BUILT_IN, language())


@cache
def _define(tools: tuple[BuiltIn, ...], _language: str) -> tuple[ToolDefinition, ...]:
    return tuple(tool.definition() for tool in tools)


def effects_in(context: ToolContext) -> dict[str, Callable[[JsonObject], Effect]]:
    """By tool, the function that prepares the effect of a call on these parts of a vault."""
    return {tool.name: partial(tool.prepare, context) for tool in BUILT_IN if tool.prepare is not None}
