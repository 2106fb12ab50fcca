"""An entry as a text: every entry can be read back from it, and a text that is none is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.storage.entries import Entry
from paperagents.storage.entry_text import format_entry, read_entry_text

TEXT = st.text(max_size=12)
HEADER = ("heading", "notes", "status", "type", "description", "definition_version")


@given(
    fields=st.dictionaries(st.sampled_from(HEADER), TEXT),
    content=st.one_of(TEXT, st.sampled_from(["---", "---\n", "---\nx\n---\n", '"a": 1'])),
    attributes=st.dictionaries(TEXT, st.one_of(TEXT, st.integers(), st.booleans(), st.lists(TEXT, max_size=2))),
)
def test_an_entry_is_read_back_from_its_text(fields: dict[str, str], content: str, attributes: dict[str, Any]) -> None:
    entry = Entry(
        kind="memory", identifier="a", created="", updated="", version=1, content=content, attributes=attributes,
        **fields,
    )  # fmt: skip
    read = read_entry_text(format_entry(entry))
    assert read == {**dict.fromkeys(HEADER), **fields, "content": content, "attributes": attributes}


def test_an_entry_with_content_alone_is_its_content() -> None:
    entry = Entry(kind="memory", identifier="a", created="", updated="", version=1, content="Green tea.\n")
    assert format_entry(entry) == "Green tea.\n"


def test_fields_stand_one_in_a_line_above_the_content() -> None:
    entry = Entry(
        kind="prices", identifier="a", created="", updated="", version=1, heading="Tee", content="Grün.",
        attributes={"price": 4.5},
    )  # fmt: skip
    assert format_entry(entry) == '---\nheading: "Tee"\n"price": 4.5\n---\nGrün.'


@pytest.mark.parametrize(
    "text", ["---\nheading: Tea\n---\n", '---\nheading: "Tea"\n', "---\nunknown: 1\n---\n", '---\n"a" 1\n---\n']
)
def test_a_text_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  whatever is wrong with it
        read_entry_text(text)
