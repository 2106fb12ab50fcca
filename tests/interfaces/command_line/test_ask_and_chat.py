"""``paper ask`` and ``paper chat``, in a pipe and at a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents.testing import ScriptedServer

from .conftest import Paper

AGENT = "---\nagent: true\nname: helper\ndescription: Helps.\nmodel: m\ntools: [read_file, write_file]\n---\nHelp.\n"
WRITE = {"text": "I write.", "calls": [{"tool": "write_file", "arguments": {"filePath": "a.md", "content": "x"}}]}
WRITE_BOTH = {
    "calls": [{"tool": "write_file", "arguments": {"filePath": f"{each}.md", "content": each}} for each in "ab"]
}


@pytest.fixture
def scripted(vault: Path, tmp_path: Path) -> Callable[..., str]:
    """An agent, and a model that says this."""
    (vault / "helper.md").write_text(AGENT)

    def write(*turns: Any) -> str:
        file = tmp_path / "script.json"
        file.write_text(json.dumps(turns))
        return f"scripted:{file}"

    return write


def test_the_answer_stands_alone_on_standard_output(paper: Paper, scripted: Callable[..., str]) -> None:
    answer = paper("ask", "helper", "How", "are", "you?", "--model", scripted("Fine."))
    assert (answer.code, answer.out) == (0, "Fine.\n")


def test_the_record_is_one_document(paper: Paper, scripted: Callable[..., str]) -> None:
    answer = paper("ask", "helper", "Hi", "--json", "--model", scripted("Fine."))
    assert (answer.document["status"], answer.document["data"], answer.document["tool"]) == (
        "succeeded",
        "Fine.",
        "helper",
    )


def test_what_must_be_asked_waits_and_can_be_answered_later(
    paper: Paper, scripted: Callable[..., str], vault: Path
) -> None:
    model = scripted(WRITE, "Written.")
    assert paper("ask", "helper", "Hi", "--model", model).code == 3
    open_questions = paper("approvals", "list", "--json").document
    answer = paper("approvals", "approve", open_questions[0]["id"], "--json")
    assert (answer.code, answer.document["data"]) == (0, "Written.")
    assert (vault / "a.md").read_text() == "x"


def test_yes_approves(paper: Paper, scripted: Callable[..., str], vault: Path) -> None:
    assert paper("ask", "helper", "Hi", "--yes", "--model", scripted(WRITE, "Written.")).code == 0
    assert (vault / "a.md").exists()


def test_an_unknown_agent_is_told_with_the_nearest(paper: Paper, scripted: Callable[..., str]) -> None:
    answer = paper("ask", "helpr", "Hi", "--json", "--model", scripted("x"))
    assert (answer.code, answer.document["error"]["code"]) == (2, "unknown-agent")


@pytest.mark.parametrize("content", ["{", "[5]", '{"a": 1}', '[{"calls": [{}]}]'])
def test_a_script_that_is_none_is_told(
    paper: Paper, scripted: Callable[..., str], tmp_path: Path, content: str
) -> None:
    model = scripted()
    (tmp_path / "script.json").write_text(content)
    answer = paper("ask", "helper", "Hi", "--json", "--model", model)
    assert (answer.code, answer.document["error"]["code"]) == (1, "script-unreadable")


def test_the_tree_of_a_run_shows_turns_calls_and_runs_below(
    paper: Paper, scripted: Callable[..., str], vault: Path, tmp_path: Path
) -> None:
    (vault / "helper.md").write_text(AGENT.replace("tools:", "agents: [expert]\ntools:"))
    (vault / "expert.md").write_text(AGENT.replace("helper", "expert"))
    asked = {"text": "I ask.", "calls": [{"tool": "expert", "arguments": {"query": "Why?"}}]}
    read = {"calls": [{"tool": "read_file", "arguments": {"filePath": "expert.md"}}]}
    scripted()
    (tmp_path / "script.json").write_text(json.dumps({"helper": [asked, "So."], "expert": [read, "Because."]}))
    answer = paper("ask", "helper", "Hi", "--json", "--model", f"scripted:{tmp_path / 'script.json'}")
    shown = paper("runs", "show", answer.document["run_id"]).out
    lines = shown.split("\n")
    assert [line[: line.index("✓")] for line in lines if "✓" in line] == [
        "├─ ", "├─ ", "│  └─ ", "│     ├─ ", "│     ├─ ", "│     │  └─ ", "│     └─ ", "└─ ",
    ]  # fmt: skip
    assert "I ask. → expert" in shown
    assert "Because." in shown


# --- in a process of its own


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAPER_")}
    return {**kept, "PAPER_LANGUAGE": "en", "XDG_CONFIG_HOME": str(tmp_path / "config"), "TERM": "dumb", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "paperagents", *arguments]


def test_a_question_may_come_through_a_pipe(scripted: Callable[..., str], tmp_path: Path) -> None:
    done = subprocess.run(
        command("ask", "helper", "-", "--model", scripted("Fine.")), input="How are you?\nReally?\n", text=True,
        capture_output=True, env=environment(tmp_path), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "Fine.\n")


def test_a_chat_through_a_pipe_answers_line_by_line_and_is_one_conversation(
    scripted: Callable[..., str], vault: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        command("chat", "helper", "--model", scripted("One.", "Two.")), input="First?\n\nSecond?\n", text=True,
        capture_output=True, env=environment(tmp_path), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "One.\nTwo.\n")
    (note,) = (vault / ".paper" / "conversations").glob("*.md")
    assert note.read_text().count("## You") == 2
    assert note.stem in done.stderr


def test_a_chat_is_one_document_with_the_record_of_every_answer(scripted: Callable[..., str], tmp_path: Path) -> None:
    done = subprocess.run(
        command("chat", "helper", "--json", "--model", scripted("One.", "Two.")), input="First?\nSecond?\n", text=True,
        capture_output=True, env=environment(tmp_path), check=False,
    )  # fmt: skip
    assert [record["data"] for record in json.loads(done.stdout)] == ["One.", "Two."]


def test_a_chat_goes_on_with_the_last_conversation(paper: Paper, scripted: Callable[..., str], tmp_path: Path) -> None:
    paper("ask", "helper", "First?", "--model", scripted("One."))
    listed = paper("chat", "helper", "--list", "--json").document
    assert len(listed) == 1
    with ScriptedServer(["Two."]) as server:
        done = subprocess.run(
            command("chat", "helper", "--conversation", "last"), input="Second?\r\n", text=True, capture_output=True,
            env=environment(tmp_path, PAPER_LLM_BASE_URL=server.base_url), check=False,
        )  # fmt: skip
    assert done.stdout == "Two.\n"
    assert [each["content"] for each in server.requests[0]["messages"][1:]] == ["First?", "One.", "Second?"]
    assert (
        paper("chat", "helper", "--conversation", "nothere", "--json").document["error"]["code"]
        == "conversation-unknown"
    )


def test_a_question_goes_on_with_the_last_conversation(paper: Paper, scripted: Callable[..., str]) -> None:
    missing = paper("ask", "helper", "First?", "--conversation", "last", "--json")
    assert (missing.code, missing.document["error"]["code"]) == (2, "conversation-unknown")
    paper("ask", "helper", "First?", "--model", scripted("One."))
    paper("ask", "helper", "Second?", "--conversation", "last", "--model", scripted("Two."))
    assert len(paper("chat", "helper", "--list", "--json").document) == 1


class Terminal:
    """A chat on a pseudo terminal."""

    def __init__(self, tmp_path: Path, *arguments: str, **more: str) -> None:
        self._own, other = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments), stdin=other, stdout=other, stderr=other, env=environment(tmp_path, **more),
            start_new_session=True,
        )  # fmt: skip
        os.close(other)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until the text is there; what was read so far is then gone."""
        end = time.monotonic() + 60
        while text not in self.shown:
            if time.monotonic() > end:
                raise TimeoutError(self.shown)
            if select.select([self._own], [], [], 0.1)[0]:
                self.shown += os.read(self._own, 65536).decode("utf-8", "replace")
        self.shown = self.shown.partition(text)[2]

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def close(self) -> int:
        code = self.process.wait(timeout=60)
        os.close(self._own)
        return code


