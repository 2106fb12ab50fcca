from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.search.matching import make_snippet, matches
from paperagents.search.notes import Note, parse_note
from paperagents.search.query import And, Not, Or, Query, Tag, Text, parse_query
from paperagents.search.search import search_files

NOTES = {
    "notes/Plan.md": "---\ntags: [Projekt, 'home/garden']\nstatus: done\nrating: 4\n---\nPlant a tree.\n",
    "notes/deep/food.md": "Risotto with Pilzen #rezept/italien and rice\n",
    "notes-old/plan-b.md": "---\ntags: projekt, template\n---\nOld things\n",
    "templates/rezept.md": "A template #rezept\n",
    "中文.md": "这是一个测试笔记。#标签。\n",
    "readme.txt": "Plain text about a #tree\n",
}


@pytest.fixture
def vault(folder: VaultFolder) -> VaultFolder:
    for path, text in NOTES.items():
        folder.write_text(path, text)
    (folder.root / "picture-plan.png").write_bytes(b"\x89PNG\xff\0")
    return folder


def found(vault: VaultFolder, query: str, path: str = "/") -> list[str]:
    answer: Any = search_files(vault, query, path)
    assert answer["count"] == len(answer["results"])
    return [result["path"] for result in answer["results"]]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("tree", ["notes/Plan.md", "readme.txt"]),
        ("TREE plant", ["notes/Plan.md"]),
        ('"a tree"', ["notes/Plan.md"]),
        ('"tree a"', []),
        ("#rezept", ["notes/deep/food.md", "templates/rezept.md"]),
        ("tag:rezept/italien", ["notes/deep/food.md"]),
        ("tag:#reze", []),
        ("#rezept AND -template", ["notes/deep/food.md"]),
        ("projekt AND -template", ["notes/Plan.md"]),
        ("tag:PROJEKT", ["notes/Plan.md", "notes-old/plan-b.md"]),
        ("#home", ["notes/Plan.md"]),
        ("path:notes/deep", ["notes/deep/food.md"]),
        ("path:/NOTES/", ["notes/Plan.md", "notes/deep/food.md"]),
        ("file:plan", ["notes-old/plan-b.md", "notes/Plan.md", "picture-plan.png"]),
        ("[status]", ["notes/Plan.md"]),
        ("[Status:DONE]", ["notes/Plan.md"]),
        ("[status:don]", []),
        ("[rating:4]", ["notes/Plan.md"]),
        ("[tags:home/garden]", ["notes/Plan.md"]),
        ("[author]", []),
        ("测试", ["中文.md"]),
        ("#标签", ["中文.md"]),
        ("/ris+otto/", ["notes/deep/food.md"]),
        ("/^old th/", ["notes-old/plan-b.md"]),
        ("risotto OR old", ["notes-old/plan-b.md", "notes/deep/food.md"]),
        ("-notes -tree", ["picture-plan.png", "templates/rezept.md", "中文.md"]),
    ],
)  # fmt: skip
def test_the_query_finds_exactly_these_notes(vault: VaultFolder, query: str, paths: list[str]) -> None:
    assert sorted(found(vault, query)) == sorted(paths)


def test_an_empty_query_finds_every_file(vault: VaultFolder) -> None:
    assert sorted(found(vault, "")) == sorted([*NOTES, "picture-plan.png"])


def test_a_folder_limits_the_search_by_whole_segments(vault: VaultFolder) -> None:
    assert sorted(found(vault, "", "/notes")) == ["notes/Plan.md", "notes/deep/food.md"]
    assert found(vault, "", "notes/deep/") == ["notes/deep/food.md"]
    assert found(vault, "plan", "/notes") == ["notes/Plan.md"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/note", "folder-not-found"),
        ("../", "path-outside-vault"),
        (".paper", "path-forbidden"),
        ("readme.txt", "not-a-folder"),
    ],
)
def test_a_folder_that_cannot_be_searched_is_an_error(vault: VaultFolder, path: str, code: str) -> None:
    with pytest.raises(ToolError) as caught:
        search_files(vault, "x", path)
    assert caught.value.code == code


