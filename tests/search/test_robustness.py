"""What may happen to an index, and must never happen to an answer."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from tests.search.conftest import agreed, is_indexed, wait_until_settled, write

from paperagents.files.folder import VaultFolder
from paperagents.files.overlay import OverlayFolder
from paperagents.search import index as note_index
from paperagents.search.index import NoteIndex
from paperagents.search.search import search_files

NOTES = {f"notes/{number:03d}.md": f"# Note {number}\ncommon word{number} text" for number in range(300)}


@pytest.fixture
def indexed(root: Path) -> Path:
    """A vault with an index that holds all of it."""
    write(root, NOTES)
    for file in root.rglob("*.md"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    wait_until_settled(root)
    with VaultFolder(root) as folder:
        search_files(folder, "x")
        assert folder.resource(NoteIndex).view().pending == ()
    return root


def _places(root: Path) -> list[Path]:
    return sorted((root / ".paper" / "index").glob("notes-*"))


@pytest.mark.parametrize("name", ["meta.json", "vocabulary", "manifest"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"{}"])
def test_a_damaged_index_is_made_anew_and_said(
    indexed: Path, name: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    before = _places(indexed)
    file = indexed / ".paper" / "index" / name if name == "manifest" else before[0] / name
    file.write_bytes(content)
    with caplog.at_level(logging.INFO, "paper"), VaultFolder(indexed) as folder:
        assert agreed(folder, "word42") == ["notes/042.md"]
    assert [record.getMessage() for record in caplog.records] == ["Renewing the search index."]
    assert _places(indexed) != before
    with VaultFolder(indexed) as folder:
        assert folder.resource(NoteIndex).view().pending == ()


def test_every_file_of_the_index_may_be_cut_short(indexed: Path) -> None:
    for number in range(100):
        files = sorted(file for file in _places(indexed)[0].iterdir() if not file.name.endswith(".lock"))
        if number >= len(files):
            break
        with files[number].open("r+b") as file:
            file.truncate(files[number].stat().st_size // 2)
        with VaultFolder(indexed) as folder:
            assert agreed(folder, "word42") == ["notes/042.md"]


@pytest.mark.parametrize("link", [".paper", ".paper/index", ".paper/index/manifest.new", ".paper/index/manifest"])
def test_a_link_in_a_strangers_vault_changes_nothing_elsewhere(root: Path, tmp_path: Path, link: str) -> None:
    write(root, NOTES)
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"manifest": "mine", "notes-0123456789abcdef/a.md": "mine"})
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(elsewhere / "manifest" if "manifest" in link else elsewhere)
    for _ in range(2):
        with VaultFolder(root) as folder:
            assert agreed(folder, "word42") == ["notes/042.md"]
    assert sorted(str(file.relative_to(elsewhere)) for file in elsewhere.rglob("*")) == [
        "manifest", "notes-0123456789abcdef", "notes-0123456789abcdef/a.md"
    ]  # fmt: skip
    assert (elsewhere / "manifest").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["manifest", "manifest.new", "writing.lock", "switch.lock"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(root: Path, name: str) -> None:
    write(root, NOTES)
    (root / ".paper" / "index").mkdir(parents=True)
    os.mkfifo(root / ".paper" / "index" / name)
    for _ in range(2):
        with VaultFolder(root) as folder:
            assert agreed(folder, "word42") == ["notes/042.md"]


def test_an_index_of_another_version_is_made_anew(indexed: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = indexed / ".paper" / "index" / "manifest"
    content = file.read_bytes()[:-4].replace(b'"format": 3', b'"format": 0')
    file.write_bytes(content + zlib.crc32(content).to_bytes(4, "little"))
    with caplog.at_level(logging.INFO, "paper"), VaultFolder(indexed) as folder:
        assert agreed(folder, "word42") == ["notes/042.md"]
    assert len(caplog.records) == 1


def test_a_manifest_that_names_another_folder_is_not_followed(indexed: Path) -> None:
    (indexed / "precious").mkdir()
    file = indexed / ".paper" / "index" / "manifest"
    place = _places(indexed)[0].name.encode()
    content = file.read_bytes()[:-4].replace(place, b"../../precious")
    file.write_bytes(content + zlib.crc32(content).to_bytes(4, "little"))
    with VaultFolder(indexed) as folder:
        assert agreed(folder, "word42") == ["notes/042.md"]
    assert (indexed / "precious").is_dir()


def test_an_index_that_is_deleted_while_it_is_used_does_no_harm(indexed: Path) -> None:
    with VaultFolder(indexed) as folder:
        assert agreed(folder, "word42") == ["notes/042.md"]
        shutil.rmtree(indexed / ".paper")
        assert agreed(folder, "word43") == ["notes/043.md"]
        write(indexed, {"new.md": "word42"})
        assert sorted(agreed(folder, "word42")) == ["new.md", "notes/042.md"]
    with VaultFolder(indexed) as folder:
        assert sorted(agreed(folder, "word42")) == ["new.md", "notes/042.md"]
    assert is_indexed(indexed)


def test_where_the_index_cannot_be_written_everything_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_index, "MOST_PENDING", 0)
    write(root, {"a.md": "tree", "b.md": "house"})
    (root / ".paper").write_text("a file where the folder should be")
    with VaultFolder(root) as folder:
        assert agreed(folder, "tree") == ["a.md"]
        assert agreed(folder, "house") == ["b.md"]


def test_a_vault_that_may_only_be_read_is_searched(indexed: Path) -> None:
    write(indexed, {"new.md": "word42"})
    answer = _as_somebody_else(indexed, "print(*[each['path'] for each in search_files(folder, 'word42')['results']])")
    assert sorted(answer.split()) == ["new.md", "notes/042.md"]


def test_a_folder_that_loses_its_permission_is_left_out_and_comes_back(indexed: Path) -> None:
    script = """
