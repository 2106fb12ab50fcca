"""``paper run`` with a person at a pseudo terminal: progress, coloured diffs, answers, interruption."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import click
import pytest

from paperagents import open_vault
from paperagents.interfaces.command_line.output import say_wrapped, width

TOOL = """---
tool: true
name: two
description: Two writes.
type: chain
steps:
  - {tool: write_file, parameters: {filePath: one.md, content: "1\\n", overwrite: true}}
  - {tool: write_file, parameters: {filePath: two.md, content: "2\\n", overwrite: true}}
---
"""
LOOP = """---
tool: true
name: loop
description: Runs for ever.
custom_function: |
  let i = 0; while (i >= 0) { i = (i + 1) % 10; }
  return i;
---
"""


class Terminal:
    """A command on a pseudo terminal, and a person who waits for a text before answering."""

    def __init__(self, *arguments: str, vault: Path, editor: str = "false", columns: int = 80) -> None:
        self._own, other = pty.openpty()
        termios.tcsetwinsize(other, (24, columns))
        environment = {**os.environ, "TERM": "xterm", "EDITOR": editor, "VISUAL": editor, "PAPER_LANGUAGE": "en"}
        command = [sys.executable, "-m", "paperagents", *arguments, "--vault", str(vault)]
        self.process = subprocess.Popen(
            command, stdin=other, stdout=subprocess.PIPE, stderr=other, env=environment, start_new_session=True
        )
        os.close(other)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until the text is there; what was read before it is gone."""
        end = time.monotonic() + 30
        seen = 0
        while text not in self.shown[seen:]:
            if time.monotonic() > end:
                raise TimeoutError(self.shown)
            self._read()

    def answer(self, text: str) -> None:
        """Wait for a question, then type."""
        self.wait_for("> ")
        self.shown = self.shown.replace("> ", ">", 1)
        os.write(self._own, text.encode())

    def ended(self) -> tuple[int, str, str]:
        """The exit code, standard output and everything the terminal has shown."""
        assert self.process.stdout is not None
        end = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        out = self.process.stdout.read().decode()
        self._read()
        self.process.stdout.close()
        os.close(self._own)
        return self.process.wait(1), out, self.shown

    def _read(self) -> None:
        if select.select([self._own], [], [], 0.05)[0]:
            try:
                self.shown += os.read(self._own, 65536).decode()
            except OSError:
                # The other side is closed.
                return

    def type_ahead(self, text: str) -> None:
        """Type before anything is asked, and wait until the system has it."""
        os.write(self._own, text.encode())
        self.wait_for(text.replace("\n", "\r\n"))


@pytest.fixture
def tools(vault: Path) -> Path:
    (vault / "two.md").write_text(TOOL.replace("two.md", "b.md").replace("one.md", "a.md"), encoding="utf-8")
    (vault / "loop.md").write_text(LOOP, encoding="utf-8")
    return vault


def test_a_yes_to_each_question_writes_and_shows_progress_and_a_coloured_diff(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools)
    terminal.answer("y\n")
    terminal.answer("y\n")
    code, out, shown = terminal.ended()
    assert code == 0
    assert ((tools / "a.md").read_text("utf-8"), (tools / "b.md").read_text("utf-8")) == ("1\n", "2\n")
    assert "\x1b[32m\x1b[22m+1" in shown
    assert "✓" in shown
    assert '"filePath": "b.md"' in out
    assert "\x1b" not in out
    assert "> " not in out


@pytest.mark.parametrize("editor", ["false", "no-such-editor-here"])
def test_an_editor_that_fails_is_told_and_the_question_stays(editor: str, tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools, editor=editor)
    terminal.answer("e\n")
    terminal.answer("y\n")
    terminal.answer("y\n")
    code, _, shown = terminal.ended()
    assert (code, "inside the program" in shown, editor in shown) == (0, False, True)


def test_an_unfinished_line_never_needs_a_second_row(vault: Path) -> None:
    steps = f"steps: [{{name: {'步骤' * 30}, tool: read_file, parameters: {{filePath: chain.md}}}}]"
    (vault / "chain.md").write_text(f"---\ntool: true\nname: chain\ndescription: d\n{steps}\n---\n", encoding="utf-8")
    terminal = Terminal("run", "chain", vault=vault, columns=40)
    code, _, shown = terminal.ended()
    unfinished = [piece.rpartition("\n")[2] for piece in shown.split("\r\x1b[2K")[:-1]]
    assert (code, [each for each in unfinished if width(each) >= 40]) == (0, [])
    assert any("步骤" in each for each in unfinished)