def test_a_person_talks_is_asked_interrupts_one_answer_and_leaves(
    scripted: Callable[..., str], vault: Path, tmp_path: Path
) -> None:
    scripted()
    endless = {"text": "I think and think", "hang": True}
    with ScriptedServer([WRITE, "Written.", endless, "Still here."]) as server:
        terminal = Terminal(tmp_path, "chat", "helper", PAPER_LLM_BASE_URL=server.base_url)
        terminal.wait_for("You> ")
        terminal.type("Write it\n")
        terminal.wait_for("write_file")
        terminal.wait_for("> ")
        terminal.type("y\n")
        terminal.wait_for("Written.")
        terminal.wait_for("You> ")
        terminal.type("Think\n")
        terminal.wait_for("I think and think")
        os.kill(terminal.process.pid, signal.SIGINT)
        terminal.wait_for("The run was stopped.")
        terminal.wait_for("You> ")
        terminal.type("Hello?\n")
        terminal.wait_for("Still here.")
        terminal.wait_for("You> ")
        terminal.type("\x04")
        terminal.wait_for(".paper/conversations/")
        assert terminal.close() == 0
    assert (vault / "a.md").read_text() == "x"


def test_a_chat_collects_and_asks_once_for_each_answer_and_the_agent_hears_what_was_refused(
    scripted: Callable[..., str], vault: Path, tmp_path: Path
) -> None:
    scripted()
    with ScriptedServer([WRITE_BOTH, "Both.", "Only a.", "Nothing more."]) as server:
        terminal = Terminal(tmp_path, "chat", "helper", "--together", PAPER_LLM_BASE_URL=server.base_url)
        terminal.wait_for("You> ")
        terminal.type("Write both\n")
        terminal.wait_for("2 files, +2 −0")
        terminal.wait_for("[p]ick hunk by hunk")
        terminal.wait_for("> ")
        terminal.type("p\n")
        terminal.wait_for("1/2 a.md 1/1")
        terminal.wait_for("> ")
        terminal.type("y\n")
        terminal.wait_for("2/2 b.md 1/1")
        terminal.wait_for("> ")
        terminal.type("n\n")
        terminal.wait_for("Only a.")
        terminal.wait_for("b.md was refused and stays as it was.")
        terminal.wait_for("You> ")
        assert "b.md was refused" in str(server.requests[-1])
        terminal.type("And now?\n")
        terminal.wait_for("Nothing more.")
        terminal.wait_for("You> ")
        terminal.type("\x04")
        assert terminal.close() == 0
    assert ((vault / "a.md").read_text(), (vault / "b.md").exists()) == ("a", False)


