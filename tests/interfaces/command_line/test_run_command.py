"""``paper run``, ``paper test`` and ``paper stats`` without a terminal: arguments, exit codes, one document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TYPED = """---
tool: true
name: typed
description: Gives back what it gets.
parameters:
  - {name: n, type: number, description: d, required: false}
  - {name: b, type: boolean, description: d, required: false}
  - {name: s, type: string, description: d, required: false}
  - {name: a, type: array, description: d, required: false}
  - {name: o, type: object, description: d, required: false}
examples:
  - {name: works, input: {n: 1}, output: {n: 1}}
  - {name: does not, input: {n: 1}, output: {n: 2}}
custom_function: return input;
---
"""
WRITER = """---
tool: true
name: writer
description: Writes.
type: chain
steps:
  - {tool: write_file, parameters: {filePath: a.md, content: text}}
---
"""
FAILING = """---
tool: true
name: failing
description: Fails.
custom_function: |
  if (input) throw new Error("broken");
  return 1;
---
"""


@pytest.fixture(autouse=True)
def tools(write: Callable[..., Path]) -> None:
    for name, text in (("typed", TYPED), ("writer", WRITER), ("failing", FAILING)):
        write(f"{name}.md", text)


@pytest.mark.parametrize(
    ("pair", "value"),
    [("n=3", 3), ("n=-1.5e2", -150), ("b=true", True), ("b=False", False), ("s=3", "3"), ("s=", ""), ("s=a=b", "a=b"),
     ('a=[1,"x"]', [1, "x"]), ('o={"k": null}', {"k": None}), ("extra=5", "5")],
)  # fmt: skip
def test_an_argument_is_read_as_the_declared_type(paper: Any, pair: str, value: Any) -> None:
    answer = paper("run", "typed", "-p", pair, "--json")
    assert answer.code == 0
    assert answer.document["data"] == {pair.partition("=")[0]: value}


@pytest.mark.parametrize("pair", ["n=12abc", "n=", "b=yes", "a=x", "o=[]", "n=1\u0663", "plain", "=x"])
def test_what_cannot_be_read_is_wrong_usage(paper: Any, pair: str) -> None:
    answer = paper("run", "typed", "-p", pair, "--json")
    assert answer.code == 2
    assert answer.document["success"] is False


def test_arguments_come_as_json_from_a_file_or_from_standard_input(
    paper: Any, started: Any, vault: Path, tmp_path: Path
) -> None:
    file = tmp_path / "arguments.json"
    file.write_text('{"n": 1}', encoding="utf-8")
    assert paper("run", "typed", "--params", '{"n": 1}', "--json").document["data"] == {"n": 1}
    assert paper("run", "typed", "--params", f"@{file}", "-p", "s=x", "--json").document["data"] == {"n": 1, "s": "x"}
    piped = started("run", "typed", "--params", "-", "--json", "--vault", vault, input=b'{"n": 2}')
    assert piped.document["data"] == {"n": 2}


@pytest.mark.parametrize("given", ["{", "[]", "5", "@missing.json", "[" * 100_000])
def test_arguments_that_are_no_object_are_wrong_usage(paper: Any, given: str) -> None:
    answer = paper("run", "typed", "--params", given, "--json")
    assert answer.code == 2
    assert answer.document["error"]["code"] in ("params-not-json", "no-such-file")


@pytest.mark.parametrize(
    ("arguments", "code", "status"),
    [
        (["typed"], 0, "succeeded"),
        (["failing"], 1, "failed"),
        (["typed", "--params", '{"n": "x"}'], 2, "failed"),
        (["nothing"], 2, "failed"),
        (["writer"], 3, "waiting"),
        (["writer", "--yes"], 0, "succeeded"),
        (["writer", "--dry-run"], 0, "planned"),
    ],
)
def test_the_exit_code_says_how_it_went_and_standard_output_holds_one_document(
    started: Any, vault: Path, arguments: list[str], code: int, status: str
) -> None:
    answer = started("run", *arguments, "--json", "--vault", vault)
    assert (answer.code, answer.document["status"]) == (code, status)
    assert answer.err == ""
    assert (vault / "a.md").exists() == ("--yes" in arguments)


def test_a_yes_on_the_command_line_is_in_the_record(paper: Any) -> None:
    entry = paper("run", "writer", "--yes", "--json").document["execution_log"][0]
    assert "--yes" in entry["message"]
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)


def test_without_a_terminal_there_are_neither_questions_nor_colours(started: Any, vault: Path) -> None:
    answer = started("run", "writer", "--vault", vault, input=b"y\ny\n")
    assert answer.code == 3
    assert "\x1b" not in answer.out + answer.err
    assert "approvals" in answer.err


def test_the_log_is_printed_as_yaml(paper: Any) -> None:
    answer = paper("run", "failing", "--log-format", "yaml")
    assert answer.code == 1
    assert answer.out.startswith('execution_log:\n  - step: 1\n    block: "custom_function"\n')
    assert 'status: "error"' in answer.out


def test_a_dry_run_shows_the_diff_and_changes_nothing(paper: Any, vault: Path) -> None:
    def read_files() -> dict[Path, bytes]:
        files = (each for each in vault.rglob("*") if each.is_file() and each.parent.name != "cache")
        return {each: each.read_bytes() for each in files}

    paper("list")
    before = read_files()
    answer = paper("run", "writer", "--dry-run")
    assert answer.code == 0
    assert "+text" in answer.out
    assert read_files() == before


def test_examples_are_tried_and_differences_shown(paper: Any) -> None:
    answer = paper("test", "typed")
    assert answer.code == 1
    assert "✓ typed: works" in answer.out
    assert '-  "n": 2' in answer.out
    document = paper("test", "--json").document
    assert [(each["example"], each["passed"]) for each in document] == [("works", True), ("does not", False)]
    assert list(document[0]) == ["tool", "example", "passed", "difference"]
    assert paper("test", "writer").code == 0


def test_figures_are_kept_per_tool(paper: Any) -> None:
    paper("run", "typed")
    paper("run", "failing")
    document = paper("stats", "--json").document
    assert document["runs"] == 2
    assert {each["tool"]: each["success_rate"] for each in document["tools"]} == {"typed": 1.0, "failing": 0.0}
    shown = paper("stats").out
    assert "typed" in shown
    assert "denied" not in shown, "nothing was"
    assert max(map(len, shown.splitlines())) <= 80


def test_search_gives_the_answer_of_the_tool(paper: Any, write: Callable[..., Path]) -> None:
    write("note.md", "a unique_word here")
    document = paper("search", "unique_word", "--json").document
    assert (document["count"], document["results"][0]["path"]) == (1, "note.md")


def test_the_doctor_names_every_wall(paper: Any) -> None:
    document = json.loads(paper("doctor", "--json").out)
    assert all(set(wall) == {"name", "stands", "reason"} for wall in document["walls"])


@pytest.mark.parametrize("given", ['{"n": NaN}', '{"n": 1e400}', '{"other": -Infinity}', '{"o": {"deep": [NaN]}}'])
def test_a_number_that_json_does_not_know_is_wrong_usage_and_the_answer_is_json(
    given: str, paper: Any, write: Any
) -> None:
    write("typed.md", TYPED)
    answer = paper("run", "typed", "--params", given, "--json")
    assert answer.code == 2
    assert json.loads(answer.out, parse_constant=pytest.fail)["success"] is False


@pytest.mark.parametrize("levels", [150, 900, 100_000])
def test_arguments_nested_too_deeply_are_wrong_usage(levels: int, paper: Any, write: Any) -> None:
    write("typed.md", TYPED)
    write("deep.json", '{"a": ' + "[" * levels + "]" * levels + "}")
    answer = paper("run", "typed", "--params", "@deep.json", "--json")
    assert (answer.code, answer.document["error"]["code"] in ("invalid-arguments", "params-not-json")) == (2, True)


def test_a_byte_order_mark_before_the_arguments_is_no_part_of_them(paper: Any, write: Any) -> None:
    write("typed.md", TYPED)
    write("given.json", '\ufeff{"s": "ü"}\r\n')
    for given in ("@given.json", '\ufeff{"s": "ü"}'):
        assert paper("run", "typed", "--params", given, "--json").document["data"] == {"s": "ü"}


LISTS = """---
tool: true
name: lists
description: Gives back what it gets.
parameters:
  - {name: words, type: array, items: {type: string}, description: d, required: false}
  - {name: numbers, type: array, items: {type: number}, description: d, required: false}
  - {name: any, type: array, description: d, required: false}
  - {name: one, type: string, description: d, required: false}
  - {name: due, type: string, format: date, description: d, required: false}
