"""Which tools there are: found anywhere, broken ones beside good ones, by id or by name."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.definitions.tag import BUILTIN_WORDS
from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.messages import in_language
from paperagents.registry.entry import Entry
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.tags import TagRegistry
from paperagents.tools import builtin_tools

Write = Callable[..., Path]

BROKEN = "---\ntool: true\nname: Broken\ndescription: d\ntype: chain\n---\n"


def registry_of(root: Path) -> ToolRegistry:
    """A registry as a vault makes it."""
    return ToolRegistry(root, built_in=builtin_tools)


def own(registry: ToolRegistry) -> dict[str, Entry]:
    """The tools and agents of the vault itself, by file."""
    return {str(entry.file): entry for entry in registry.entries() if entry.kind != "builtin"}


def codes(entry: Entry) -> list[str]:
    return [problem.code for problem in entry.problems]


def test_tools_are_found_anywhere_in_the_vault(root: Path, write: Write) -> None:
    write("top.md", name="top")
    write("a/b/c/d/deep.md", name="deep")
    write("Mit Leerzeichen/Übung 笔记.md", name="odd")
    write("LOUD.MD", name="loud")
    assert {entry.id for entry in own(registry_of(root)).values()} == {"top", "deep", "odd", "loud"}


def test_what_is_wrong_with_one_tool_is_the_same_whether_it_is_found_or_listed(root: Path, write: Write) -> None:
    write("one.md", id="same", name="one")
    write("two.md", id="same", name="two")
    write("strict.md", id="strict", strict="true")
    write("unknown.md", id="unknown", type="chain", steps="[{tool: strikt}, {tool: strict, parameters: {x: 1}}]")
    write("round.md", id="round", type="chain", steps="[{tool: about}]")
    write("about.md", id="about", type="chain", steps="[{tool: round}]")
    write("log.md", id="log", log="one.md")
    write("agent.md", "---\nagent: true\nid: agent\nname: Agent\ndescription: d\ntools: [nothing, x_*]\n---\nHello.\n")
    listed = [entry for entry in own(registry_of(root)).values() if entry.id != "same"]
    assert sorted({code for entry in listed for code in codes(entry)}) == [
        "duplicate-name", "endless-chain", "invalid-log", "pattern-matches-nothing", "unknown-argument", "unknown-tool",
    ]  # fmt: skip
    for entry in listed:
        assert registry_of(root).find(entry.id) == entry
    assert codes(registry_of(root).find("same")) == ["duplicate-id"]


def test_hidden_folders_and_files_are_skipped(root: Path, write: Write) -> None:
    write(".obsidian/templates/tool.md", name="one")
    write("notes/.trash/tool.md", name="two")
    write(".hidden.md", name="three")
    write(".paper/tool.md", name="four")
    assert own(registry_of(root)) == {}


def test_ordinary_notes_are_not_listed(root: Path, write: Write) -> None:
    write("note.md", "# A note about tool: true\n")
    write("front.md", "---\ntool: false\n---\n")
    write("other.md", "---\ntags: [tool]\nagent: false\n---\ntool: true\n")
    write("tool.txt", name="text")
    write("empty.md", "")
    registry = registry_of(root)
    assert own(registry) == {}
    assert registry.loose_problems() == ()


def test_a_note_that_was_probably_meant_to_be_a_tool_is_told_about(root: Path, write: Write) -> None:
    write("almost.md", "---\ntool: yes\nname: Almost\n---\n")
    registry = registry_of(root)
    assert [(problem.file, problem.code, problem.severity) for problem in registry.loose_problems()] == [
        ("almost.md", "not-true", "warning")
    ]


def test_a_broken_file_is_listed_beside_the_good_ones(root: Path, write: Write) -> None:
    write("good.md", name="good")
    write("broken.md", BROKEN)
    write("yaml.md", "---\ntool: true\nname: [\n---\n")
    listed = own(registry_of(root))
    assert {file: entry.valid for file, entry in listed.items()} == {
        "good.md": True,
        "broken.md": False,
        "yaml.md": False,
    }
    assert all(entry.problems for file, entry in listed.items() if file != "good.md")


@pytest.mark.parametrize("front", ["tool: true\nname: [", "tool: true\ndescription: d", "agent: true\ndescription: d"])
def test_a_file_without_a_name_is_called_by_its_stem(root: Path, write: Write, front: str) -> None:
    write("sub/My File.md", f"---\n{front}\n---\n")
    [entry] = own(registry_of(root)).values()
    assert (entry.id, entry.name, entry.valid) == ("my-file", "My File", False)


@pytest.mark.parametrize("front", ["tool: true\nname: x y\nid: fetch-it", "agent: true\nname: Fetch it"])
def test_a_file_that_cannot_be_read_hides_no_good_one_of_its_name(root: Path, write: Write, front: str) -> None:
    write("Fetch it.md", "---\ntool: true\nname: [\n---\n")
    write("good.md", f"---\n{front}\ndescription: d\ncustom_function: return 1;\n---\nHelp.\n")
    assert registry_of(root).tool("fetch-it").file == "good.md"


def test_using_a_broken_tool_tells_all_its_problems(root: Path, write: Write) -> None:
    write("broken.md", "---\ntool: true\nname: Broken\ntype: chain\nparameters: 5\n---\n")
    with pytest.raises(BrokenFileError) as caught:
        registry_of(root).tool("broken")
    assert {"missing-steps", "wrong-type"} <= {problem.code for problem in caught.value.problems}


def test_agents_are_found_as_agents_and_can_be_called_like_tools(root: Path, write: Write) -> None:
    write("agents/helper.md", "---\nagent: true\nname: Helper\ndescription: d\n---\nHelp.\n")
    registry = registry_of(root)
    assert registry.find_agent("Helper").id == "helper"
    assert registry.agent("helper").name == "Helper"
    assert registry.tool("helper").kind == "agent"
    assert registry.tool("helper").agent == registry.agent("helper")
    with pytest.raises(UnknownToolError) as caught:
        registry.agent("helpr")
    assert caught.value.code == "unknown-agent"
    assert caught.value.details == {"nearest": ["helper"]}


def test_a_tool_and_an_agent_may_share_an_id(root: Path, write: Write) -> None:
    write("tool.md", name="same")
    write("agent.md", "---\nagent: true\nname: same\ndescription: d\n---\nHelp.\n")
    registry = registry_of(root)
    assert all(entry.valid for entry in own(registry).values())
    assert registry.tool("same").kind == "markdown"
    assert registry.tool("agent:same").kind == "agent"


# --- finding one


def test_a_tool_is_found_by_its_id_and_by_its_name(root: Path, write: Write) -> None:
    write("a.md", id="my_tool", name='"My Tool: it works"')
    registry = registry_of(root)
    assert registry.tool("my_tool").file == "a.md"
    assert registry.tool("My Tool: it works").file == "a.md"


def test_without_an_id_it_is_the_slug_of_the_name_else_of_the_file(root: Path, write: Write) -> None:
    write("a.md", name="Über Nacht")
    write("Plan B.md", name="笔记")
    listed = own(registry_of(root))
    assert listed["a.md"].id == "ueber-nacht"
    assert listed["Plan B.md"].id == "plan-b"


def test_two_tools_with_names_no_slug_can_be_made_of_stay_apart(root: Path, write: Write) -> None:
    write("笔记.md", name="笔记")
    write("搜索.md", name="搜索")
    registry = registry_of(root)
    assert all(entry.valid for entry in own(registry).values())
    assert registry.tool("搜索").file == "搜索.md"


def test_files_whose_names_begin_with_the_same_chinese_words_have_ids_of_their_own(root: Path, write: Write) -> None:
    write("搜索文件.md", name="搜索文件")
    write("搜索标签.md", name="搜索标签")
    entries = own(registry_of(root)).values()
    assert all(entry.valid for entry in entries)
    assert len({entry.id for entry in entries}) == 2


def test_an_id_is_stronger_than_the_name_of_another_tool(root: Path, write: Write) -> None:
    write("a.md", id="first", name="second")
    write("b.md", id="second", name="third")
    assert registry_of(root).tool("second").file == "b.md"


def test_an_unknown_tool_suggests_the_nearest(root: Path, write: Write) -> None:
    write("a.md", id="word_count", name="Word count")
    with pytest.raises(UnknownToolError) as caught:
        registry_of(root).find("word_cont")
    assert caught.value.details["nearest"] == ["word_count"]
    with pytest.raises(UnknownToolError) as caught:
        registry_of(root).find("read_fil")
    assert caught.value.details["nearest"][0] == "read_file"


def test_built_in_tools_are_always_there_and_described_in_the_language_of_the_reader(root: Path) -> None:
    registry = registry_of(root)
    assert registry.tool("read_file").kind == "builtin"
    described = set()
    for language in ("en", "de", "zh"):
        with in_language(language):
            described.add(registry.find("read_file").description)
            assert registry.tool("read_file").description == registry.find("read_file").description
    assert len(described) == 3


# --- problems between files


def test_two_tools_with_one_id_are_both_told_with_both_files(root: Path, write: Write) -> None:
    write("one.md", id="same", name="one")
    write("sub/two.md", id="same", name="two")
    listed = own(registry_of(root))
    assert codes(listed["one.md"]) == codes(listed["sub/two.md"]) == ["duplicate-id"]
    for entry in listed.values():
        assert {"one.md", "sub/two.md"} <= {word.strip(",.") for word in entry.problems[0].message.split()}
    assert listed["one.md"].problems[0].span.line == 5, "at the id itself"


def test_two_tools_with_one_name_are_told_of_and_both_can_be_used(root: Path, write: Write) -> None:
    write("one.md", id="first", name="same")
    write("two.md", id="second", name="same")
    write("three.md", id="third", name="other")
    registry = registry_of(root)
    listed = own(registry)
    assert codes(listed["one.md"]) == codes(listed["two.md"]) == ["duplicate-name"]
    assert "two.md" in listed["one.md"].problems[0].message
    assert (listed["one.md"].valid, codes(listed["three.md"])) == (True, [])
    assert (registry.tool("first").file, registry.tool("second").file) == ("one.md", "two.md")


@pytest.mark.parametrize("log", ["other.md", "/other.md", "//other.md"])
def test_a_log_into_the_file_of_another_tool_is_told(root: Path, write: Write, log: str) -> None:
    write("t.md", name="t", log=log)
    write("own.md", name="own", log="own.md")
    write("note.md", name="note", log="plain.md")
    write("other.md", name="other")
    write("plain.md", "# A note\n")
    listed = own(registry_of(root))
    assert {file: codes(entry) for file, entry in listed.items() if entry.problems} == {"t.md": ["invalid-log"]}
    assert listed["t.md"].valid


@pytest.mark.parametrize(
    ("fields", "place", "other"),
    [
        ("words: [fine, Note_It]", "6:15", "one"),
        ("words: note_it", "6:8", "one"),
        ("words: [fine, MEMORY]", "6:15", "memory"),
        ("words: [Vaultref]", "6:9", "vaultref"),
        ("words: [write_file]", "6:9", "write_file"),
        ("words: [Shout]", "6:9", "shout"),
        ("patterns: {selfClosing: '{{<task\\s+([^>]*)\\s*\\/>}}'}", "6:11", "task"),
    ],
)
def test_a_tag_that_is_written_like_another_is_told_where_it_says_so(
    fields: str, place: str, other: str, root: Path, write: Write
) -> None:
    write("one.md", "---\ntag: true\nid: one\nname: One\ndescription: First.\nwords: [note_it]\n---\n")
    write("two.md", f"---\ntag: true\nid: two\nname: Two\ndescription: Second.\n{fields}\n---\n")
    write("shout.md", name="shout")
    registry = registry_of(root)
    listed = own(registry)
    assert listed["one.md"].valid
    (problem,) = listed["two.md"].problems
    assert (problem.code, f"{problem.span.line}:{problem.span.column}") == ("tag-word-taken", place)
    assert f"'{other}'" in problem.message
    assert [tag.id for tag in registry.tags()] == ["one"]


@pytest.mark.parametrize("name", ["reasoning_text", "final_output", "subagent", "vaultref"])
def test_the_id_of_a_built_in_tag_cannot_be_taken(name: str, root: Path, write: Write) -> None:
    write("mine.md", f"---\ntag: true\nid: {name}\nname: Mine\ndescription: Mine.\n---\n")
    assert codes(own(registry_of(root))["mine.md"]) == ["tag-word-taken"]


def test_words_of_tags_stay_known_in_the_cache(root: Path, write: Write, tmp_path: Path) -> None:
    write("one.md", "---\ntag: true\nid: one\nname: One\ndescription: First.\nwords: [same]\n---\n")
    write("two.md", "---\ntag: true\nid: two\nname: Two\ndescription: Second.\nwords: [same]\n---\n")
    kept = tmp_path / "kept.json"
    newest = max(each.stat().st_ctime_ns for each in root.iterdir())
    wait_until(lambda: time.time_ns() - newest > 200_000_000)
    ToolRegistry(root, cache_file=kept).refresh()
    again = ToolRegistry(root, cache_file=kept)
    assert [codes(entry) for entry in own(again).values()] == [[], ["tag-word-taken"]]
    assert again.files_read == 0


def test_the_words_of_the_built_in_tags_are_all_known() -> None:
    assert [word for tag in TagRegistry() for word in tag.words] == [*BUILTIN_WORDS]


def test_neither_of_two_tools_with_one_id_runs(root: Path, write: Write) -> None:
    write("one.md", id="same", name="one")
    write("two.md", id="same", name="two")
    registry = registry_of(root)
    for name in ("same", "one", "two"):
        with pytest.raises(BrokenFileError):
            registry.tool(name)


def test_a_markdown_tool_and_a_javascript_tool_cannot_share_an_id(root: Path, write: Write) -> None:
    write("shout.md", name="shout")
    write("shout.tool.js", "module.exports = {getMetadata: () => ({id: 'shout'}), getSchema() {}, execute() {}};")
    assert "duplicate-id" in codes(own(registry_of(root))["shout.md"])


@pytest.mark.parametrize("name", [tool.id for tool in builtin_tools()])
def test_the_name_of_a_built_in_tool_cannot_be_taken(name: str, root: Path, write: Write) -> None:
    write("mine.md", name=name)
    registry = registry_of(root)
    assert codes(own(registry)["mine.md"]) == ["duplicate-id"]
    assert registry.tool(name).kind == "builtin"


def test_a_tool_whose_name_only_looks_like_a_built_in_one_never_stands_in_for_it(root: Path, write: Write) -> None:
    write("mine.md", id="mine", name="write_file")
    assert registry_of(root).tool("write_file").kind == "builtin"


def test_a_step_with_an_unknown_tool_suggests_the_nearest_at_its_place(root: Path, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - tool: search_fils\n    parameters: {query: x}")
    problem = own(registry_of(root))["chain.md"].problems[0]
    assert problem.code == "unknown-tool"
    assert (problem.span.line, problem.span.column) == (6, 11)
    assert "'search_files'" in (problem.hint or "")


def test_a_step_may_call_any_tool_of_the_vault_by_id_or_name(root: Path, write: Write) -> None:
    write("x.md", id="helper", name="My helper")
    write("chain.md", name="chain", steps="\n  - tool: helper\n  - tool: My helper\n  - name: helper")
    assert own(registry_of(root))["chain.md"].valid


def test_the_tool_block_of_a_single_tool_is_checked_the_same_way(root: Path, write: Write) -> None:
    write("single.md", "---\ntool: true\nname: s\ndescription: d\n---\n```yaml\ntool: read_fil\n```\n")
    problem = own(registry_of(root))["single.md"].problems[0]
    assert (problem.code, problem.span.line, problem.span.column) == ("unknown-tool", 7, 7)


def test_steps_inside_parallel_are_checked_too(root: Path, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - parallel:\n      - tool: nonsense_tool\n      - tool: search_files")
    assert codes(own(registry_of(root))["chain.md"]) == ["unknown-tool", "missing-argument"]


def test_missing_arguments_of_a_step_are_told(root: Path, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - tool: write_file\n    parameters: {filePath: a.md}")
    problem = own(registry_of(root))["chain.md"].problems[0]
    assert problem.code == "missing-argument"
    with in_language("en"):
        assert "'content'" in problem.message


def test_an_alias_gives_the_argument(root: Path, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - tool: read_file\n    parameters: {path: a.md}")
    assert own(registry_of(root))["chain.md"].valid


def test_an_unknown_argument_of_a_strict_tool_is_an_error_at_its_place(root: Path, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - tool: search_files\n    parameters:\n      query: x\n      limt: 3")
    problem = own(registry_of(root))["chain.md"].problems[0]
    assert (problem.code, problem.severity, problem.span.line) == ("unknown-argument", "error", 9)
    assert "'limit'" in (problem.hint or "")


@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_slip_in_a_required_argument_is_one_error_at_the_slip(strict: str, root: Path, write: Write) -> None:
    write("x.md", name="helper", strict=strict, parameters="[{name: amount, type: number, description: d}]")
    write("chain.md", name="chain", steps="\n  - tool: helper\n    parameters: {amuont: 3}")
    (problem,) = own(registry_of(root))["chain.md"].problems
    assert (problem.code, problem.severity, problem.span.line) == ("unknown-argument", "error", 7)


def test_a_slip_in_an_argument_of_a_tool_that_takes_anything_is_a_warning(root: Path, write: Write) -> None:
    write("x.md", name="helper", parameters="[{name: amount, type: number, description: d, default: 1}]")
    write("chain.md", name="chain", steps="\n  - tool: helper\n    parameters: {amuont: 3, other: 4}")
    entry = own(registry_of(root))["chain.md"]
    assert codes(entry) == ["unknown-argument"]
    assert entry.valid


# --- endless chains


def calling(name: str, condition: str = "") -> str:
    return f"\n  - tool: {name}{condition}"


def test_a_chain_that_calls_itself_is_endless(root: Path, write: Write) -> None:
    write("a.md", name="a", steps=calling("a"))
    entry = own(registry_of(root))["a.md"]
    assert codes(entry) == ["endless-chain"]
    assert "a → a" in entry.problems[0].message


def test_a_chain_that_calls_itself_through_others_is_endless_in_every_file_of_the_circle(
    root: Path, write: Write
) -> None:
    write("a.md", name="a", steps=calling("b"))
    write("b.md", name="b", steps=calling("c"))
    write("c.md", name="c", steps=calling("a"))
    write("d.md", name="d", steps=calling("a"))
    write("e.md", name="e", steps=calling("search_files\n    parameters: {query: x}"))
    listed = own(registry_of(root))
    circle = [file for file, entry in listed.items() if "endless-chain" in codes(entry)]
    assert circle == ["a.md", "b.md", "c.md"]
    assert "a → b → c → a" in listed["a.md"].problems[0].message


def test_a_circle_with_a_condition_can_end(root: Path, write: Write) -> None:
    write("a.md", name="a", parameters="[{name: n, type: number, description: d}]", steps=calling("b"))
    more = calling("a", "\n    if: context.parameters.n > 0\n    parameters: {n: 1}")
    write("b.md", name="b", steps=more)
    assert all(entry.valid for entry in own(registry_of(root)).values())


def test_a_single_tool_that_calls_itself_is_endless_too(root: Path, write: Write) -> None:
    write("a.md", "---\ntool: true\nname: a\ndescription: d\n---\n```yaml\ntool: a\n```\n")
    assert codes(own(registry_of(root))["a.md"]) == ["endless-chain"]


def test_a_long_ladder_of_chains_is_no_circle(root: Path, write: Write) -> None:
    for number in range(300):
        write(f"{number}.md", name=f"rung{number}", steps=calling(f"rung{number + 1}"))
    write("last.md", name="rung300")
    assert all(entry.valid for entry in own(registry_of(root)).values())


def test_a_great_circle_is_found_and_its_path_told_shortly(root: Path, write: Write) -> None:
    for number in range(300):
        write(f"{number}.md", name=f"rung{number}", steps=calling(f"rung{(number + 1) % 300}"))
    listed = own(registry_of(root))
    assert all(codes(entry) == ["endless-chain"] for entry in listed.values())
    assert len(listed["0.md"].problems[0].message) < 200


# --- files of every kind


def test_a_link_to_a_file_of_the_vault_does_not_make_that_tool_unusable(root: Path, write: Write) -> None:
    write("real/tool.md", name="linked")
    (root / "link.md").symlink_to(root / "real" / "tool.md")
    assert registry_of(root).tool("linked").name == "linked"


def test_a_link_out_of_the_vault_is_not_followed(root: Path, tmp_path: Path, write: Write) -> None:
    write("good.md", name="good")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "evil.md").write_bytes((root / "good.md").read_bytes())
    (root / "file.md").symlink_to(outside / "evil.md")
    (root / "folder").symlink_to(outside)
    (root / "relative.md").symlink_to("../outside/evil.md")
    (root / "twice.md").symlink_to(root / "file.md")
    assert list(own(registry_of(root))) == ["good.md"]


def test_circles_of_links_end(root: Path, write: Write) -> None:
    write("a/good.md", name="good")
    (root / "a" / "up").symlink_to(root)
    (root / "a" / "self.md").symlink_to("self.md")
    (root / "dangling.md").symlink_to("nowhere.md")
    registry = registry_of(root)
    assert list(own(registry)) == ["a/good.md"]
    assert registry.tool("good").file == "a/good.md"


def test_a_pipe_named_like_a_note_does_not_hold_up_anything(root: Path, write: Write) -> None:
    write("good.md", name="good")
    os.mkfifo(root / "pipe.md")
    os.mkfifo(root / "pipe.tool.js")
    (root / "link.md").symlink_to(root / "pipe.md")
    assert list(own(registry_of(root))) == ["good.md"]


def test_a_folder_named_like_a_note_is_a_folder(root: Path, write: Write) -> None:
    write("folder.md/inner.md", name="inner")
    assert list(own(registry_of(root))) == ["folder.md/inner.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_cannot_be_read_is_told_about_and_hides_no_other(root: Path, write: Write) -> None:
    write("good.md", name="good")
    write("locked.md", name="locked").chmod(0)
    (root / "closed").mkdir(mode=0)
    registry = registry_of(root)
    assert list(own(registry)) == ["good.md"]
    assert [(problem.file, problem.code) for problem in registry.loose_problems()] == [("locked.md", "file-unreadable")]


def test_a_file_name_that_is_not_utf8_is_listed_and_used(root: Path, write: Write) -> None:
    place = write("good.md", name="good")
    place.rename(os.fsdecode(os.fsencode(root) + b"/na\xefve.md"))
    registry = registry_of(root)
    assert registry.tool("good").file == os.fsdecode(b"na\xefve.md")


def test_a_huge_tool_file_is_refused_without_hiding_the_others(root: Path, write: Write) -> None:
    write("good.md", name="good")
    write("huge.md", "---\ntool: true\nname: huge\n---\n" + "x" * 3_000_000)
    listed = own(registry_of(root))
    assert codes(listed["huge.md"]) == ["file-too-large"]
    assert listed["good.md"].valid


def test_a_huge_ordinary_note_is_only_an_ordinary_note(root: Path, write: Write) -> None:
    write("huge.md", "a tool or agent " * 200_000)
    write("front.md", "---\ntags: [tool]\n---\n" + "a tool or agent " * 200_000)
    registry = registry_of(root)
    assert own(registry) == {}
    assert registry.loose_problems() == ()


def test_a_file_of_arbitrary_bytes_does_no_harm(root: Path, write: Write) -> None:
    write("good.md", name="good")
    (root / "bytes.md").write_bytes(b"---\ntool: true\nname: \xff\xfe\x00\n---\n" + bytes(range(256)))
    listed = own(registry_of(root))
    assert listed["good.md"].valid
    assert not listed["bytes.md"].valid


def test_a_few_tools_are_found_among_thousands_of_notes(root: Path, write: Write) -> None:
    for number in range(2000):
        write(f"notes/{number % 40}/{number}.md", f"---\ntags: [n{number}]\n---\n# Note {number}\n")
    for number in range(5):
        write(f"notes/{number}/tool.md", name=f"tool{number}")
    registry = registry_of(root)
    assert len(own(registry)) == 5
    assert registry.files_read == 2005
    registry.refresh()
    assert len(own(registry)) == 5


# --- changes


def test_a_refresh_sees_new_changed_renamed_and_deleted_files(root: Path, write: Write) -> None:
    registry = registry_of(root)
    assert own(registry) == {}
    place = write("a.md", name="one")
    registry.refresh()
    assert registry.tool("one").file == "a.md"
    write("a.md", name="two")
    registry.refresh()
    assert registry.tool("two").file == "a.md"
    place.rename(root / "b.md")
    registry.refresh()
    assert registry.tool("two").file == "b.md"
    (root / "b.md").unlink()
    registry.refresh()
    with pytest.raises(UnknownToolError):
        registry.tool("two")


def test_a_file_broken_by_an_edit_goes_on_as_it_was_and_says_so(root: Path, write: Write) -> None:
    write("a.md", name="good", description="Before.")
    registry = registry_of(root)
    registry.refresh()
    write("a.md", "---\ntool: true\nname: good\ntype: chain\n---\n")
    registry.update(["a.md"])
    entry = registry.find("good")
    assert entry.stale
    assert not entry.valid
    assert "missing-steps" in codes(entry)
    assert registry.tool("good").description == "Before."
    write("a.md", name="good", description="After.")
    registry.update(["a.md"])
    assert not registry.find("good").stale
    assert registry.tool("good").description == "After."


def test_an_update_finds_the_same_as_a_refresh(root: Path, write: Write) -> None:
    write("a/one.md", name="one")
    write("b/two.md", name="two")
    (root / "b" / "link.md").symlink_to("../a/one.md")
    registry = registry_of(root)
    registry.refresh()
    before = own(registry)
    registry.update(["b", "a", "b/two.md", "gone.md", "b/link.md"])
    assert own(registry) == before


def test_an_update_follows_no_link_to_a_folder_outside(root: Path, tmp_path: Path, write: Write) -> None:
    write("good.md", name="good")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "evil.md").write_bytes((root / "good.md").read_bytes().replace(b"good", b"evil"))
    (root / "folder").symlink_to(outside)
    registry = registry_of(root)
    registry.update(["folder/evil.md", "folder", "../outside/evil.md"])
    assert list(own(registry)) == ["good.md"]


def test_readers_see_a_complete_state_while_files_change(root: Path, write: Write) -> None:
    for number in range(200):
        write(f"almost{number}.md", "---\ntool: yes\n---\n")
    registry = registry_of(root)
    registry.refresh()
    done = threading.Event()

    def change() -> None:
        for number in range(150):
            write(f"new{number}.md", "---\ntool: yes\n---\n")
            registry.update([f"new{number}.md"])
        done.set()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        while not done.is_set():
            assert len(registry.loose_problems()) >= 200
    finally:
        changing.join()


def test_long_names_in_steps_and_arguments_are_checked_quickly(root: Path, write: Write) -> None:
    letters = "".join(chr(0x4E00 + number * number % 9973) for number in range(100_000))
    parameter = f"[{{name: {letters}, type: number, description: d, default: 1}}]"
    write("x.md", id="helper", name=letters, parameters=parameter)
    given = f"\n    parameters:\n      ? {letters[::-1]}\n      : 1"
    write("chain.md", name="chain", steps=f"\n  - tool: {letters[::-1]}\n  - tool: helper{given}")
    assert codes(own(registry_of(root))["chain.md"]) == ["unknown-tool"]
