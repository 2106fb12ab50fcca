"""``paper extract``: the calls in a model's text, shown as they come and carried out where asked to."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents.vault import Vault

Paper = Callable[..., Any]
Extract = Callable[..., Any]
OPERATION_KEYS = ["tool_id", "type", "raw", "content", "attributes", "has_content", "start", "end", "line", "column"]


@pytest.fixture
def extract(vault: Path, paper: Paper) -> Extract:
    """Extract from a text; the answer of the command."""

    def carry_out(text: str | bytes, *options: str) -> Any:
        (vault / "answer.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return paper("extract", "answer.txt", *options)

    return carry_out


def contents(vault: Path, kind: str) -> dict[str, str]:
    with Vault(vault) as opened:
        return {entry.identifier: entry.content for entry in opened.entries.entries(kind)}


# --- looking


@pytest.mark.parametrize("command", ["extract", "resolve"])
def test_a_file_is_also_found_from_the_root_of_the_vault(
    vault: Path, paper: Paper, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "answer.txt").write_text("Nothing to do.")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert paper("--vault", str(vault), command, "answer.txt", "--json").code == 0
    assert paper("--vault", str(vault), command, "nothere.txt", "--json").code == 2


def test_the_document_has_operations_diagnostics_and_results(extract: Extract) -> None:
    answer = extract('Hi\n  {{<memory identifier="a" content="x" />}}\n{{<memry identifier="b" />}}', "--json")
    assert (answer.code, answer.err) == (0, "")
    assert list(answer.document) == ["operations", "diagnostics", "results"]
    (operation,) = answer.document["operations"]
    assert list(operation) == OPERATION_KEYS
    assert (operation["tool_id"], operation["line"], operation["column"]) == ("memory", 2, 3)
    (diagnostic,) = answer.document["diagnostics"]
    assert list(diagnostic) == ["line", "column", "severity", "code", "message"]
    assert (diagnostic["line"], diagnostic["column"]) == (3, 1)
    assert "memory" in diagnostic["message"]
    assert answer.document["results"] == []


def test_looking_changes_nothing(extract: Extract, vault: Path) -> None:
    extract('{{<memory identifier="a" content="x" />}}')
    assert not (vault / ".paper" / "paper.db").exists()


def test_what_is_wrong_with_a_call_is_told_before_it_is_carried_out(extract: Extract) -> None:
    document = extract('{{<memory identifier="a b" />}}\n{{<task identifier="t" status="later" />}}', "--json").document
    assert [(each["line"], each["severity"], each["code"]) for each in document["diagnostics"]] == [
        (1, "error", "tag-identifier-invalid"),
        (2, "warning", "tag-attribute-replaced"),
    ]


TEXT = """{{<reasoning_text>}}Hm {{<memory identifier="a" content="x" />}}{{</reasoning_text>}}
{{<goal identifier="g" />}} {{<vaultref id="v" />}}
```
{{<memory identifier="in code" />}}
```
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["memory", "goal"]),
        (("--tool", "goal"), ["goal"]),
        (("--tool", "GOAL"), ["goal"]),
        (("--tool", "reasoning_text"), ["reasoning_text"]),
        (("--tool", "vaultref"), ["vaultref"]),
    ],
)
def test_the_calls_that_are_asked_for_are_shown(
    options: tuple[str, ...], expected: list[str], extract: Extract
) -> None:
    document = extract(TEXT, *options, "--json").document
    assert [each["tool_id"] for each in document["operations"]] == expected
    shown = extract(TEXT, *options).out.splitlines()
    assert sorted(line.split()[1] for line in shown) == sorted(expected)


def test_an_unknown_tool_is_exit_code_2(extract: Extract) -> None:
    answer = extract(TEXT, "--tool", "memry", "--json")
    assert (answer.code, answer.document["success"]) == (2, False)
    assert "memry" in answer.document["error"]["message"]


