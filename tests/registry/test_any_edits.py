"""Whatever is done to the files of a vault, what is known of it is what a first look at the folder finds."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.waiting import wait_until

from paperagents.errors import PaperError
from paperagents.registry import folder_scan, vault_state
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.tools import builtin_tools

SETTLED = 10_000_000
PATHS = (
    "a.md",
    "A.md",
    "b.md",
    "sub/a.md",
    "sub/b.md",
    "Sub/a.md",
    "sub/deep/c.md",
    "d.tool.js",
    "link.md",
    "item.path",
)
IDS = ("one", "two", "three", "One")
HEAD = "---\ntool: true\nid: {0}\nname: {1}\ndescription: d\n"
RETURNS = "returns: {type: object, properties: {found: {type: string}}, additionalProperties: false}\n"
CONTENTS = (
    "# A note\n",
    "---\ntool: true\nname: [broken\n---\n",
    HEAD + "type: chain\n---\n",
    HEAD + "custom_function: return input.x\nlog: a.md\n---\n",
    HEAD + "strict: true\nparameters: [{{name: x, type: integer, description: d}}]\ncustom_function: return 1\n---\n",
    HEAD + RETURNS.replace("{", "{{").replace("}", "}}") + "custom_function: return {{}}\n---\n",
    HEAD + "steps: [{{name: s, tool: {2}, parameters: {{x: many}}}}, {{tool: {1}, parameters: {{y: s.output.fund}}}}]\n"
    + "---\n",
    HEAD + "steps:\n  - {{name: s, tool: read_file, parameters: {{filePath: item.path}}}}\n---\n",
    "---\nagent: true\nid: {0}\nname: {1}\ndescription: d\ntools: [{2}, 't*']\nagents: [{2}]\n---\nHello.\n",
    "---\ntag: true\nid: {0}\nname: {1}\ndescription: d\ntype: block\n---\n",
    ("module.exports = {{getMetadata: () => ({{name: '{0}', description: 'd', version: '1'}}), "
    "getSchema: () => ({{parameters: {{type: 'object', properties: {{x: {{type: 'string'}}}}}}}}), "
    "execute: async (given) => given.x}};\n"),
)  # fmt: skip


def write(root: Path, path: str, content: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(content, encoding="utf-8")


def replace_at_once(root: Path, path: str, content: str) -> None:
    write(root, ".draft", content)
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / ".draft").replace(root / path)


def write_with_its_old_time(root: Path, path: str, content: str) -> None:
    status = (root / path).stat()
    write(root, path, content)
    os.utime(root / path, ns=(status.st_atime_ns, status.st_mtime_ns))


def rename(root: Path, path: str, other: str) -> None:
    (root / other).parent.mkdir(parents=True, exist_ok=True)
    (root / path).rename(root / other)


def replace_folder_by_file(root: Path, path: str, _: str) -> None:
    shutil.rmtree(root / Path(path).parts[0])
    (root / Path(path).parts[0]).write_text("# no folder any more\n", encoding="utf-8")


def link(root: Path, path: str, _: str) -> None:
    (root / "link.md").unlink(missing_ok=True)
    (root / "link.md").symlink_to(root / path)


def delete(root: Path, path: str, _: str) -> None:
    place = root / Path(path).parts[0]
    place.unlink() if place.is_file() or place.is_symlink() else shutil.rmtree(place)


Edit = tuple[Callable[[Path, str, str], None], str, str]
TEXTS = st.builds(str.format, st.sampled_from(CONTENTS), *[st.sampled_from(IDS)] * 3)
WRITES = st.tuples(st.sampled_from([write, replace_at_once, write_with_its_old_time]), st.sampled_from(PATHS), TEXTS)
WHERE = st.sampled_from(PATHS)
OTHERS = st.tuples(st.sampled_from([rename, rename, replace_folder_by_file, link, delete]), WHERE, WHERE)
ROUNDS = st.lists(st.tuples(st.lists(WRITES | WRITES | OTHERS, min_size=1, max_size=4), st.booleans()), max_size=4)


@pytest.fixture(autouse=True)
def soon_settled() -> Iterator[None]:
    """Time stamps of this system tell changes apart that are milliseconds from each other."""
    with patch.object(folder_scan, "_SETTLED", SETTLED):
        yield


@settings(max_examples=6, deadline=None)
@given(ROUNDS)
def test_after_any_edits_the_cache_and_the_running_program_say_what_a_first_look_says(
    rounds: list[tuple[list[Edit], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        cache = root / ".paper" / "cache" / "files.db"
        cache.parent.parent.mkdir()
        running = ToolRegistry(root, built_in=builtin_tools)
        running.entries()
        for edits, is_settled in rounds:
            for edit, path, other in edits:
                with suppress(OSError):
                    edit(root, path, other)
            if is_settled:
                settle()
            first = ToolRegistry(root, built_in=builtin_tools)
            running.update([*PATHS, "sub", "Sub"])
            # What is broken now goes on serving as it was, where somebody has seen it.
            if not any(entry.stale for entry in running.entries()):
                assert everything_in(running) == everything_in(first)
            assert everything_in(ToolRegistry(root, built_in=builtin_tools, cache_file=cache)) == everything_in(first)
            with patch.object(vault_state, "FEW_FILES", 0):
                assert names_in(ToolRegistry(root, built_in=builtin_tools, cache_file=cache)) == names_in(first)


def settle() -> None:
    now = time.time_ns()
    wait_until(lambda: time.time_ns() - now > 2 * SETTLED)


def everything_in(registry: ToolRegistry) -> list[object]:
    entries = [entry.as_json() for entry in registry.entries()]
    return [*entries, *(problem.as_json() for problem in registry.loose_problems()), names_in(registry)]


def names_in(registry: ToolRegistry) -> list[object]:
    """What each name means, or what is told of it, to somebody who asks for nothing else."""
    found: list[object] = []
    for name in (*IDS, "thre", "agent:one", "a"):
        for find in (registry.find, registry.find_agent):
            try:
                found.append(find(name).as_json())
            except PaperError as error:
                found.append(str(error))
    return found
