"""The person at the terminal, part by part; with real runs in test_run_terminal.py."""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from tests.waiting import wait_until

from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    ApproveEverything,
    Approver,
    Decision,
    Denied,
    Pending,
    Scope,
)
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import CancelledError, ToolError
from paperagents.interfaces.command_line.output import width
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.terminal import (
    TerminalApprover,
    choose_approver,
    stopping_on_interrupt,
)
from paperagents.messages import text
from paperagents.sandbox import Cancellation

REQUEST = ApprovalRequest(
    id="1", run_id="2", step=1, tool="write_file", arguments={"filePath": "a.md"}, preview="+new\x1b[2J", digest="d",
    requested="2020-01-01T00:00:00+00:00", scope=Scope(mode="append", path="a.md"), caller="diary",
)  # fmt: skip


class Terminal(io.StringIO):
    """Standard error as a terminal of unknown width."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def sit_down(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Terminal]]:
    """A person who types these lines, after which the input ends, and sees what is shown."""
    with ExitStack() as opened:

        def type_in(words: str) -> Terminal:
            # As at a terminal, one line for each read.
            reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            for line in words.splitlines(keepends=True):
                writing.send(line.encode())
            writing.close()
            opened.enter_context(reading)
            monkeypatch.setattr(sys, "stdin", opened.enter_context(reading.makefile()))
            shown = Terminal()
            monkeypatch.setattr(sys, "stderr", shown)
            return shown

        yield type_in


@pytest.mark.parametrize(
    ("words", "decision"),
    [
        ("y\n", Approved(via="terminal")),
        ("Ja\n", Approved(via="terminal")),
        ("r\n", Approved(via="terminal", for_run=True)),
        ("always\n", Approved(via="terminal", always=True)),
        ("no\nnot this one\n", Denied(reason="not this one", via="terminal")),
        ("n\n", Denied(via="terminal")),
        ("", Pending()),
        ("ye", Pending()),
        ("\nperhaps\n是\n", Approved(via="terminal")),
    ],
)
def test_an_answer_is_taken_as_it_is_meant(sit_down: Callable[[str], Terminal], words: str, decision: Decision) -> None:
    terminal = sit_down(words)
    assert TerminalApprover().decide(REQUEST) == decision
    assert "\x1b[2J" not in terminal.getvalue()


def a_file(path: str, hunks: int) -> dict[str, Any]:
    shown = [{"number": each, "header": "@@", "diff": f"@@\n+{path} {each}"} for each in range(1, hunks + 1)]
    return {"path": path, "change": "changed", "diff": f"+++ b/{path}", "hunks": shown}


TOGETHER = replace(REQUEST, scope=None, files=(a_file("a.md", 3), a_file("b.md", 2), a_file("c.md", 1)))


@pytest.mark.parametrize(
    ("words", "decision"),
    [
        ("y\n", Approved(via="terminal")),
        ("p\ny\nn\nj\na\nn\n", {"a.md": {"hunks": [1, 3]}, "b.md": True, "c.md": False}),
        ("p\nn\nd\n?\nja\nn\ny\n", {"a.md": False, "b.md": {"hunks": [1]}, "c.md": True}),
        ("p\ny\na\nq\n", {"a.md": True, "b.md": False, "c.md": False}),
        ("p\ny\n", Pending()),
    ],
)
def test_several_changes_are_answered_hunk_by_hunk(
    sit_down: Callable[[str], Terminal], words: str, decision: Any
) -> None:
    terminal = sit_down(words)
    expected = Approved(via="terminal", files=decision) if isinstance(decision, dict) else decision
    assert TerminalApprover().decide(TOGETHER) == expected
    assert "3 files, +6 −0" in terminal.getvalue()


def an_editor(folder: Path, script: str) -> str:
    """The command of an editor that does this to its file, in a folder with a blank in its name."""
    program = folder / "my editor" / "edit"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"'{program}' --wait"


def test_the_new_text_of_a_file_is_written_in_the_editor_without_the_hunks_that_were_refused(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VISUAL", an_editor(tmp_path, 'printf "mine\\r\\nno end" >> "$2"'))
    asked: list[tuple[str, frozenset[int]]] = []

    def new_text(path: str, hunks: frozenset[int]) -> str:
        asked.append((path, hunks))
        return "first\r\n"

    sit_down("p\nn\ny\ne\nd\na\n")
    decision = TerminalApprover().decide(
        replace(TOGETHER, files=(a_file("a.md", 4), *TOGETHER.files[1:]), new_text=new_text)
    )
    # As it was left in the editor, byte by byte.
    files: JsonObject = {"a.md": {"content": "first\r\nmine\r\nno end"}, "b.md": False, "c.md": True}
    assert decision == Approved(via="terminal", files=files)
    assert asked == [("a.md", frozenset({2, 3, 4}))]


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        ("true", "Nothing was changed in the editor"),
        ("/no/such/editor", "The editor could not be used: /no/such/editor"),
        ("false", "Set EDITOR to the command of your editor"),
        ("'unfinished", "The editor could not be used: No closing quotation"),
        ("$(touch made)", "The editor could not be used"),
        ('sh -c \'printf "\\377" > "$0"\'', "The editor could not be used"),
    ],
)
def test_where_the_editor_gives_no_text_the_hunk_is_asked_again(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, editor: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VISUAL", editor)
    terminal = sit_down("p\ne\na\nd\nd\n")
    files: JsonObject = {"a.md": True, "b.md": False, "c.md": False}
    decision = TerminalApprover().decide(replace(TOGETHER, new_text=lambda *_: "text"))
    assert decision == Approved(via="terminal", files=files)
    assert told in " ".join(terminal.getvalue().split())
    assert [*tmp_path.iterdir()] == []


def test_what_cannot_be_an_entry_or_has_no_text_is_told_and_the_hunk_is_asked_again(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VISUAL", an_editor(tmp_path, 'printf -- "---\\nno end" > "$2"'))
    files = ({**a_file("memory/tea", 1), "kind": "memory"}, a_file("gone.md", 1))
    terminal = sit_down("p\ne\nn\ne\ny\n")
    texts = {"memory/tea": "green"}
    request = replace(TOGETHER, files=files, new_text=lambda path, _: texts.get(path))
    decision = TerminalApprover().decide(request)
    assert decision == Approved(via="terminal", files={"memory/tea": False, "gone.md": True})
    told = " ".join(terminal.getvalue().split())
    assert "The new text for 'memory/tea' cannot be read as an entry." in told
    assert "There is no text of 'gone.md' to write" in told


def test_a_word_that_is_no_answer_is_met_with_help(sit_down: Callable[[str], Terminal]) -> None:
    for words, helped in (("y\n", 0), ("perhaps\ny\n", 1)):
        terminal = sit_down(words)
        TerminalApprover().decide(REQUEST)
        assert " ".join(terminal.getvalue().split()).count(" ".join(text("ask.help").split())) == helped


def test_an_editor_that_changes_nothing_decides_nothing(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    terminal = sit_down("e\n")
    assert TerminalApprover().decide(REQUEST) == Pending()
    assert "Nothing was changed in the editor" in terminal.getvalue()
    assert text("ask.help") not in terminal.getvalue()


def test_the_rule_of_an_always_is_said_before_and_a_wider_one_can_be_typed(sit_down: Callable[[str], Terminal]) -> None:
    request = replace(REQUEST, scope=Scope(mode="append", path="Daily/2026/a.md"))
    terminal = sit_down("a Notes/*\na Daily/**\n")
    assert TerminalApprover().decide(request) == Approved(via="terminal", always=True, path="Daily/**")
    told = " ".join(terminal.getvalue().split())
    assert "Always would mean: diary may append to Daily/2026/a.md, until 2" in told
    assert "'Notes/*' does not cover Daily/2026/a.md." in told
    assert told.index("Always would mean") < told.index("[y]es")


def test_always_is_offered_only_where_a_rule_can_say_what_for(sit_down: Callable[[str], Terminal]) -> None:
    terminal = sit_down("a\ny\n")
    assert TerminalApprover().decide(replace(REQUEST, scope=None)) == Approved(via="terminal")
    assert "[a]lways" not in terminal.getvalue()
    terminal = sit_down("?\n")
    TerminalApprover().decide(REQUEST)
    assert "[a]lways" in terminal.getvalue()
    assert "from now on without a question: diary may append to a.md, until" in " ".join(terminal.getvalue().split())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scope": Scope(mode="create", path="a.md")}, "Diary wants to create a.md:"),
        ({}, "Diary wants to append to a.md:"),
        ({"scope": Scope(mode="overwrite", path="a.md")}, "Diary wants to change a.md:"),
        (
            {"tool": "rest_request", "scope": Scope(method="POST", host="x.org")},
            "Diary wants to send this request (POST x.org):",
        ),
        ({"tool": "task", "scope": Scope(mode="delete", path="task/milk")}, "Diary wants to delete task/milk:"),
        ({"tool": "diary", "scope": None}, "Diary wants to run diary with this:"),
        ({"path": "log", "scope": None}, "Diary wants to keep its logs in a file:"),
        ({"tool": "other.tool", "scope": Scope()}, "Diary wants to call other.tool (other.tool):"),
    ],
)
def test_the_first_line_says_who_wants_what(
    sit_down: Callable[[str], Terminal], change: dict[str, Any], words: str
) -> None:
    terminal, progress = sit_down("y\n"), Progress()
    progress.on_event({"type": "run-started", "run_id": "2", "tool": "diary"})
    TerminalApprover(progress, name_of=str.title).decide(replace(REQUEST, **change))
    assert words in click.unstyle(terminal.getvalue())


@pytest.mark.parametrize(("words", "again"), [("t\n", True), ("retry\n", True), ("no\n", False), ("", False)])
def test_a_refused_request_is_tried_again_when_the_person_says_so(
    sit_down: Callable[[str], Terminal],
    words: str,
    again: bool,  # noqa: FBT001  a case
) -> None:
    terminal = sit_down(words)
    assert TerminalApprover().try_again(ToolError("cannot-write", path="a\x1b[2J", reason="full")) is again
    assert "\x1b[2J" not in terminal.getvalue()


@pytest.mark.parametrize("letter", ["y", "j", "n", "e", "r", "a"])
def test_no_answer_to_a_question_sends_a_request_again(sit_down: Callable[[str], Terminal], letter: str) -> None:
    sit_down(f"{letter}\n")
    assert not TerminalApprover().try_again(ToolError("cannot-write", path="a", reason="full"))


def test_a_stop_ends_a_question_that_nobody_answers(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = sit_down("")
    reading, writing = os.pipe()
    stop = Cancellation()
    stop.cancel()
    with os.fdopen(reading) as stdin, os.fdopen(writing, "wb"):
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(CancelledError):
            TerminalApprover(stop=stop).decide(REQUEST)
    assert terminal.getvalue()


def test_without_a_terminal_nobody_is_asked(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = sit_down("")
    assert type(choose_approver(yes=False)) is Approver
    assert type(choose_approver(yes=True)) is ApproveEverything
    monkeypatch.setattr(sys, "stdin", terminal)
    assert type(choose_approver(yes=False)) is TerminalApprover
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert type(choose_approver(yes=False)) is Approver


def started(name: str = "read_file", run_id: str = "1") -> dict[str, Any]:
    return {"type": "step-started", "run_id": run_id, "step": 1, "name": name}


def finished(run_id: str = "1") -> dict[str, Any]:
    entry = {"step": 1, "name": "read_file", "status": "success", "block": "tool", "message": "", "duration_ms": 1.0}
    return {"type": "step-finished", "run_id": run_id, "entry": {**entry, "console": [{"text": "hi\x1b[2J"}]}}


def test_a_step_takes_the_place_of_its_unfinished_line(sit_down: Callable[[str], Terminal]) -> None:
    terminal = sit_down("")
    with Progress() as progress:
        progress.on_event(started())
        progress.on_event({"type": "vault-changed"})
        progress.on_event(finished())
    before, _, after = terminal.getvalue().partition("\r\x1b[2K")
    assert before.endswith("read_file …")
    assert "✓" in click.unstyle(after)
    assert "hi\\x1b[2J" in after
    assert "\r" not in after


def ended(status: str, message: str = "", path: str = "1", rounds: int | None = None) -> dict[str, Any]:
    event = finished()
    return {**event, "path": path, "rounds": rounds, "entry": {**event["entry"], "status": status, "message": message}}


@pytest.mark.parametrize(("end", "told"), [("failed", 0), ("succeeded", 1)])
def test_what_a_step_failed_with_is_told_here_only_where_the_run_goes_on(
    sit_down: Callable[[str], Terminal], end: str, told: int
) -> None:
    terminal, progress = sit_down(""), Progress()
    progress.on_event(started())
    progress.on_event(ended("error", "no such note"))
    progress.on_event({"type": "run-finished", "run_id": "1", "status": end})
    assert terminal.getvalue().count("no such note") == told
    assert "✗" in terminal.getvalue()


def test_a_loop_is_one_line_that_counts(sit_down: Callable[[str], Terminal]) -> None:
    terminal, progress = sit_down(""), Progress()
    for number in range(60):
        path = f"1[{number}]"
        progress.on_event({**started(), "path": path, "rounds": 60})
        progress.on_event(ended("error" if number == 7 else "success", "bad", path, 60))
        progress.on_event(ended("success", "", f"{path}:post", 60))
    progress.on_event({"type": "run-finished", "run_id": "1", "status": "succeeded"})
    lines = [line.rpartition("\r")[2] for line in click.unstyle(terminal.getvalue()).split("\n")]
    counting = [line for line in lines if "of 60" in line]
    assert len(counting) == 1
    assert "✗  1  read_file  60 of 60, 1 failed" in counting[0]


def test_without_a_terminal_a_loop_is_one_line_at_its_end(
    sit_down: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_down("")
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    progress = Progress()
    for number in range(3):
        progress.on_event({**started(), "path": f"1[{number}]", "rounds": 3})
        progress.on_event(ended("success", "", f"1[{number}]", 3))
    progress.on_event({**started("write_file"), "path": "2"})
    shown = written.getvalue()
    assert (shown.count("\n"), shown.startswith("✓  1  read_file  3 of 3  ")) == (1, True)


def test_steps_of_nested_runs_and_quiet_ones_are_not_shown(sit_down: Callable[[str], Terminal]) -> None:
    terminal = sit_down("")
    for progress, run_id in ((Progress(), "1.2"), (Progress(quiet=True), "1")):
        progress.on_event(started(run_id=run_id))
        progress.on_event(finished(run_id))
    assert terminal.getvalue() == ""


def test_a_line_that_is_not_finished_fits_into_one_row(sit_down: Callable[[str], Terminal]) -> None:
    terminal = sit_down("")
    Progress().on_event(started("好" * 200))
    assert 70 < width(terminal.getvalue()) < 80


def test_a_question_takes_an_unfinished_line_back_first(sit_down: Callable[[str], Terminal]) -> None:
    terminal = sit_down("y\n")
    progress = Progress()
    progress.on_event(started())
    TerminalApprover(progress).decide(REQUEST)
    assert "read_file …\r\x1b[2K" in terminal.getvalue()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_wait_for_the_run(number: signal.Signals) -> None:
    with stopping_on_interrupt() as stop:
        os.kill(os.getpid(), number)
        wait_until(lambda: stop.cancelled)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
