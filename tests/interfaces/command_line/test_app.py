"""The command line as a whole: exit codes, suggestions, streams, terminals, completion, settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tests.trusting import trust_settings

from paperagents.interfaces.command_line.app import COMMANDS, LocalisedCommand, make_group
from paperagents.interfaces.command_line.output import width
from paperagents.version import __version__

Paper = Callable[..., Any]
Write = Callable[..., Path]

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal might obey; a carriage return too, for it can overwrite a line."""
EVIL = (
    '---\ntool: true\nid: evil\nname: "n\\e[31m\\x9b2J\\u202e"\n'
    'description: "d\\e]0;title\\a\\x9b\\r\\x7f\\nplain\\nadded"\n'
    "custom_function: return 1;\n---\n"
)
EVIL_STEPS = '---\ntool: true\nid: steps\nname: s\ndescription: d\nsteps:\n  - tool: "x\\e]0;t\\a\\x9b2J"\n---\n'


COUNT_OPENED = """
import sys
from paperagents.interfaces.command_line.app import run
opened = []
sys.addaudithook(lambda event, values: opened.append(str(values[0])) if event == "open" else None)
run(sys.argv[1:])
print(sum(name.endswith("settings.toml") for name in opened), file=sys.stderr)
"""


def test_the_settings_files_are_read_once_for_a_command(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "config" / "paperagents").mkdir(parents=True)
    (tmp_path / "config" / "paperagents" / "settings.toml").write_text('language = "de"\n')
    (vault / ".paper" / "settings.toml").write_text("sandbox.timeout = 3\n")
    done = subprocess.run([sys.executable, "-c", COUNT_OPENED, "config"], capture_output=True, text=True, check=True)
    assert (done.stderr, "3" in done.stdout) == ("2\n", True)


# --- help and wrong usage