def test_a_chat_in_a_pipe_leaves_one_question_for_each_answer(
    scripted: Callable[..., str], paper: Paper, tmp_path: Path
) -> None:
    model = scripted(WRITE_BOTH, "Both.")
    done = subprocess.run(
        command("chat", "helper", "--together", "--json", "--model", model), input="Write\n", text=True,
        capture_output=True, check=False, env=environment(tmp_path),
    )  # fmt: skip
    (record,) = json.loads(done.stdout)
    assert (done.returncode, record["status"]) == (3, "waiting")
    (asked,) = paper("approvals", "list", "--json").document
    assert [each["path"] for each in asked["files"]] == ["a.md", "b.md"]


def test_what_an_agent_says_before_it_calls_stays_on_the_terminal(scripted: Callable[..., str], tmp_path: Path) -> None:
    look = {"text": "I look.", "calls": [{"tool": "read_file", "arguments": {"filePath": "helper.md"}}]}
    terminal = Terminal(tmp_path, "chat", "helper", "--model", scripted(look, "Seen."))
    terminal.wait_for("You> ")
    terminal.type("Well?\n")
    terminal.wait_for("I look.\r\n")
    terminal.wait_for("Seen.")
    terminal.wait_for("You> ")
    terminal.type("\x04")
    assert terminal.close() == 0