def test_a_missing_file_is_exit_code_2(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    answer = paper("extract", "none.txt", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "no-such-file")


def test_attributes_are_shown_as_json(extract: Extract) -> None:
    answer = extract('{{<memory identifier="a" content="it\'s 笔记" delete=false />}}')
    assert '{"identifier": "a", "content": "it\'s 笔记", "delete": "false"}' in answer.out


@pytest.mark.parametrize("text", [b"", b"\xff\xfe{{<", b"{{<" * 2000, b'{{<memory identifier="', b"\x00" * 100])
def test_no_text_ends_the_program(text: bytes, extract: Extract) -> None:
    answer = extract(text, "--json")
    assert answer.code == 0
    assert answer.document["operations"] == []


def test_what_a_terminal_could_obey_is_shown_harmlessly(extract: Extract) -> None:
    answer = extract(
        '{{<memory identifier="\x1b]0;t\x07" content="\u202e" /> }}{{<memory identifier="a" content="\x1b[2J" />}}'
    )
    assert not {"\x1b", "\x07", "\u202e"} & {*answer.out, *answer.err}


# --- carrying out


def test_results_stand_in_the_order_of_the_text(extract: Extract, vault: Path) -> None:
    answer = extract(
        '{{<memory identifier="a" content="1" />}}{{<datavault id="d" action="update" content="2" />}}'
        "{{<goal identifier='g'>}}three{{</goal>}}",
        "--apply",
        "--json",
    )
    assert answer.code == 1
    assert [(each["id"], each["action"], each["status"]) for each in answer.document["results"]] == [
        ("a", "created", "success"),
        ("d", None, "error"),
        ("g", "created", "success"),
    ]
    assert answer.document["results"][1]["error"]["code"] == "entry-not-found"
    assert contents(vault, "goal") == {"g": "three"}


TRAPS = ["/>}}", "it's", "a /> b }} c", "{{<memory", "\r\n", "C:\\new", "\\d+", "<script>alert(1)</script>", "ä𝄞\u2028"]


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_in_a_value_arrives_byte_for_byte(trap: str, extract: Extract, vault: Path, paper: Paper) -> None:
    text = f'{{{{<datavault id="a" content="<{trap}>" />}}}}{{{{<datavault id="b">}}}}<{trap}>{{{{</datavault>}}}}'
    if trap == "{{<memory":
        text = text.partition('{{<datavault id="b"')[0]
    answer = extract(text, "--apply", "--json")
    assert answer.code == 0
    assert {*contents(vault, "datavault").values()} == {f"<{trap}>"}
    assert paper("store", "datavault", "get", "a", "--json").document["content"] == f"<{trap}>"


def test_a_delete_waits_and_is_exit_code_3(extract: Extract, vault: Path, paper: Paper) -> None:
    paper("store", "memory", "set", "a", "--content", "x")
    answer = extract('{{<memory identifier="a" delete />}}', "--apply", "--json")
    assert (answer.code, [each["status"] for each in answer.document["results"]]) == (3, ["waiting"])
    assert contents(vault, "memory") == {"a": "x"}
    (question,) = paper("approvals", "list", "--json").document
    assert paper("approvals", "approve", question["id"], "--json").code == 0
    assert contents(vault, "memory") == {}


def test_yes_deletes_at_once(extract: Extract, vault: Path, paper: Paper) -> None:
    paper("store", "memory", "set", "a", "--content", "x")
    answer = extract('{{<memory identifier="a" delete />}}', "--apply", "--yes", "--json")
    assert (answer.code, [each["action"] for each in answer.document["results"]]) == (0, ["deleted"])
    assert contents(vault, "memory") == {}


def test_a_failure_weighs_more_than_a_wait(extract: Extract, paper: Paper) -> None:
    paper("store", "memory", "set", "a", "--content", "x")
    text = '{{<memory identifier="a" delete />}}{{<datavault id="n" action="update" content="x" />}}'
    assert extract(text, "--apply").code == 1


@pytest.mark.parametrize(
    ("other", "code"),
    [('{{<datavault id="n" action="update" content="x" />}}', 1), ('{{<memory identifier="old" delete />}}', 3)],
)
def test_all_or_nothing_stores_nothing_and_the_exit_code_says_why(
    other: str, code: int, extract: Extract, vault: Path, paper: Paper
) -> None:
    paper("store", "memory", "set", "old", "--content", "x")
    answer = extract(f'{{{{<memory identifier="a" content="1" />}}}}{other}', "--apply", "--all-or-nothing", "--json")
    assert answer.code == code
    assert contents(vault, "memory") == {"old": "x"}


def test_without_json_each_result_says_which_tool_and_what_came_of_it(extract: Extract, paper: Paper) -> None:
    paper("store", "memory", "set", "old", "--content", "x")
    answer = extract(
        """{{<memory identifier="a" content="1" />}}{{<datavault id="n" action="update" content="x" />}}
        {{<js_execute>}}return {sum: 1 + 1};{{</js_execute>}}{{<datavault id="d">}}abcdef{{</datavault>}}
        {{<datavault id="d" action="request_read" limit="3" />}}{{<memory identifier="old" delete />}}
        {{<read_file path="answer.txt" limit=3 />}}{{<search_files query="zzz" />}}
        {{<final_output>}}All done.{{</final_output>}}""",
        "--apply",
    )
    lines = [line for line in answer.out.splitlines() if not line.startswith(" ")]
    assert lines[:6] == [
        "✓ memory a: created",
        "✗ datavault n: failed. There is no datavault entry named 'n'.",
        "✓ js_execute: done",
        "✓ datavault d: created",
        "✓ datavault d: read",
        "✗ memory old: waits for your answer (paper approvals)",
    ]
    assert [line.split(":")[0] for line in lines[6:]] == ["✗ read_file", "✓ search_files", "✓ final_output"]
    assert '"sum": 2' in answer.out
    assert "    abc\n" in answer.out
    assert '"count": 1' in answer.out
    assert "    All done.\n" in answer.out


@pytest.mark.parametrize(("language", "word"), [("de", "geändert"), ("zh", "已更新")])
def test_what_came_of_a_call_is_told_in_the_language_of_the_person(
    language: str, word: str, extract: Extract, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract('{{<memory identifier="a" content="1" />}}', "--apply")
    monkeypatch.setenv("PAPER_LANGUAGE", language)
    assert extract('{{<memory identifier="a" content="2" />}}', "--apply").out == f"✓ memory a: {word}\n"


def test_a_result_names_its_tool_whatever_came_of_it(extract: Extract) -> None:
    document = extract(
        "{{<final_output>}}x{{</final_output>}}{{<js_execute>}}nope({{</js_execute>}}{{<memory />}}{{<goal id=a b />}}",
        "--apply", "--all-or-nothing", "--json",
    ).document  # fmt: skip
    assert [each["tool"] for each in document["results"]] == ["final_output", "js_execute", "memory", "goal"]


def test_an_unknown_word_is_warned_of_and_changes_nothing(extract: Extract, paper: Paper) -> None:
    paper("store", "task", "set", "t", "--status", "ongoing")
    answer = extract('{{<task identifier="t" status="completed" />}}', "--apply")
    assert answer.out == "✓ task t: updated\n"
    assert "'ongoing'" in answer.err
    assert paper("store", "task", "get", "t", "--json").document["status"] == "ongoing"
    answer = paper("run", "task", "-p", "identifier=t", "-p", "status=done", "--json")
    assert (answer.code, answer.document["data"]["entry"]["status"]) == (0, "ongoing")
    assert answer.document["data"]["warnings"]


def test_bytes_that_are_no_text_are_not_stored(extract: Extract, vault: Path) -> None:
    answer = extract(b'{{<memory identifier="a" content="\xe4" />}}', "--apply", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "not-utf8")
    assert contents(vault, "memory") == {}


def test_only_the_calls_of_one_tool_are_carried_out(extract: Extract, vault: Path) -> None:
    extract(
        '{{<memory identifier="a" content="1" />}}{{<goal identifier="g" content="2" />}}', "--apply", "--tool", "goal"
    )
    assert (contents(vault, "memory"), contents(vault, "goal")) == ({}, {"g": "2"})


# --- as it comes


def test_a_call_is_shown_before_the_text_ends(vault: Path) -> None:
    command = [sys.executable, "-I", "-m", "paperagents", "extract"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=vault) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for number in (1, 2):
            os.write(child.stdin.fileno(), f'Some text {{{{<memory identifier="m{number}" />}}}} and '.encode())
            ready, _, _ = select.select([child.stdout], [], [], 30)
            assert ready, "nothing was shown while the text still came"
            assert f"m{number}".encode() in child.stdout.readline()
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(timeout=30) == 0


def test_standard_input_is_applied_when_it_ends(started: Paper, vault: Path) -> None:
    answer = started(
        "extract", "--apply", "--json", cwd=vault, input='{{<memory identifier="a" content="ä" />}}'.encode()
    )
    assert answer.code == 0
    assert json.loads(answer.out)["results"][0]["action"] == "created"
    assert contents(vault, "memory") == {"a": "ä"}