def test_a_result_has_all_its_fields(vault: VaultFolder) -> None:
    os.utime(vault.root / "notes/Plan.md", (0, 1_700_000_000))
    assert search_files(vault, "[status:done] tree") == {
        "results": [
            {
                "name": "Plan.md",
                "path": "notes/Plan.md",
                "size": len(NOTES["notes/Plan.md"]),
                "modified": "2023-11-14T22:13:20.000+00:00",
                "tags": ["Projekt", "home/garden"],
                "snippet": "Plant a tree.",
            }
        ],
        "count": 1,
        "truncated": False,
    }


def test_names_come_before_contents_and_the_count_is_of_all(folder: VaultFolder) -> None:
    for number in range(5):
        folder.write_text(f"a{number}.md", "about cats")
    folder.write_text("z-cats.md", "empty")
    answer: Any = search_files(folder, "cats", limit=3)
    assert [result["path"] for result in answer["results"]] == ["z-cats.md", "a4.md", "a3.md"]
    assert (answer["count"], answer["truncated"]) == (6, True)
    assert search_files(folder, "cats", limit=0) == {"results": [], "count": 6, "truncated": True}
    assert search_files(folder, "cats", limit=-1) == {"results": [], "count": 6, "truncated": True}
    assert search_files(folder, "cats", limit=6)["truncated"] is False


def test_notes_can_be_sorted_by_name_whatever_folder_they_are_in(folder: VaultFolder) -> None:
    for path in ("z/Apple.md", "a/cherry.md", "m/banana.md", "b/banana.md"):
        folder.write_text(path, "fruit")
    answer: Any = search_files(folder, "fruit", sort="name", limit=3)
    assert [each["path"] for each in answer["results"]] == ["z/Apple.md", "b/banana.md", "m/banana.md"]


def test_hidden_folders_and_links_are_not_searched(folder: VaultFolder) -> None:
    (folder.root.parent / "secret.md").write_text("needle")
    (folder.root / ".paper").mkdir()
    (folder.root / ".paper" / "a.md").write_text("needle")
    (folder.root / "link.md").symlink_to(folder.root.parent / "secret.md")
    assert found(folder, "needle") == []


def test_a_search_that_takes_too_long_is_ended(vault: VaultFolder) -> None:
    with pytest.raises(ToolError) as caught:
        search_files(vault, "x", seconds=0)
    assert caught.value.code == "search-timeout"


def test_a_hostile_regular_expression_is_harmless(folder: VaultFolder) -> None:
    folder.write_text("a.md", "a" * 1_000_000 + "!")
    assert found(folder, r"/^(a+)+$/") == []
    assert found(folder, r"/(a|aa)+!$/") == ["a.md"]


def test_large_and_foreign_files_are_found_by_name_only(folder: VaultFolder) -> None:
    (folder.root / "big.md").write_bytes(b"needle " * 700_000)
    (folder.root / "latin.md").write_bytes("nädle needle".encode("latin-1"))
    assert found(folder, "needle") == []
    assert sorted(found(folder, "big OR latin")) == ["big.md", "latin.md"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_character_is_the_same_however_it_is_stored(form: Any) -> None:
    note = parse_note("ä.md", unicodedata.normalize(form, "Ein Äpfelchen, STRASSE"))
    for query in ("äpfel", "ÄPFEL", "a\u0308pfel", "straße", "file:a\u0308"):
        assert matches(parse_query(query), note)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a #b/c, #d. (#e)", ["a", "b/c", "d"]),
        ("# heading\n## other\n#tag", ["tag"]),
        ("#1 #2024 #y2024 #1/2", ["y2024"]),
        ("url http://x#y \\#z a#b", []),
        ("```\n#a\n```\n#b", ["b"]),
        ("~~~~ js\n#a\n~~~\n#a\n~~~~\n#b", ["b"]),
        ("- list\n  ```\n  #a\n  ```\n  #b", ["b"]),
        ("> ```\n> #a\n> ```\n> #b", ["b"]),
        ("```\n#a", []),
        ("` #a ` #b ``#c ` #d`` ` #e", ["b", "e"]),
        ("text `open #a\n\nnext #b", ["a", "b"]),
        ("``` #a ``` #b", ["b"]),
        ("文字。#标签，#other #日本語", ["标签", "other", "日本語"]),
        ("#🚀 #a-b_c", ["🚀", "a-b_c"]),
    ],
)
def test_inline_tags_stand_outside_of_code(text: str, tags: list[str]) -> None:
    assert parse_note("a.md", text).tags == tuple(tags)