def test_an_answer_inside_a_tag_is_shown_on_a_line_of_its_own(scripted: Callable[..., str], tmp_path: Path) -> None:
    answer = "{{<final_output>}}Plainly.{{</final_output>}}"
    terminal = Terminal(tmp_path, "chat", "helper", "--model", scripted(answer))
    terminal.wait_for("You> ")
    terminal.type("Well?\n")
    terminal.wait_for(f"{answer}\r\nPlainly.\r\n")
    terminal.wait_for("You> ")
    terminal.type("\x04")
    assert terminal.close() == 0


def test_command_words_are_obeyed_and_never_sent(scripted: Callable[..., str], tmp_path: Path) -> None:
    scripted()
    with ScriptedServer(
        [
            {"text": "One.", "usage": {"total_tokens": 1200, "cost": 0.5}},
            {"text": "Two.", "usage": {"total_tokens": 34}},
        ]
    ) as server:
        done = subprocess.run(
            command("chat", "helper"), input="/help\n/tools\n/tolls\nFirst?\n/new\n//etc is what?\n/quit\nNever\n",
            text=True, capture_output=True, env=environment(tmp_path, PAPER_LLM_BASE_URL=server.base_url), check=False,
        )  # fmt: skip
    assert done.stdout == "One.\nTwo.\n"
    asked = [[each["content"] for each in request["messages"][1:]] for request in server.requests]
    assert asked == [["First?"], ["/etc is what?"]], "the second one in a conversation of its own"
    assert "/new" in done.stderr
    assert "write_file" in done.stderr
    assert "no command /tolls" in done.stderr
    assert "/tools?" in done.stderr
    assert "1,234 tokens in (0 cached), 0 out, $0.5000" in done.stderr


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ('"""\nOne\n\n/two\n"""\n', "One\n\n/two"),
        ("One\\\nTwo\n", "One\nTwo"),
        ('"""\nOne\n', "One"),
        ("/etc/hosts: what is it?\n", "/etc/hosts: what is it?"),
    ],
)
def test_a_question_may_have_several_lines(
    typed: str, asked: str, scripted: Callable[..., str], tmp_path: Path
) -> None:
    scripted()
    with ScriptedServer(["Well."]) as server:
        done = subprocess.run(
            command("chat", "helper"), input=typed, text=True, capture_output=True, check=False,
            env=environment(tmp_path, PAPER_LLM_BASE_URL=server.base_url),
        )  # fmt: skip
    assert done.stdout == "Well.\n", done.stderr
    assert server.requests[0]["messages"][-1]["content"] == asked


def test_an_interrupted_first_answer_does_not_lose_the_conversation(
    scripted: Callable[..., str], vault: Path, tmp_path: Path
) -> None:
    scripted()
    with ScriptedServer([{"text": "I think", "hang": True}, "Still here."]) as server:
        terminal = Terminal(tmp_path, "chat", "helper", PAPER_LLM_BASE_URL=server.base_url)
        terminal.wait_for("You> ")
        terminal.type("Think\n")
        terminal.wait_for("I think")
        os.kill(terminal.process.pid, signal.SIGINT)
        terminal.wait_for("You> ")
        terminal.type("Hello?\n")
        terminal.wait_for("Still here.")
        terminal.wait_for("You> ")
        terminal.type("/quit\n")
        assert terminal.close() == 0
    (note,) = (vault / ".paper" / "conversations").glob("*.md")
    assert [question in note.read_text() for question in ("Think", "Hello?")] == [True, True]