os.chmod(folder.root / "notes", 0o000)
print(search_files(folder, "word42")["count"], search_files(folder, "word42")["count"])
os.chmod(folder.root / "notes", 0o755)
print(search_files(folder, "word42")["count"], search_files(folder, "word42")["count"])
os.chmod(folder.root / "notes", 0o000)
print(search_files(folder, "word42")["count"])
os.chmod(folder.root / "notes", 0o755)
"""
    assert _as_somebody_else(indexed, script, owns=True).split() == ["0", "0", "1", "1", "0"]


@pytest.mark.usefixtures("everything_indexed")
def test_names_that_are_not_unicode_are_no_notes_and_no_hindrance(root: Path) -> None:
    write(root, {"a.md": "tree", os.fsdecode(b"b\xff.md"): "tree", os.fsdecode(b"c\xfe/d.md"): "tree"})
    with VaultFolder(root) as folder:
        for _ in range(3):
            assert agreed(folder, "tree") == ["a.md"]
        (root / os.fsdecode(b"e\xfe")).mkdir()
        assert agreed(folder, "tree") == ["a.md"]


def test_a_plan_sees_what_it_would_write_and_the_index_does_not(indexed: Path) -> None:
    with VaultFolder(indexed) as beneath, OverlayFolder(beneath) as plan:
        plan.write_text("notes/042.md", "planned", overwrite=True)
        plan.write_text("new/a.md", "planned word43")
        assert sorted(_paths(plan, "planned")) == ["new/a.md", "notes/042.md"]
        assert _paths(plan, "word42") == []
        assert sorted(_paths(plan, "word43")) == ["new/a.md", "notes/043.md"]
        assert _paths(plan, "word43", "/new") == ["new/a.md"]
    with VaultFolder(indexed) as folder:
        assert agreed(folder, "planned") == []
        assert agreed(folder, "word42") == ["notes/042.md"]


def test_a_program_that_stays_up_sees_every_change_at_once(indexed: Path) -> None:
    with VaultFolder(indexed) as folder:
        search_files(folder, "x")
        search_files(folder, "x")
        for number in range(20):
            write(indexed, {f"deep/{number}/er/a.md": f"fresh{number} fresh"})
            assert len(agreed(folder, "fresh")) == number + 1
        (indexed / "deep/0").rename(indexed / "moved")
        assert agreed(folder, "fresh0") == ["moved/er/a.md"]
        write(indexed, {"moved/er/a.md": "other"})
        assert agreed(folder, "fresh0") == []
        assert agreed(folder, "other") == ["moved/er/a.md"]


def test_an_index_that_is_brought_up_to_date_replaces_what_was_there(indexed: Path) -> None:
    write(indexed, {f"more/{number}.md": f"added{number} extra" for number in range(note_index.MOST_PENDING + 1)})
    (indexed / "notes/042.md").unlink()
    write(indexed, {"notes/043.md": "word42"})
    before = _places(indexed)
    with VaultFolder(indexed) as folder:
        assert agreed(folder, "word42") == ["notes/043.md"]
        assert len(agreed(folder, "extra", limit=1000)) == note_index.MOST_PENDING + 1
    assert len(_places(indexed)) <= 2
    assert before


def test_two_processes_index_and_search_at_once(root: Path) -> None:
    write(root, NOTES)
    script = """