def test_a_no_asks_for_the_reason_and_keeps_it(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools)
    terminal.answer("what?\n")
    terminal.answer("n\n")
    terminal.answer("not like this\n")
    code, out, shown = terminal.ended()
    assert (code, out) == (3, "")
    assert "not like this" in shown
    assert not (tools / "a.md").exists()
    with open_vault(tools) as opened:
        assert opened.history.runs()[0]["status"] == "denied"


def test_changes_made_together_are_picked_hunk_by_hunk(tools: Path) -> None:
    terminal = Terminal("run", "two", "--together", vault=tools)
    for key in ("p\n", "n\n", "y\n"):
        terminal.answer(key)
    code, _, shown = terminal.ended()
    assert code == 0
    assert "2 files, +2 −0" in shown
    assert not (tools / "a.md").exists()
    assert (tools / "b.md").read_text(encoding="utf-8") == "2\n"


def test_a_yes_for_the_run_is_asked_once(tools: Path) -> None:
    terminal = Terminal("run", "two", "--json", vault=tools)
    terminal.answer("r\n")
    code, out, _ = terminal.ended()
    assert code == 0
    assert out.startswith("{\n")
    assert (tools / "b.md").exists()


def test_an_always_becomes_a_rule(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools)
    terminal.answer("a\n")
    terminal.answer("a\n")
    code, _, shown = terminal.ended()
    assert (code, len(re.findall(r"Undo: paper\s+--vault\s+\S+\s+approvals\s+revoke", shown))) == (0, 2)
    with open_vault(tools) as opened:
        assert [(rule.by, rule.mode, rule.path) for rule in opened.rules.rules()] == [
            ("two", "create", "a.md"),
            ("two", "create", "b.md"),
        ]


