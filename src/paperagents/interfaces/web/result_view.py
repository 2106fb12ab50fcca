"""A result in every form that helps to read it: text, Markdown, table, tree, and the JSON itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from paperagents.definitions.json_value import JsonValue
from paperagents.interfaces.web.json_tree import Node, Table, table, tree
from paperagents.interfaces.web.markdown import looks_like_markdown, rendered
from paperagents.interfaces.web.rendering import pretty

LONGEST_RAW = 100_000
_TEXT_FIELDS = ("markdown", "content", "text", "body", "report")


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultView:
    """One value, ready to be looked at."""

    markdown: Markup | None
    text: str | None
    table: Table | None
    tree: Node | None
    raw: str
    is_cut: bool
    """The text or JSON is longer than what is shown."""

    @property
    def views(self) -> tuple[str, ...]:
        """The forms there are, the most readable first."""
        forms: dict[str, Any] = {
            "markdown": self.markdown, "text": self.text, "table": self.table, "tree": self.tree, "json": self.raw
        }  # fmt: skip
        return tuple(name for name, value in forms.items() if value is not None)


def result_view(value: JsonValue) -> ResultView:
    """The views of a value."""
    own_text = value if isinstance(value, str) else None
    source = own_text if own_text is not None else _text_inside(value)
    raw = pretty(value) if own_text is None or len(own_text) <= LONGEST_RAW else pretty(own_text[:LONGEST_RAW])
    return ResultView(
        markdown=rendered(source) if source is not None and looks_like_markdown(source) else None,
        text=own_text[:LONGEST_RAW] if own_text is not None else None,
        table=_table(value),
        tree=tree(value) if isinstance(value, dict | list) else None,
        raw=raw[:LONGEST_RAW],
        is_cut=len(raw) > LONGEST_RAW or len(own_text or "") > LONGEST_RAW,
    )


def _text_inside(value: JsonValue) -> str | None:
    """The one text that an answer such as that of read_file is about."""
    if not isinstance(value, dict):
        return None
    found = [each for name in _TEXT_FIELDS if isinstance(each := value.get(name), str)]
    return found[0] if found else None


def _table(value: JsonValue) -> Table | None:
    """The table of a list of objects, also where an answer such as that of search_files wraps it."""
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        return table(lists[0]) if len(lists) == 1 else None
    return table(value)