import random
for number in range(12):
    name = f"from-{os.getpid()}-{number}.md"
    (folder.root / name).write_text(f"process{os.getpid()}x{number} both")
    note_index.MOST_PENDING = random.choice((0, 0, 256))
    found = search_files(folder, f"process{os.getpid()}x{number}")
    assert [each["path"] for each in found["results"]] == [name], found
    assert search_files(folder, "common")["count"] == 300
    with VaultFolder(folder.root) as cold:
        assert search_files(cold, "common")["count"] == 300
print("fine")
"""
    processes = [_process(root, script) for _ in range(2)]
    assert [process.communicate(timeout=300)[0].strip() for process in processes] == ["fine", "fine"]
    with VaultFolder(root) as folder:
        assert len(agreed(folder, "both")) == 24


def test_a_process_killed_while_indexing_leaves_nothing_wrong(root: Path) -> None:
    write(root, NOTES)
    for number in range(8):
        process = _process(root, "print('go', flush=True)\nnote_index.MOST_PENDING = 0\nsearch_files(folder, 'x')")
        assert process.stdout is not None
        process.stdout.readline()
        deadline = time.monotonic() + 0.015 * number
        while time.monotonic() < deadline and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate()
        write(root, {"changed.md": f"round{number}"})
        with VaultFolder(root) as folder:
            assert agreed(folder, f"round{number}") == ["changed.md"]
            assert agreed(folder, "word42") == ["notes/042.md"]
    assert len(_places(root)) <= 2


def _paths(folder: VaultFolder, query: str, path: str = "/") -> list[str]:
    return [each["path"] for each in json.loads(json.dumps(search_files(folder, query, path)))["results"]]


_BEGINNING = """
import os, sys
from paperagents.search.search import search_files
from paperagents.search import index as note_index
from paperagents.files.folder import VaultFolder
folder = VaultFolder(sys.argv[1])
"""


def _process(root: Path, script: str, before: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", before + _BEGINNING + script, str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _as_somebody_else(root: Path, script: str, *, owns: bool = False) -> str:
    """What a program prints that has no special rights; this one may have them."""
    before = ""
    if os.geteuid() == 0:
        nobody = 65534
        if owns:
            for path in (root, *root.rglob("*")):
                os.chown(path, nobody, nobody)
        for path in (root, *root.parents):
            if str(path).startswith("/tmp") and path != Path("/tmp"):
                path.chmod(0o755)
        before = _BEGINNING.replace(
            "folder = VaultFolder(sys.argv[1])", "import tantivy, paperagents.search.index_query"
        )
        before += f"import os\nos.setgid({nobody})\nos.setuid({nobody})\n"
    elif not owns:
        pytest.skip("needs a second user")
    process = _process(root, script, before)
    return process.communicate(timeout=300)[0]


def test_a_small_vault_is_searched_without_loading_the_engine(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("harbour")
    code = (
        "import sys; from paperagents.files.folder import VaultFolder;"
        "from paperagents.search.search import search_files;"
        "print(search_files(VaultFolder(sys.argv[1]), 'harbour')['count'], 'tantivy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False"]
