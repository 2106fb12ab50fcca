"""``paper search``: hits are marked on a terminal, the order can be chosen, and a big vault shows how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.interfaces.command_line.conftest import Paper, Write
from tests.interfaces.command_line.test_app import on_terminal


def test_hits_are_marked_on_a_terminal_and_nowhere_else(paper: Paper, write: Write) -> None:
    write("Straßen.md", "# Wege\nDie STRASSE ist lang.\n")
    shown = on_terminal("search", "straße")
    assert "\x1b[31m\x1b[1mStraße\x1b[0m" in shown
    assert "\x1b[31m\x1b[1mSTRASSE\x1b[0m" in shown
    assert paper("search", "straße").out == "Straßen.md\n    Die STRASSE ist lang.\n"
    assert paper("search", "straße", "--json").document["results"][0]["snippet"] == "Die STRASSE ist lang."


def test_a_note_cannot_write_to_the_terminal_by_being_found(write: Write) -> None:
    write("a.md", "harmless \x1b]0;title\x07 word\n")
    assert "\x1b]0" not in on_terminal("search", "word")


def test_the_order_can_be_chosen(paper: Paper, write: Write) -> None:
    for name in ("b.md", "a.md", "word.md"):
        write(name, "word\n")
    found = [each["path"] for each in paper("search", "word", "--json").document["results"]]
    assert found[0] == "word.md"
    sorted_by_path = paper("search", "word", "--sort", "path", "--json").document["results"]
    assert [each["path"] for each in sorted_by_path] == ["a.md", "b.md", "word.md"]
    assert paper("search", "word", "--sort", "colour").code == 2


def test_a_program_gets_as_many_results_as_the_tool_gives(paper: Paper, write: Write) -> None:
    for number in range(103):
        write(f"{number}.md", "word\n")
    answer = paper("search", "word", "--json").document
    assert (len(answer["results"]), answer["count"], answer["truncated"]) == (100, 103, True)
    assert len(paper("search", "word", "--json", "--limit", "102").document["results"]) == 102
    shown = paper("search", "word")
    assert shown.out.count(".md\n") == 20
    assert "20 of 103" in shown.err
    assert " of " not in paper("search", "word", "--limit", "103").err


def test_a_step_whose_results_were_cut_says_so(paper: Paper, write: Write) -> None:
    for number in range(3):
        write(f"{number}.md", "word\n")
    arguments = ("run", "search_files", "-p", "query=word", "-p", "limit=2")
    (entry,) = paper(*arguments, "--json").document["execution_log"]
    assert entry["output"]["truncated"] is True
    assert "2 of 3" in entry["message"]
    assert "2 of 3" in on_terminal(*arguments)
    assert " of 3" not in on_terminal("run", "search_files", "-p", "query=word", "-p", "limit=3")


@pytest.mark.usefixtures("vault")
@pytest.mark.parametrize(
    ("language", "sentence"), [("de", "Keine Dateien gefunden"), ("en", "No files found"), ("zh", "未找到文件")]
)
def test_what_must_be_found_and_is_not_there_is_an_error(
    paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch, language: str, sentence: str
) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", language)
    (vault / "note.md").write_text("word")
    arguments = ("run", "search_files", "-p", "query=nowhere", "--json")
    assert paper(*arguments).document["data"] == {"results": [], "count": 0, "truncated": False}
    answer = paper(*arguments, "-p", "must_find=true")
    assert answer.code == 1
    assert (answer.document["error"]["code"], answer.document["error"]["message"]) == ("nothing-found", sentence)
    (entry,) = answer.document["execution_log"]
    assert (entry["step"], entry["name"], entry["status"], entry["message"]) == (1, "search_files", "error", sentence)


def test_a_mistake_in_the_query_is_wrong_usage_and_shown_with_its_column(paper: Paper) -> None:
    answer = paper("search", 'tree ("open', "--json")
    assert answer.code == 2
    assert answer.document["error"]["details"]["column"] == 7
    assert paper("search", "tree )").code == 2
    assert paper("run", "search_files", "-p", "query=tree )").code == 2


def test_a_big_vault_is_indexed_with_a_bar_on_a_terminal(write: Write) -> None:
    files = [write(f"notes/{number}.md", f"word{number}\n") for number in range(300)]
    shown = on_terminal("search", "word42")
    assert "Reading the notes" in shown
    assert "notes/42.md" in shown
    assert (files[0].parent.parent / ".paper" / "index" / "manifest").is_file()
    assert "Reading the notes" not in on_terminal("search", "word43")


@pytest.mark.parametrize(("query", "found"), [("-peas", ["b.md"]), ("-#green", ["b.md"]), ("-(x OR peas)", ["b.md"])])
def test_a_query_may_begin_with_a_minus(paper: Paper, write: Write, query: str, found: list[str]) -> None:
    write("a.md", "peas #green\n")
    write("b.md", "beans\n")
    for words in ([query, "--json"], ["--json", query], ["--json", "--", query]):
        assert [each["path"] for each in paper("search", *words).document["results"]] == found
    assert paper("search", query, "more").code == 2
