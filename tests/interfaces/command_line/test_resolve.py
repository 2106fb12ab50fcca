"""``paper resolve``: entries of the data vault put where a text refers to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents.vault import Vault

Paper = Callable[..., Any]
Resolve = Callable[[str], dict[str, Any]]
KEYS = ["original_text", "resolved_text", "references", "missing", "errors", "depth", "fully_resolved"]


@pytest.fixture
def entries(vault: Path) -> dict[str, str]:
    kept = {
        "a": "A",
        "empty": "",
        "outer": 'before {{<vaultref id="a" />}} after',
        "tricky": "$& \\1 {{date}} /* it's */ />}}\r\n",
        "round": 'x {{<vaultref id="about" />}}',
        "about": 'y {{<vaultref id="round" />}}',
    }
    with Vault(vault) as opened:
        for identifier, content in kept.items():
            opened.entries.put("datavault", identifier, {"content": content})
    return kept


@pytest.fixture
def resolve(entries: dict[str, str], vault: Path, paper: Paper) -> Resolve:
    assert entries

    def carry_out(text: str) -> dict[str, Any]:
        (vault / "text.md").write_bytes(text.encode())
        answer = paper("resolve", "text.md", "--json")
        assert (answer.code, answer.err) == (0, "")
        document: dict[str, Any] = answer.document
        assert list(document) == KEYS
        return document

    return carry_out


def test_references_are_filled_in(resolve: Resolve) -> None:
    result = resolve("1 {{<vaultref id='a'/>}} 2 {{< vaultref  id = \"outer\" />}} 3")
    assert result["resolved_text"] == "1 A 2 before A after 3"
    assert result["references"] == ["a", "outer"]
    assert (result["missing"], result["errors"], result["depth"], result["fully_resolved"]) == ([], [], 2, True)


def test_content_is_inserted_as_it_is(resolve: Resolve, entries: dict[str, str]) -> None:
    assert resolve('<{{<vaultref id="tricky" />}}>')["resolved_text"] == f"<{entries['tricky']}>"


def test_an_empty_entry_is_not_missing(resolve: Resolve) -> None:
    result = resolve('<{{<vaultref id="empty" />}}>')
    assert (result["resolved_text"], result["missing"], result["fully_resolved"]) == ("<>", [], True)


def test_a_missing_entry_leaves_a_remark(resolve: Resolve) -> None:
    result = resolve('{{<vaultref id="none" />}} {{<vaultref id="a" />}}')
    assert result["resolved_text"] == "/* [MISSING_VAULT:none] */ A"
    assert (result["missing"], result["fully_resolved"]) == (["none"], False)


def test_a_circle_is_found_and_named(resolve: Resolve) -> None:
    result = resolve('{{<vaultref id="round" />}}')
    assert result["fully_resolved"] is False
    assert "round → about → round" in result["errors"][0]["message"]


def test_a_text_without_references_stays_as_it_is(resolve: Resolve) -> None:
    result = resolve("nothing {{date}} here\r\n")
    assert result["resolved_text"] == result["original_text"] == "nothing {{date}} here\r\n"
    assert (result["depth"], result["fully_resolved"]) == (0, True)


def test_standard_input_is_read_and_the_text_alone_is_printed(
    entries: dict[str, str], started: Paper, vault: Path
) -> None:
    answer = started("resolve", cwd=vault, input=b'{{<vaultref id="tricky" />}}{{<vaultref id="none" />}}')
    assert answer.code == 0
    assert answer.out == f"{entries['tricky']}/* [MISSING_VAULT:none] */"
    assert "none" in answer.err


def test_an_empty_vault_has_no_entries_and_gets_no_database(paper: Paper, vault: Path) -> None:
    (vault / "text.md").write_text('{{<vaultref id="a" />}}')
    assert paper("resolve", "text.md", "--json").document["missing"] == ["a"]
    assert not (vault / ".paper" / "paper.db").exists()


@pytest.mark.parametrize("content", [None, b"\xff\xfe not text"])
def test_what_cannot_be_read_is_exit_code_2(content: bytes | None, paper: Paper, vault: Path) -> None:
    if content is not None:
        (vault / "text.md").write_bytes(content)
    answer = paper("resolve", "text.md", "--json")
    assert (answer.code, answer.document["success"]) == (2, False)
    assert "text.md" in answer.document["error"]["message"]