@pytest.mark.usefixtures("vault")
@pytest.mark.parametrize(
    ("arguments", "told", "command"),
    [
        (["run", "x", "--params"], "--params braucht einen Wert.", "paper run --help"),
        (["--vault"], "--vault braucht einen Wert.", "paper --help"),
        (["run", "x", "--yes=1"], "Zu --yes gehört kein Wert.", "paper run --help"),
        (["runs", "list", "--nosuch"], "„--nosuch“", "paper runs list --help"),
        (["runs", "prune", "--older-than", "x"], "--older-than muss eine Zahl sein, mindestens 0.", None),
        (["store", "task", "set"], "IDENTIFIER fehlt.", "paper store task set --help"),
        (["backup", "--restore"], "FILE fehlt.", "paper backup --help"),
    ],
)
def test_wrong_usage_is_told_in_the_language_of_the_reader_with_a_command_that_helps(
    arguments: list[str], told: str, command: str | None, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", "de")
    answer = paper(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Fehler: ")
    assert told in answer.err.splitlines()[0]
    assert command is None or answer.err.splitlines()[1] == f"  Hilfe: {command}"


def test_nobody_who_misses_an_option_is_told_to_approve_everything(paper: Paper, write: Write) -> None:
    write("good.md")
    answer = paper("run", "good", "--items", "a, b")
    assert (answer.code, "--yes" in answer.err) == (2, False)
    assert "-p items=…" in answer.err


def test_a_value_without_its_parameter_is_told_with_one(paper: Paper, write: Write) -> None:
    write("good.md", "---\ntool: true\nname: t\ndescription: d\nparameters:\n  - {name: items, type: string}\n"
          "custom_function: return 1;\n---\n")  # fmt: skip
    answer = paper("run", "t", "two words")
    assert answer.err.splitlines()[1] == "  Example: paper run t -p items='two words'"


@pytest.mark.parametrize("arguments", [["run", "read_file", "--params", "@{}"], ["extract", "{}"], ["resolve", "{}"]])
def test_a_folder_in_the_place_of_a_file_is_told_as_one(arguments: list[str], paper: Paper, vault: Path) -> None:
    (vault / "notes").mkdir()
    answer = paper(*(each.format("notes") for each in arguments))
    assert answer.code == 2
    assert answer.err == "Error: 'notes' cannot be read: Is a directory.\n"


def test_a_file_in_the_place_of_the_vault_is_told_as_one(paper: Paper, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    answer = paper("--vault", str(tmp_path / "file"), "list")
    assert answer.code == 2
    assert answer.err.startswith(f"Error: '{tmp_path / 'file'}' is no folder that can be opened.\n")
    assert "init" not in answer.err


def test_commands_that_are_proposed_work_from_where_the_person_stands(
    paper: Paper, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = paper("--vault", "vault", "run", "write_file", "-p", "filePath=a.md", "-p", "content=x")
    assert answer.code == 3
    proposed = answer.err.split("Say yes: ")[1].split()
    assert proposed[:3] == ["paper", "--vault", "vault"]
    listed = paper("--vault", "vault", "approvals", "list")
    assert "Say yes: paper --vault vault approvals approve ID" in listed.err
    assert paper(*proposed[1:]).code == 0
    assert (vault / "a.md").read_text("utf-8") == "x"
    monkeypatch.chdir(vault)
    assert "--vault" not in paper("run", "write_file", "-p", "filePath=b.md", "-p", "content=x").err


def test_without_a_command_the_help_page_is_shown(paper: Paper) -> None:
    answer = paper()
    together = answer.out + answer.err
    assert answer.code in (0, 2)
    assert "Error" not in together
    assert all(name in together for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_page(command: str, paper: Paper) -> None:
    answer = paper(command, "--help")
    assert answer.code == 0
    assert f"paper {command}" in answer.out


def test_every_command_is_told_in_the_language_of_the_reader() -> None:
    def list_commands(group: click.Group, context: click.Context) -> Iterator[click.Command]:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield command
            if isinstance(command, click.Group):
                yield from list_commands(command, context)

    group = make_group()
    commands = [*list_commands(group, click.Context(group))]
    assert len(commands) > len(COMMANDS)
    assert [each.name for each in commands if not isinstance(each, LocalisedCommand)] == []


@pytest.mark.parametrize(("language", "word"), [("de", "Aufruf:"), ("zh", "用法：")])
def test_the_help_page_speaks_the_language_of_the_reader(
    language: str, word: str, started: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", language)
    answer = started("check", "--help")
    assert answer.code == 0
    assert answer.out.startswith(word)


@pytest.mark.usefixtures("vault")
@pytest.mark.parametrize(
    ("arguments", "german", "chinese"),
    [
        (["import", "--vault", "."], "COMMAND fehlt", "缺少 COMMAND"),
        (["run", "x", "--params", "{"], "Zeile 1, Spalte 2", "第 1 行第 2 列"),
        (["run", "x", "--params", "1" * 5000], "kein JSON", "JSON"),
        (["config", "get", "nope"], "keine Einstellung", "没有设置"),
    ],
)
def test_wrong_usage_is_told_in_the_language_of_the_reader(
    arguments: list[str], german: str, chinese: str, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    for language, words in (("de", german), ("zh", chinese)):
        monkeypatch.setenv("PAPER_LANGUAGE", language)
        answer = paper(*arguments)
        assert (answer.code, answer.out) == (2, "")
        assert words in answer.err
        assert not re.search("Missing|Expecting|Exceeds", answer.err)


def test_what_the_system_refuses_is_told_in_the_language_of_the_reader(
    tmp_path: Path, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for language, words in (("en", "Not a directory"), ("de", "das ist kein Ordner"), ("zh", "不是文件夹")):
        monkeypatch.setenv("PAPER_LANGUAGE", language)
        answer = paper("init", tmp_path / "file" / "vault")
        assert answer.code == 1
        assert words in answer.err


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('language = "de"\n[sandbox]\ntimeot = 1\n', "es gibt keine Einstellung"),
        ('timezone = "Mars"\nlanguage = "zh"\n', "不能是"),
        ('language = "xx"\n', "cannot be"),
        ("language = [\n", "not valid TOML"),
    ],
)
def test_wrong_settings_are_told_in_the_language_that_they_set(
    written: str, words: str, vault: Path, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPER_LANGUAGE", raising=False)
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    (vault / ".paper" / "settings.toml").write_text(written, encoding="utf-8")
    answer = paper("list", "--vault", vault)
    assert answer.code == 2
    assert words.lower() in answer.err.lower()


def test_the_version_is_told(paper: Paper, started: Paper) -> None:
    assert paper("--version").out == started("--version").out == f"paper {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["lst"], "'list'"),
        (["chek"], "'check'"),
        (["list", "--jsn"], "'--json'"),
        (["--valt", "x", "list"], "'--vault'"),
    ],
)
def test_unknown_commands_and_options_suggest(arguments: list[str], suggestion: str, paper: Paper) -> None:
    answer = paper(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert suggestion in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["lst", "--json"],
        ["list", "--json", "--nope"],
        ["show", "--json"],
        ["show", "nope", "--json"],
        ["check", "nope.md", "--json"],
        ["check", "nope.md", "--format", "json"],
        ["check", "--format=json", "nope.md"],
        ["--vault", "/nowhere/at/all", "list", "--json"],
        ["new", "nothing", "x", "--json"],
        ["run", "nope", "--json"],
        ["runs", "show", "nope", "--json"],
        ["config", "get", "nope", "--json"],
    ],
    ids=" ".join,
)
def test_a_failure_under_json_is_one_document_and_nothing_else(arguments: list[str], paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    answer = paper(*arguments)
    assert answer.code in (1, 2)
    assert answer.document["success"] is False
    assert {"code", "message", "hint", "details"} <= set(answer.document["error"])
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", answer.document["error"]["code"])


# --- streams


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["--help"], ["show", "nope", "--json"]],
    ids=" ".join,
)
def test_a_reader_that_went_away_is_no_error(arguments: list[str], write: Write) -> None:
    write("good.md")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-I", "-m", "paperagents", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0


def test_only_the_first_line_can_be_taken(write: Write) -> None:
    for number in range(300):
        write(
            f"{number}.md",
            f"---\ntool: true\nname: t{number}\ndescription: {'d' * 300}\ncustom_function: return 1;\n---\n",
        )
    command = f"{sys.executable} -I -m paperagents list | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert len(done.stdout.split("\n")) == 2
    assert done.stderr == ""


@pytest.mark.parametrize("form", ["", "--json"])
def test_a_full_disk_is_told_as_such(write: Write, form: str) -> None:
    write("a.md", "---\ntool: true\nname: a\ndescription: d\ncustom_function: return 1;\n---\n")
    command = f"{sys.executable} -I -m paperagents list {form} >/dev/full"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_closed_streams_do_no_harm(closed: str, write: Write) -> None:
    write("good.md")
    command = f"{sys.executable} -I -m paperagents list {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_everything_is_utf8_whatever_the_locale_says(
    started: Paper, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.setenv("LC_ALL", "C")
    write("a.md", "---\ntool: true\nname: 笔记\nid: a\ndescription: Größe 笔记.\ncustom_function: return 1;\n---\n")
    assert "Größe 笔记." in started("list").out
    assert "Größe 笔记." in started("list", "--json").out


# --- terminals


def forms() -> list[list[str]]:
    check = [["check"], ["check", "--format", "github"], ["check", "--json"]]
    return [["list"], ["list", "--json"], ["show", "evil"], ["show", "evil", "--json"], *check, ["show", "steps"]]


@pytest.mark.parametrize("arguments", forms(), ids=" ".join)
def test_control_characters_of_a_file_never_reach_the_output(arguments: list[str], paper: Paper, write: Write) -> None:
    write("evil.md", EVIL)
    write("steps.md", EVIL_STEPS)
    write("x\x1b]0;t\x07\x9b\nmade-up.md:1:1: error", "")
    write("y\x1b[31m\nmade-up.md", "---\ntool: true\nname: y\n---\n")
    write("raw.md", "---\ntool: true\nname: r\ndescription: d\ntype: 'chian'  # \x1b[2J \x9b \u202e\n---\n")
    answer = paper(*arguments)
    assert RAW.findall(answer.out + answer.err) == []
    assert not any(line.startswith("made-up.md") for line in answer.out.split("\n"))


def test_a_name_on_the_command_line_is_shown_harmlessly_too(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    for arguments in (["show", "\x1b[2J\x9b"], ["\x1b]0;x\x07"], ["check", "\x1b[2J"], ["list", "--\x1b[2J"]):
        assert RAW.findall(paper(*arguments).err) == []


def test_nothing_is_coloured_without_a_terminal(started: Paper, write: Write) -> None:
    write("broken.md", "---\ntool: true\nname: b\ntype: chian\n---\n")
    for arguments in (["check"], ["show", "nope"]):
        answer = started(*arguments)
        assert "\x1b" not in answer.out + answer.err


def on_terminal(*arguments: str, **environment: str) -> str:
    """What a command writes when a terminal is listening."""
    leader, follower = os.openpty()
    command = [sys.executable, "-I", "-m", "paperagents", *arguments]
    surroundings = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen(command, stdout=follower, stderr=follower, stdin=follower, env=surroundings)
    os.close(follower)
    written = b""
    try:
        while piece := os.read(leader, 65536):
            written += piece
    except OSError:
        pass  # how a terminal says that the other end is closed
    process.wait(60)
    os.close(leader)
    return written.decode()


def test_a_terminal_gets_colours_unless_somebody_does_not_want_them(write: Write) -> None:
    write("broken.md", "---\ntool: true\nname: b\ndescription: d\ntype: chian\n---\n")
    assert "\x1b[" in on_terminal("check")
    assert "\x1b[" not in on_terminal("check", NO_COLOR="1")
    assert "\x1b[" not in on_terminal("check", TERM="dumb")


@pytest.mark.parametrize("columns", [40, 80])
def test_rows_of_a_table_go_on_below_themselves_on_a_terminal(columns: int, write: Write) -> None:
    many = "words of a description " * 6
    write(
        "long.md", f"---\ntool: true\nid: {'l' * 70}\nname: l\ndescription: {many}\ncustom_function: return 1;\n---\n"
    )
    write(
        "wide.md", f"---\ntool: true\nid: wide\nname: w\ndescription: {'笔记' * 60}\ncustom_function: return 1;\n---\n"
    )
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("list", COLUMNS=str(columns))).split("\r\n")
    assert [line for line in shown if width(line) > columns and "l" * 70 not in line] == []
    assert set(" ".join(shown).split()) >= {"words", "description", "search_files"}
    assert "".join(shown).replace(" ", "").count("笔记") == 60


def test_a_table_is_one_line_for_each_row_for_another_program(paper: Paper, write: Write) -> None:
    write(
        "long.md",
        f"---\ntool: true\nid: x\nname: l\ndescription: {'many words ' * 40}\ncustom_function: return 1;\n---\n",
    )
    assert "many words " * 39 in paper("list").out


def test_a_terminal_never_gets_the_control_characters_of_a_file(write: Write) -> None:
    write("evil.md", EVIL)
    write("steps.md", EVIL_STEPS)
    for arguments in (["check"], ["check", "--format", "github"], ["list", "--json"]):
        shown = re.sub(r"\x1b\[[0-9;]*m|\r\n", "", on_terminal(*arguments))
        assert RAW.findall(shown) == [], arguments


# --- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_script_for_every_shell(shell: str, paper: Paper) -> None:
    answer = paper("completion", shell)
    assert answer.code == 0
    assert f"_PAPER_COMPLETE={shell}_complete" in answer.out


def test_an_unknown_shell_is_wrong_usage(paper: Paper) -> None:
    assert paper("completion", "tcsh").code == 2


@pytest.mark.parametrize(
    ("shell", "words", "word"),
    [("bash", "paper sho", "1"), ("zsh", "paper show goo", "2"), ("fish", "paper sho", "sho")],
)
def test_commands_and_tools_are_completed(  # noqa: PLR0917  fixtures are arguments
    shell: str, words: str, word: str, started: Paper, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("good.md")
    monkeypatch.setenv("_PAPER_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", word)
    assert {"show", "good"} & set(re.split(r"[\n,\t:]", started().out))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_description_cannot_make_up_completions(
    shell: str, started: Paper, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("evil.md", EVIL)
    monkeypatch.setenv("_PAPER_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "paper show ev")
    monkeypatch.setenv("COMP_CWORD", "ev" if shell == "fish" else "2")
    answer = started()
    assert "added" not in answer.out.split("\n")
    assert RAW.findall(answer.out) == []


# --- settings, doctor


def test_the_settings_are_shown_with_their_origin_and_without_secrets(
    paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".paper/settings.toml", '[llm]\napi_key = "sk-SECRET"\nmodel = "m"\n')
    trust_settings(Path.cwd())
    monkeypatch.setenv("PAPER_SANDBOX_TIMEOUT", "2")
    shown = paper("config", "--json")
    assert shown.document["llm.model"]["value"] == "m"
    assert shown.document["llm.model"]["origin"].endswith("settings.toml:3")
    assert shown.document["sandbox.timeout"] == {"value": 2, "origin": "PAPER_SANDBOX_TIMEOUT"}
    for arguments in (["config"], ["config", "--json"], ["config", "get", "llm.api_key"]):
        assert "SECRET" not in paper(*arguments).out


def test_a_setting_is_written_where_it_belongs_and_everything_else_stays(
    paper: Paper, write: Write, vault: Path
) -> None:
    place = write(".paper/settings.toml", '# mine\nlanguage = "en"  # spoken\n\n[llm]\nmodel = "m"\n')
    assert paper("config", "set", "sandbox.timeout", "3").code == 0
    assert paper("config", "set", "timezone", "Europe/Berlin").code == 0
    assert paper("config", "set", "llm.model", 'a "quoted" 笔记').code == 0
    text = place.read_text(encoding="utf-8")
    assert "# mine\n" in text
    assert 'language = "en"  # spoken\n' in text
    document = paper("config", "--json").document
    assert document["sandbox.timeout"]["value"] == 3
    assert document["timezone"]["value"] == "Europe/Berlin"
    assert document["llm.model"]["value"] == 'a "quoted" 笔记'
    assert document["language"]["value"] == "en"
    assert vault.is_dir()


@pytest.mark.parametrize(("name", "value"), [("language", "xx"), ("sandbox.timeout", "fast"), ("languge", "de")])
def test_a_value_a_setting_cannot_have_changes_nothing(name: str, value: str, paper: Paper, write: Write) -> None:
    place = write(".paper/settings.toml", '# mine\nlanguage = "en"\n')
    assert paper("config", "set", name, value).code == 2
    assert place.read_text(encoding="utf-8") == '# mine\nlanguage = "en"\n'


def test_a_value_that_is_not_unicode_changes_nothing(paper: Paper, write: Write) -> None:
    place = write(".paper/settings.toml", '# mine\nlanguage = "en"\n')
    assert paper("config", "set", "llm.model", "a\udcff").code == 2
    assert place.read_text(encoding="utf-8") == '# mine\nlanguage = "en"\n'


def test_setting_a_value_does_not_write_through_a_link(paper: Paper, vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("", encoding="utf-8")
    (vault / ".paper" / "settings.toml").symlink_to(outside)
    paper("config", "set", "language", "en")
    assert outside.read_text(encoding="utf-8") == ""


def test_the_secrets_of_other_servers_are_not_shown(paper: Paper, write: Write) -> None:
    write(".paper/settings.toml", '[mcp_servers.x]\ncommand = ["server", "--token", "SECRET"]\n')
    assert "SECRET" not in paper("config").out + paper("config", "--json").out


def test_the_doctor_tells_the_walls_and_the_broken_files(paper: Paper, write: Write) -> None:
    write("broken.md", "---\ntool: true\nname: b\ntype: chian\n---\n")
    document = paper("doctor", "--json").document
    assert document["version"] == __version__
    assert document["broken_files"] == ["broken.md"]
    assert document["walls"]
    assert paper("doctor").code == 0


def test_statistics_and_runs_of_a_new_vault_are_empty(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    assert paper("runs", "list", "--json").document == []
    assert paper("approvals", "list", "--json").document == []
    assert isinstance(paper("stats", "--json").document, dict)


def test_the_notes_are_searched(paper: Paper, write: Write) -> None:
    write("note.md", "# A note about badgers\n")
    found = paper("search", "badgers", "--json").document
    assert [each["path"] for each in found["results"]] == ["note.md"]
    assert "note.md" in paper("search", "badgers").out


def test_the_whole_journey_of_a_newcomer(started: Paper, tmp_path: Path) -> None:
    assert started("init", "v", cwd=tmp_path).code == 0
    home = tmp_path / "v"
    assert "format_list" in started("list", cwd=home).out
    assert started("new", "tool", "Mine", cwd=home).code == 0
    assert started("check", cwd=home).code == 0
    run = started("run", "format_list", "-p", "items=apple, banana", "--json", cwd=home)
    assert run.code == 0
    assert json.loads(run.out)["data"] == {"list": "- apple\n- banana", "count": 2}


def test_an_unknown_word_of_a_group_is_told_with_the_nearest_and_in_the_readers_language(
    paper: Paper, vault: Path
) -> None:
    (vault / ".paper" / "settings.toml").write_text('language = "de"\n', "utf-8")
    answer = paper("runs", "lst")
    assert (answer.code, answer.err) == (2, "Fehler: Es gibt keinen Befehl „lst“.\n  Meinten Sie 'list'?\n")
    assert "paper runs --help" in paper("runs", "qqqqqq").err


def test_the_page_of_all_commands_loads_none_of_them(started: Paper) -> None:
    """A subprocess that tells what it has loaded: the start is as quick as showing the version."""
    program = (
        "import sys; sys.argv = ['paper', '--help']\n"
        "from paperagents.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = [f'interfaces.command_line.{each}' for each in ('run_commands', 'notes_commands', 'tool_commands')]\n"
        "print([name for name in ('vault', 'registry', *heavy) if f'paperagents.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]")
    shown = started("--help").out
    assert all(re.search(rf"^  {command}  ", shown, re.MULTILINE) for command in COMMANDS)
