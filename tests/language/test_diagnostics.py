"""What is wrong while typing is what ``paper check`` says, also of what is not saved."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from tests.language.conftest import FILES, SHORTEN, Serve

from paperagents.language.service import LanguageService
from paperagents.notes_folder import NotesFolder

CORPUS = Path(__file__).parents[1] / "reading" / "corpus"
TEXTS = {file.name: file.read_bytes() for file in sorted(CORPUS.glob("*.md"))}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[NotesFolder, LanguageService]:
    folder = copytree(CORPUS, tmp_path_factory.mktemp("corpus") / "vault")
    notes = NotesFolder(folder)
    service = LanguageService(notes.registry)
    return notes, service


@pytest.mark.parametrize("name", [name for name in TEXTS if "encoding-" not in name])
def test_every_broken_file_has_the_problems_that_check_reports(
    name: str, corpus: tuple[NotesFolder, LanguageService]
) -> None:
    notes, service = corpus
    service.open(name, TEXTS[name].decode("utf-8-sig"))
    found = [each.as_json() for each in service.diagnostics(name)]
    service.close(name)
    assert found == [each.as_json() for each in notes.check(name)]


def test_an_unsaved_buffer_stands_over_the_file_for_the_others(serve: Serve) -> None:
    service = serve()
    service.open("find.md", FILES["find.md"])
    assert service.diagnostics("find.md") == ()
    service.open("shorten.md", SHORTEN.replace("name: shorten", "name: cut"))
    assert [each.code for each in service.diagnostics("find.md")] == ["unknown-tool"]
    service.close("shorten.md")
    assert service.diagnostics("find.md") == ()


def test_a_tool_that_is_only_in_the_editor_can_be_called(serve: Serve) -> None:
    service = serve({"find.md": FILES["find.md"]})
    service.open("find.md", FILES["find.md"])
    assert [each.code for each in service.diagnostics("find.md")] == ["unknown-tool"]
    service.open("new.md", SHORTEN)
    assert service.diagnostics("find.md") == ()


def test_a_file_that_is_broken_for_a_moment_does_not_break_those_that_call_it(serve: Serve) -> None:
    service = serve()
    service.open("find.md", FILES["find.md"])
    service.open("shorten.md", SHORTEN)
    service.open("shorten.md", SHORTEN.replace("description: Shortens", 'description: "Shortens'))
    assert [each.code for each in service.diagnostics("shorten.md")] == ["yaml-syntax"]
    assert service.diagnostics("find.md") == ()


def test_an_ordinary_note_has_no_problems(serve: Serve) -> None:
    service = serve({})
    service.open("note.md", "---\ntags: [a\n---\n# Hello")
    assert service.diagnostics("note.md") == ()