@pytest.mark.parametrize(
    ("frontmatter", "tags"),
    [
        ("tags: [a, '#b', c/d]", ("a", "b", "c/d")),
        ("tags: a, b", ("a", "b")),
        ("tags: '#a #b'", ("a", "b")),
        ("tag: a", ("a",)),
        ("tags:\n  - A\n  - a\n  - 2024", ("A", "2024")),
        ("tags:", ()),
        ("tags: {a: b}", ()),
        ("tags: [[a], null, true]", ()),
        ("tags: [a", ()),
        ("# comment #x", ()),
    ],
)
def test_tags_of_the_frontmatter_are_written_in_many_ways(frontmatter: str, tags: tuple[str, ...]) -> None:
    for newline in ("\n", "\r\n"):
        text = f"---\n{frontmatter}\n---\nbody\n".replace("\n", newline)
        assert parse_note("a.md", text).tags == tags
        assert parse_note("a.md", "\ufeff" + text).tags == parse_note("a.md", text).tags


def test_only_notes_have_tags_and_properties() -> None:
    assert parse_note("a.c", "#include").tags == ()
    assert parse_note("a.txt", "---\na: b\n---\n").properties == {}
    assert parse_note("a.MD", "#x").tags == ("x",)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("b", "a\n  the B line \nb", "the B line"),
        ("-a b", "a\nb", "b"),
        ("#x", "first\nwith #x/y here", "with #x/y here"),
        ("/c.t/", "dog\ncat", "cat"),
        ("a", "", ""),
        ("[status]", "text", ""),
        ('""', "text", ""),
    ],
)
def test_the_snippet_is_the_line_of_the_first_hit(query: str, text: str, expected: str) -> None:
    assert make_snippet(parse_query(query), Note(path="x.md", text=text)) == expected


def test_a_long_line_is_cut_around_the_hit() -> None:
    text = "a " * 500 + "needle" + " b" * 500
    cut = make_snippet(parse_query("needle"), Note(path="x.md", text=text))
    assert len(cut) <= 202
    assert "needle" in cut
    assert (cut[0], cut[-1]) == ("…", "…")
    assert make_snippet(parse_query("a"), Note(path="x.md", text="a" * 300)) == "a" * 200 + "…"


@given(st.text(), st.text(alphabet="`~#a \n>", max_size=200))
def test_any_text_is_a_note(text: str, code: str) -> None:
    for each in (text, code, f"---\n{text}\n---\n{code}"):
        note = parse_note("a.md", each)
        assert all(tag and not tag.startswith("#") for tag in note.tags)


WORDS = ["ab", "b", "c", "ä"]
leaves = st.one_of(
    st.sampled_from(WORDS).map(lambda word: Text(text=word)),
    st.sampled_from(["b", "c", "c/d"]).map(lambda name: Tag(name=name)),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(lambda operand: Not(operand=operand)),
        st.tuples(inner, inner).map(lambda operands: And(operands=operands)),
        st.tuples(inner, inner).map(lambda operands: Or(operands=operands)),
    ),
    max_leaves=8,
)


def naive(query: Query, text: str, tags: list[str]) -> bool:
    """The same question answered with sets of truth values instead of a walk over a note."""
    if isinstance(query, Text):
        return query.text in text.lower() or any(query.text in f"#{tag}" for tag in tags)
    if isinstance(query, Tag):
        return any(f"{tag}/".startswith(f"{query.name}/") for tag in tags)
    if isinstance(query, Not):
        return not naive(query.operand, text, tags)
    assert isinstance(query, And | Or)
    answers = {naive(operand, text, tags) for operand in query.operands}
    return False not in answers if isinstance(query, And) else True in answers


@given(trees, st.text(alphabet="abcÄä \n", max_size=8), st.lists(st.sampled_from(["b", "c", "c/d", "cc"]), max_size=2))
def test_matching_agrees_with_a_naive_evaluation(query: Query, text: str, tags: list[str]) -> None:
    note = Note(path="z", text=text, tags=tuple(tags))
    assert matches(query, note) is naive(query, text, tags)


def test_the_search_works_on_a_folder_given_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    with VaultFolder(str(tmp_path)) as folder:
        assert found(folder, "x") == ["a.md"]