custom_function: return input;
---
"""
NEEDS = """---
tool: true
name: needs
description: Needs two.
parameters:
  - {name: text, type: string, description: d}
  - {name: amount, type: number, description: d}
custom_function: |
  return {deep: [{path: input.text}], names: ["a", "b"], amount: input.amount};
---
"""


@pytest.fixture
def lists(write: Callable[..., Path]) -> None:
    write("lists.md", LISTS)
    write("needs.md", NEEDS)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("given", "value"),
    [
        (["-p", "words=a", "-p", "words=2"], {"words": ["a", "2"]}),
        (["-p", "numbers=1", "-p", "numbers=2.5"], {"numbers": [1, 2.5]}),
        (["-p", "any=1", "-p", "any=x"], {"any": [1, "x"]}),
        (["words=a", "words=b", "one=x y"], {"words": ["a", "b"], "one": "x y"}),
        (["words=a", "-p", "words=b"], {"words": ["b", "a"]}),
    ],
)
def test_a_repeated_argument_is_a_list_and_p_may_be_left_out(
    paper: Any, given: list[str], value: dict[str, Any]
) -> None:
    answer = paper("run", "lists", *given, "--json")
    assert (answer.code, answer.document["data"]) == (0, value)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["one=a", "one=b"], "'one' is given more than once"),
        (["numbers=1", "numbers=x"], "'numbers.1' must be a number such as 1.5."),
        (["words=a"], '-p words=\'["a", "b"]\', or -p words=a -p words=b'),
        (["due=soon"], "'due' must be a date such as 2026-12-01."),
        (["plain"], "'plain' is not NAME=VALUE."),
    ],
)
def test_what_is_wrong_with_an_argument_is_told_with_what_would_be_right(
    paper: Any, given: list[str], told: str
) -> None:
    answer = paper("run", "lists", *given)
    assert (answer.code, told in answer.err) == (2, True)


@pytest.mark.usefixtures("lists")
def test_without_a_terminal_what_is_missing_is_told_with_an_example(paper: Any) -> None:
    answer = paper("run", "needs", "text=x")
    assert answer.code == 2
    assert answer.err == "Error: 'amount' is missing.\n  Example: paper run needs -p text=… -p amount=…\n"


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("field", "shown"),
    [("amount", "1\n"), ("deep.0.path", "two\nlines\n"), ("names", "a\nb\n"), ("names.1", "b\n")],
)
def test_one_field_of_the_result_is_printed_as_plain_text(paper: Any, field: str, shown: str) -> None:
    answer = paper("run", "needs", "text=two\nlines", "amount=1", "--field", field)
    assert (answer.code, answer.out) == (0, shown)


@pytest.mark.usefixtures("lists")
def test_a_field_is_json_where_that_is_asked_for_and_an_unknown_one_is_told_with_its_neighbours(paper: Any) -> None:
    given = ("run", "needs", "text=x", "amount=1")
    assert paper(*given, "--field", "deep", "--json").document == [{"path": "x"}]
    for field, told in (("amuont", "Did you mean 'amount'?"), ("x", "There is: deep, names, amount"), ("deep.7", "")):
        answer = paper(*given, "--field", field)
        assert (answer.code, told in answer.err, answer.out) == (2, True, "")


def test_a_dry_run_that_fails_tells_the_failure_first(paper: Any, write: Any) -> None:
    steps = "  - {name: look, tool: read_file, parameters: {filePath: none.md}}"
    write("look.md", f"---\ntool: true\nname: looks\ndescription: d\nsteps:\n{steps}\n---\n")
    answer = paper("run", "looks", "--dry-run")
    assert answer.code == 1
    assert answer.err.startswith("Failed in step 'look' (read_file): There is no file 'none.md'")
    assert "change nothing" not in answer.err


def test_help_is_named_with_its_command(paper: Any) -> None:
    assert paper("run").err.endswith("Help: paper run --help\n")
    assert paper("runs", "show").err.endswith("Help: paper runs show --help\n")
    assert paper("doctor", "too").err.endswith("Help: paper doctor --help\n")


def test_a_path_with_blanks_is_quoted_in_a_command_that_is_told(paper: Any, write: Any) -> None:
    write("Offene Aufgaben.md", "---\ntool: true\nname: open\ndescription: d\n---\n")
    assert "paper check 'Offene Aufgaben.md'" in paper("run", "open").err


def test_an_argument_that_looks_like_an_optional_one_is_warned_of_and_passed_on(paper: Any, write: Any) -> None:
    parameters = "parameters: [{name: sterne, type: number, description: d, required: false}]"
    tool = f"---\ntool: true\nname: rate\ndescription: d\n{parameters}\ncustom_function: return input;\n"
    write("rate.md", f"{tool}---\n")
    answer = paper("run", "rate", "-p", "stern=5", "--json")
    assert (answer.code, answer.document["data"]) == (0, {"stern": "5"})
    warning = "There is no parameter 'stern'. Did you mean 'sterne'?"
    assert answer.document["warnings"] == [warning]
    assert answer.err == f"warning: {warning}\n"
    for way in ("--dry-run", "--detach"):
        assert paper("run", "rate", "-p", "stern=5", way).err.count(warning) == 1
    shown = paper("runs", "show", "last")
    assert (shown.out + shown.err).count(warning) == 1
    assert paper("run", "rate", "-p", "other=5").err == ""
    write("rate.md", f"{tool}strict: true\n---\n")
    answer = paper("run", "rate", "-p", "stern=5")
    assert (answer.code, answer.err.count("Did you mean 'sterne'?")) == (2, 1)