def test_an_edit_in_the_persons_editor_is_what_is_written(tools: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/1.n/edited/; s/a.md/c.md/' \"$1\"\n", encoding="utf-8")
    editor.chmod(0o755)
    terminal = Terminal("run", "two", vault=tools, editor=str(editor))
    terminal.answer("e\n")
    terminal.answer("y\n")
    assert terminal.ended()[0] == 0
    assert (tools / "c.md").read_text("utf-8") == "edited"
    assert not (tools / "a.md").exists()


def test_the_end_of_the_input_leaves_the_question_open(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools)
    terminal.answer("\x04")
    code, _, _ = terminal.ended()
    assert code == 3
    with open_vault(tools) as opened:
        assert len(opened.history.questions()) == 1


@pytest.mark.parametrize("tool", ["loop", "two"])
def test_an_interrupt_in_the_middle_is_recorded_as_cancelled(tools: Path, tool: str) -> None:
    terminal = Terminal("run", tool, vault=tools)
    terminal.wait_for("> " if tool == "two" else "loop …")
    os.kill(terminal.process.pid, signal.SIGINT)
    code, out, _ = terminal.ended()
    assert (code, out) == (1, "")
    with open_vault(tools) as opened:
        assert [run["status"] for run in opened.history.runs()] == ["cancelled"]
    assert not (tools / "a.md").exists()


def test_a_second_interrupt_ends_the_program(tools: Path) -> None:
    terminal = Terminal("run", "loop", vault=tools)
    terminal.wait_for("loop …")
    for _ in range(50):
        if terminal.process.poll() is not None:
            break
        os.kill(terminal.process.pid, signal.SIGINT)
    code, _, _ = terminal.ended()
    assert code in (1, 130)


def test_no_word_of_a_sentence_is_cut_by_a_narrow_terminal(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools, columns=40)
    terminal.answer("n\n")
    terminal.answer("because it is far too long for a window like this\n")
    code, _, shown = terminal.ended()
    rows = [click.unstyle(row) for row in shown.replace("\r\x1b[2K", "\r\n").split("\r\n")]
    told = [row for row in rows if not row.startswith(">")]
    assert (code, [row for row in told if width(row) > 40]) == (3, [])
    assert "because it is far too long" in " ".join(" ".join(told).split())


def test_a_word_that_is_wider_than_the_terminal_stays_whole(vault: Path) -> None:
    name = "x" * 60
    _, _, shown = Terminal("show", name, vault=vault, columns=40).ended()
    assert name in shown


def test_the_result_of_applied_calls_is_marked_in_colour(vault: Path) -> None:
    (vault / "answer.md").write_text('{{<memory heading="Peas" content="climb" />}}', encoding="utf-8")
    own, other = pty.openpty()
    command = [sys.executable, "-m", "paperagents", "extract", "answer.md", "--apply", "--vault", str(vault)]
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    subprocess.run(command, cwd=vault, stdin=other, stdout=other, stderr=other, env=environment, check=True)
    shown = os.read(own, 65536).decode()
    os.close(own)
    os.close(other)
    assert click.unstyle(shown).splitlines()[-1] == "✓ memory peas: created"
    assert "\\x1b" not in shown


def test_a_chinese_sentence_fills_the_row_and_none_begins_with_its_full_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.interfaces.command_line.output.error_columns", lambda: 20)
    said: list[str] = []
    monkeypatch.setattr("paperagents.interfaces.command_line.output.say", said.append)
    say_wrapped("write_file 正在等待批准，请稍候再试一次。")
    assert said == ["write_file 正在等待\n批准，请稍候再试一\n次。"]


def test_a_computer_without_a_screen_opens_no_browser(vault: Path) -> None:
    opened = vault / "opened"
    browser = vault / "xdg-open"
    browser.write_text(f"#!/bin/sh\ntouch {opened}\n", encoding="utf-8")
    browser.chmod(0o755)
    own, other = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PATH": f"{vault}:{os.environ['PATH']}", "PAPER_LANGUAGE": "en"}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "paperagents", "serve", "--port", "0", "--vault", str(vault)]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=environment) as process:
        shown = ""
        while "Authorization" not in shown:
            shown += os.read(own, 65536).decode()
        process.send_signal(signal.SIGINT)
        process.wait(30)
    os.close(own)
    os.close(other)
    assert not opened.exists()


def test_what_is_typed_before_a_question_is_shown_is_no_answer_to_it(tools: Path) -> None:
    terminal = Terminal("run", "two", vault=tools)
    terminal.type_ahead("y\na\n")
    terminal.answer("n\n")
    terminal.answer("not today\n")
    code, _, shown = terminal.ended()
    assert code == 3
    assert "not today" in shown
    assert not (tools / "a.md").exists()
    assert not (tools / "b.md").exists()


ASKS = """---
tool: true
name: asks
description: Wants to know.
parameters:
  - {name: text, type: string, description: What to write}
  - {name: size, type: string, enum: [small, large], description: How large, required: false, default: small}
  - {name: count, type: integer, description: How often}
  - {name: api_key, type: string, description: The key}
  - {name: note, type: string, description: Anything else, required: false}
custom_function: return input;
---
"""


def test_what_is_missing_is_asked_for_with_all_that_is_known_about_it(vault: Path) -> None:
    (vault / "asks.md").write_text(ASKS, encoding="utf-8")
    terminal = Terminal("run", "asks", vault=vault)
    terminal.answer("hello\n")
    terminal.answer("\n")
    terminal.answer("often\n")
    terminal.answer("3\n")
    terminal.wait_for("Not shown while you type: ")
    os.write(terminal._own, b"hidden-1\n")
    terminal.answer("\n")
    code, out, shown = terminal.ended()
    assert (code, json.loads(out)) == (0, {"text": "hello", "size": "small", "count": 3, "api_key": "hidden-1"})
    told = click.unstyle(shown)
    assert "text: What to write" in told
    assert "size: How large. One of: small, large. Enter: small" in told
    assert "'count' must be a whole number such as 3." in told
    assert "hidden-1" not in shown


def test_whoever_gave_something_is_asked_only_for_what_is_required(vault: Path) -> None:
    (vault / "asks.md").write_text(ASKS, encoding="utf-8")
    terminal = Terminal("run", "asks", "text=hello", "api_key=k", vault=vault)
    terminal.answer("3\n")
    code, out, _ = terminal.ended()
    assert (code, json.loads(out)["count"]) == (0, 3)


def test_the_end_of_the_input_ends_the_questions_and_nothing_runs(vault: Path) -> None:
    (vault / "asks.md").write_text(ASKS, encoding="utf-8")
    terminal = Terminal("run", "asks", vault=vault)
    terminal.answer("\x04")
    assert terminal.ended()[0] == 130
    with open_vault(vault) as opened:
        assert opened.history.runs() == []


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_changed_file_is_asked_about_once_before_it_gets_a_secret(vault: Path, typed: str, code: int) -> None:
    front = "environment: [{name: KEY, type: string, description: k}]\ncustom_function: return 1;\n"
    file = vault / "keyed.md"
    file.write_text(f"---\ntool: true\nname: keyed\ndescription: d\n{front}---\n")
    with open_vault(vault) as opened:
        opened.environments.set("keyed", {"KEY": "very-secret"})
    file.write_text(file.read_text() + "\nNew words.\n")
    terminal = Terminal("run", "keyed", vault=vault)
    terminal.wait_for("May the file as it is now have it?")
    assert "has changed since you gave it 'KEY'" in terminal.shown
    terminal.answer(typed)
    assert terminal.ended()[0] == code
    if code == 0:
        again, _, shown = Terminal("run", "keyed", vault=vault).ended()
        assert (again, "May the file" in shown) == (0, False)
