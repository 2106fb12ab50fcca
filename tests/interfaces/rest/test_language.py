"""Help while a file is written, over REST: the same as in an editor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from tests.interfaces.served import Served
from tests.language.conftest import FIND, SHORTEN, mark, place

from paperagents.language.document import Position


@pytest.fixture
def client(served: Served) -> Iterator[httpx2.Client]:
    with served.client() as calling:
        yield calling


def ask(client: httpx2.Client, what: str, text: str, at: Position, file: str = "draft.md") -> Any:
    body = {"file": file, "content": text, "line": at.line, "column": at.column}
    return client.post(f"/api/language/{what}", json=body)


def test_a_draft_is_completed_while_it_is_broken(client: httpx2.Client) -> None:
    text, at = mark(FIND.replace('"{{read_file.output.text}}"', '"{{find.output.co¦'))
    found = ask(client, "completion", text, at).json()
    [count] = [each for each in found["items"] if each["label"] == "count"]
    assert (count["insert"], count["end"] - count["start"], count["kind"]) == ("count", 2, "reference")
    assert found["is_cut"] is False


def test_a_tool_in_a_draft_shows_its_manual_and_where_it_is_defined(client: httpx2.Client, served: Served) -> None:
    assert "# search_files" in ask(client, "hover", FIND, place(FIND, "search_files")).json()["markdown"]
    assert ask(client, "hover", SHORTEN, Position(line=1, column=1)).json() == {"markdown": "", "definitions": []}
    text = FIND.replace("tool: shorten", "tool: shout")
    [found] = ask(client, "hover", text, place(text, "shout\n")).json()["definitions"]
    assert (found["line"], found["column"]) == (3, 7)
    assert "name: shout" in (served.folder / found["file"]).read_text()


def test_a_path_that_leaves_the_vault_is_refused(client: httpx2.Client) -> None:
    assert ask(client, "hover", SHORTEN, Position(line=1, column=1), file="../x.md").status_code == 422
