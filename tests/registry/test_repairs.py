"""What once went wrong in the registry: links, odd names, huge names, and what a warm start may load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import wait_until

from paperagents.definitions.source import Span
from paperagents.definitions.text import guess_name
from paperagents.registry.entry import CallSite, Entry
from paperagents.registry.folder_scan import FileRecord
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.registry.vault_checks import MOST_PER_CALL
from paperagents.registry.vault_index import VaultIndex

HEAVY = ("yaml", "markdown_it", "tree_sitter", "jsonschema_rs")
PLACE = Span(line=1, column=1, end_line=1, end_column=2)


def tool(name: str) -> str:
    return f"---\ntool: true\nname: {name}\ndescription: Does it.\ncustom_function: return 1;\n---\n"


def files_of(registry: ToolRegistry) -> list[str]:
    return [entry.file for entry in registry.entries() if entry.file is not None]


def test_a_link_to_a_note_with_another_ending_is_a_tool_once(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text(tool("shared"), encoding="utf-8")
    for name in ("a.md", "b.md"):
        (tmp_path / name).symlink_to("shared.txt")
    registry = ToolRegistry(tmp_path)
    assert files_of(registry) == ["a.md"]
    (tmp_path / "shared.txt").write_text(tool("renamed"), encoding="utf-8")
    registry.update(["shared.txt"])
    assert registry.tool("renamed").file == "a.md"


def test_a_link_to_a_hidden_file_is_as_hidden_as_the_file(tmp_path: Path) -> None:
    (tmp_path / ".paper").mkdir()
    (tmp_path / ".paper" / "kept.md").write_text(tool("kept"), encoding="utf-8")
    (tmp_path / "seen.md").symlink_to(".paper/kept.md")
    assert files_of(ToolRegistry(tmp_path)) == []


def test_a_folder_that_became_a_link_out_of_the_vault_shows_nothing_of_it(tmp_path: Path) -> None:
    vault, elsewhere = tmp_path / "vault", tmp_path / "elsewhere"
    (vault / "a").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "x.md").write_text(tool("x"), encoding="utf-8")
    registry = ToolRegistry(vault)
    assert files_of(registry) == []
    (vault / "a").rmdir()
    (vault / "a").symlink_to(elsewhere)
    registry.update(["a/x.md"])
    assert files_of(registry) == []


def test_an_updated_registry_lists_in_the_order_of_a_fresh_one(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(tool("b"), encoding="utf-8")
    registry = ToolRegistry(tmp_path)
    registry.refresh()
    (tmp_path / "a.md").write_text(tool("a"), encoding="utf-8")
    registry.update(["a.md"])
    assert files_of(registry) == files_of(ToolRegistry(tmp_path)) == ["a.md", "b.md"]


def test_an_unchanged_vault_is_listed_without_the_libraries_that_read_files(tmp_path: Path) -> None:
    (tmp_path / ".paper").mkdir()
    (tmp_path / "a.md").write_text(tool("a"), encoding="utf-8")
    cache = tmp_path / ".paper" / "cache" / "files.db"
    wait_until_cached(tmp_path, cache)
    code = (
        "import sys; from pathlib import Path; from paperagents.registry.tool_registry import ToolRegistry;"
        "registry = ToolRegistry(Path(sys.argv[1]), cache_file=Path(sys.argv[2]));"
        f"print([e.id for e in registry.entries()][0], *(name for name in {HEAVY} if name in sys.modules))"
    )
    command = [sys.executable, "-I", "-c", code, str(tmp_path), str(cache)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "a\n"


def wait_until_cached(root: Path, cache: Path) -> None:
    """A file that was written just now is kept only once its time stamps have settled."""

    def is_cached() -> bool:
        ToolRegistry(root, cache_file=cache).refresh()
        registry = ToolRegistry(root, cache_file=cache)
        registry.refresh()
        return registry.files_read == 0

    wait_until(is_cached)


@given(st.text("abc", min_size=4, max_size=9), st.text("abc", max_size=9))
def test_a_slip_is_what_a_few_edits_can_explain(known: str, name: str) -> None:
    allowed = 2 if len(known) >= 7 and name[:1] == known[:1] else 1
    assert (guess_name(name, [known]) is not None) == (edits(name, known) <= allowed)


def edits(one: str, other: str) -> int:
    """The plain table of edit distances, with swapped neighbours."""
    table = [[row + column for column in range(len(other) + 1)] for row in range(len(one) + 1)]
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            change = table[row - 1][column - 1] + (one[row - 1] != other[column - 1])
            table[row][column] = min(table[row - 1][column] + 1, table[row][column - 1] + 1, change)
            if row > 1 and column > 1 and one[row - 2 : row] == other[column - 2 : column][::-1]:
                table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
    return table[-1][-1]


def test_a_call_that_lacks_thousands_of_arguments_is_told_about_some_of_them() -> None:
    names = tuple(f"parameter{number}" for number in range(5000))
    called = Entry(
        id="wide", name="wide", kind="markdown", type="single", file="w.md", required=names, parameters=names
    )
    calls = (CallSite(tool="wide", span=PLACE),) * 50
    caller = Entry(id="chain", name="chain", kind="markdown", type="chain", file="c.md", calls=calls)
    index = VaultIndex()
    index.apply({str(each.file): FileRecord(stamp=None, entry=each) for each in (called, caller)})
    assert len(index.check("c.md").problems) == 50 * MOST_PER_CALL
