"""The index and the reading of every file must agree, whatever happens to the vault."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.search.conftest import agreed, wait_until_settled, write

from paperagents.files.folder import VaultFolder
from paperagents.search import index as note_index
from paperagents.search.index import NoteIndex

WORDS = ["tree", "trees", "street", "Baum", "Bäume", "Straße", "naïve", "x1", "a_b", "c++", "Plan", "plan-b", "ok"]
CHINESE = ["树", "种树", "花园里种树", "测试笔记", "日本語テスト", "ー"]
PIECES = [
    *WORDS,
    *CHINESE,
    "#tree",
    "#home/garden",
    "# Tree plan\n",
    "\n## 种树\n",
    "```\n# tree\n```",
    "\n",
    " ",
    "。",
]
FRONTMATTER = ["", "---\ntags: [tree, home/garden]\nstatus: done\n---\n", "---\nstatus: [open, 'Größe']\nn: 4\n---\n"]
NAMES = ["tree.md", "Plan.md", "street plan.md", "树.md", "Bäume.txt", "a.md", "c++.md", "x.png"]
FOLDERS = ["", "notes/", "notes/deep/", "种树/"]

texts = st.builds(
    lambda front, pieces, joint: front + joint.join(pieces),
    st.sampled_from(FRONTMATTER),
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from(["", " ", "\n", "-"]),
)
places = st.builds(lambda folder, name: folder + name, st.sampled_from(FOLDERS), st.sampled_from(NAMES))

terms = st.one_of(
    st.sampled_from([*WORDS, *CHINESE, "re", "e", "园里", "里种树", "ree pl", "plan."]),
    st.sampled_from(['"tree plan"', '"tree tree"', '"种树 tree"', '"ee-s"', '"#tree"', '""', '" tree"', '"-"']),
    st.sampled_from(
        ["#tree", "#home", "tag:home/garden", "tag:ho", "path:notes", "path:notes/deep", "path:种", "file:tree"]
    ),
    st.sampled_from(
        ["file:plan.md", "[status]", "[status:done]", "[status:größe]", "[n:4]", "[other]", "/tr.e/", "/^# /"]
    ),
)
queries = st.recursive(
    terms,
    lambda inner: st.one_of(
        inner.map(lambda query: f"-({query})"),
        st.tuples(inner, inner).map(lambda both: f"({both[0]} {both[1]})"),
        st.tuples(inner, inner).map(lambda both: f"({both[0]} OR {both[1]})"),
    ),
    max_leaves=4,
)


class VaultAndIndex(RuleBasedStateMachine):
    """People and programs change the files; after each change everybody who searches sees it."""

    most_pending = 0

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(note_index, "MOST_PENDING", self.most_pending)
        self.root = Path(tempfile.mkdtemp())
        self.long_open = VaultFolder(self.root)

    def teardown(self) -> None:
        self.long_open.close()
        shutil.rmtree(self.root)
        self.patch.undo()

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file() and ".paper" not in path.parts)

    @rule(place=places, text=texts)
    def write(self, place: str, text: str) -> None:
        (self.root / place).parent.mkdir(parents=True, exist_ok=True)
        (self.root / place).write_text(text, encoding="utf-8")

    @precondition(lambda self: self.files())
    @rule(data=st.data(), text=texts)
    def edit_and_restore_the_time(self, data: st.DataObject, text: str) -> None:
        file = data.draw(st.sampled_from(self.files()))
        before = file.stat()
        old = file.read_bytes()
        new = text.encode()[: len(old)].decode("utf-8", "ignore").encode()
        file.write_bytes(new + b"." * (len(old) - len(new)))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    @precondition(lambda self: self.files())
    @rule(data=st.data(), place=places)
    def rename(self, data: st.DataObject, place: str) -> None:
        (self.root / place).parent.mkdir(parents=True, exist_ok=True)
        data.draw(st.sampled_from(self.files())).rename(self.root / place)

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self.files())).unlink()

    @precondition(lambda self: self.files())
    @rule(data=st.data(), seconds=st.integers(0, 2**31))
    def touch(self, data: st.DataObject, seconds: int) -> None:
        os.utime(data.draw(st.sampled_from(self.files())), (seconds, seconds))

    @precondition(lambda self: (self.root / "notes").is_dir())
    @rule(target_name=st.sampled_from(["moved", "notes2", "种树2"]))
    def move_a_folder(self, target_name: str) -> None:
        if not (self.root / target_name).exists():
            (self.root / "notes").rename(self.root / target_name)

    @precondition(lambda self: (self.root / "notes").is_dir())
    @rule()
    def delete_a_folder(self) -> None:
        shutil.rmtree(self.root / "notes")

    @rule()
    def replace_a_note_by_saving_beside_it(self) -> None:
        for file in self.files()[:1]:
            draft = file.with_name(".draft")
            draft.write_bytes(file.read_bytes()[::-1].decode("utf-8", "ignore").encode())
            draft.replace(file)

    @rule(query=queries, sort=st.sampled_from(["relevance", "modified", "path"]), limit=st.sampled_from([1, 3, 100]))
    def search(self, query: str, sort: str, limit: int) -> None:
        agreed(self.long_open, query, limit=limit, sort=sort)

    @rule(query=queries)
    def search_in_a_new_process(self, query: str) -> None:
        with VaultFolder(self.root) as opened:
            agreed(opened, query)
            if (self.root / "notes").is_dir():
                agreed(opened, query, path="/notes")

    @rule()
    def let_a_moment_pass(self) -> None:
        wait_until_settled(self.root)

    @invariant()
    def all_files_are_known(self) -> None:
        agreed(self.long_open, "")


class VaultWithFewPending(VaultAndIndex):
    """The same where up to two changed files are read and not put into the index."""

    most_pending = 2


_settings = settings(max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))
VaultAndIndex.TestCase.settings = _settings
VaultWithFewPending.TestCase.settings = _settings
test_every_search_agrees_with_reading_all_files = VaultAndIndex.TestCase
test_the_same_with_files_that_wait_for_the_index = VaultWithFewPending.TestCase


@pytest.mark.usefixtures("everything_indexed")
def test_properties_and_folders_with_odd_characters_are_told_apart(root: Path, vault: VaultFolder) -> None:
    values = ["in progress", "in\\u0001progress", "in\\tprogress", "inprogress", "", "x" * 2000, "a/b", "🙂\\u200d"]
    write(root, {f"{n} my folder/{n}.md": f'---\nstate: "{value}"\n---\n' for n, value in enumerate(values)})
    wait_until_settled(root)
    assert vault.resource(NoteIndex).view().pending == ()
    assert len(agreed(vault, "[state]")) == len(values)
    for value in ("in progress", "in\1progress", "in\tprogress", "inprogress", "x" * 2000, "a/b", "🙂\u200d"):
        assert len(agreed(vault, f'[state:"{value}"]')) == 1
    assert agreed(vault, "", path="/3 my folder") == ["3 my folder/3.md"]
    assert agreed(vault, "[state] -[state:inprogress]", path="/3 my folder") == []


@pytest.mark.usefixtures("everything_indexed")
@pytest.mark.parametrize("length", [9_999, 10_000, 19_001, 28_501])
@pytest.mark.parametrize("ending", [3, 500, 501, 1_400])
def test_a_phrase_is_found_that_begins_at_the_end_of_a_very_long_word(
    root: Path, vault: VaultFolder, length: int, ending: int
) -> None:
    word = "".join(str(number) for number in range(length))[:length]
    write(root, {"long.md": f"{word} end of it", "short.md": "end of it"})
    wait_until_settled(root)
    assert agreed(vault, f'"{word[-ending:]} end of"') == ["long.md"]


@pytest.mark.usefixtures("everything_indexed")
def test_very_long_text_without_blanks_is_found_in_scripts_with_vowel_signs(root: Path, vault: VaultFolder) -> None:
    write(root, {"hindi.md": "काकिगी" * 8_000 + "मा", "thai.md": "กัขั" * 10_000 + "มั"})
    wait_until_settled(root)
    assert agreed(vault, '"गीमा"') == ["hindi.md"]
    assert agreed(vault, '"ขัมั"') == ["thai.md"]


@pytest.mark.usefixtures("everything_indexed")
def test_what_is_much_longer_than_a_tag_is_none_and_takes_no_time(root: Path, vault: VaultFolder) -> None:
    endless = "a/" * 40_000
    write(root, {"inline.md": f"#{endless} #b/c", "property.md": f"---\ntags: [{endless}, b/d]\n---\n"})
    wait_until_settled(root)
    assert agreed(vault, "#a") == []
    assert set(agreed(vault, "#b")) == {"inline.md", "property.md"}


@pytest.mark.usefixtures("everything_indexed")
def test_a_phrase_of_thousands_of_words_is_found_in_time(root: Path, vault: VaultFolder) -> None:
    write(root, {"words.md": "a/" * 100_000 + "b", "chinese.md": "树" * 100_000 + "园", "other.md": "a/b 树园"})
    wait_until_settled(root)
    assert agreed(vault, f'"{"a/" * 4_000}b"') == ["words.md"]
    assert agreed(vault, "树" * 400 + "园") == ["chinese.md"]
    assert agreed(vault, f'"{"a/" * 4_000}c"') == []
