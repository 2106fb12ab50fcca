from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.interfaces.mcp.stdio import MessageOutput

pytestmark = pytest.mark.process

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def read_all(descriptor: int, length: int) -> bytes:
    content = b""
    while len(content) < length:
        content += os.read(descriptor, 65536)
    return content


def test_messages_of_every_length_arrive_whole_and_in_their_order(pipe: tuple[int, int]) -> None:
    messages = [f"{number}" * size + "\n" for number, size in enumerate((1, 4095, 4096, 4097, 300_000, 2, 70_000), 1)]
    expected = "".join(messages).encode()

    async def send() -> bytes:
        output = MessageOutput(pipe[1])
        reading = asyncio.create_task(asyncio.to_thread(read_all, pipe[0], len(expected)))
        for message in messages:
            await output.write(message)
            await output.flush()
        return await reading

    assert asyncio.run(send()) == expected


def test_a_client_that_does_not_read_holds_up_nothing_but_its_answers(pipe: tuple[int, int]) -> None:
    async def send() -> None:
        output = MessageOutput(pipe[1])
        full, sent = "x" * 4095 + "\n", 0
        sending = asyncio.create_task(asyncio.sleep(0))
        while sent < 10_000_000:
            await asyncio.wait({sending}, timeout=0.2)
            if not sending.done():
                break
            await output.write(full)
            sent += len(full)
            sending = asyncio.create_task(output.flush())
        assert not sending.done(), "the pipe never became full"
        await asyncio.gather(sending, asyncio.to_thread(read_all, pipe[0], sent))

    asyncio.run(send())


def test_requests_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "requests").write_text(json.dumps(HELLO) + "\n")
    with (tmp_path / "requests").open() as requests:
        answer = subprocess.run(
            [sys.executable, "-I", "-m", "paperagents", "--vault", str(tmp_path), "mcp"],
            stdin=requests, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    assert json.loads(answer.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "paperagents"


def answers_to(vault: Path, line: str, *, count: int) -> list[dict[str, Any]]:
    """So many answers of a server that was greeted, sent this line, and asked whether it still lives."""
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    command = [sys.executable, "-I", "-m", "paperagents", "--vault", str(vault), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        patience = threading.Timer(60, server.kill)
        patience.start()
        server.stdin.write("\n".join([json.dumps(HELLO), "", line, json.dumps(ping), ""]))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(count)]
        server.stdin.close()
        patience.cancel()
    return answers


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (r'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "\ud800"}}', -32600, 7),
        (r'{"jsonrpc": "2.0", "id": "\ud800", "method": "ping"}', -32600, "\ufffd"),
        ('{"jsonrpc": "2.0", "id": "x", "foo": 1}', -32600, "x"),
        ('{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600, 7),
        ('{"jsonrpc": "2.0", "id": {"id": 8}, "foo": 1}', -32600, None),
        ("[]", -32600, None),
        ("{nope", -32700, None),
        ("[" * 100_000, -32700, None),
    ],
)
def test_a_line_that_cannot_be_read_is_answered(tmp_path: Path, line: str, code: int, identity: object) -> None:
    answers = {answer["id"]: answer for answer in answers_to(tmp_path, line, count=3)}
    assert set(answers) == {1, identity, 2}
    assert answers[identity]["error"]["code"] == code
    assert answers[identity]["error"]["message"]
    assert answers[2]["result"] == {}


@pytest.mark.parametrize("wrong", [{"result": None}, {"error": {}}])
def test_an_answer_that_cannot_be_read_is_not_answered(tmp_path: Path, wrong: dict[str, object]) -> None:
    answers = answers_to(tmp_path, json.dumps({"jsonrpc": "2.0", "id": 1, **wrong}), count=2)
    assert sorted(answer["id"] for answer in answers if "result" in answer) == [1, 2]


def test_a_client_that_has_gone_ends_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-m", "paperagents", "--vault", str(tmp_path), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert server.stdout.readline()
        server.stdout.close()
        server.stdin.close()
        assert server.wait(timeout=60) == 0


def test_an_interrupt_at_a_terminal_ends_it_without_a_further_line(tmp_path: Path) -> None:
    (tmp_path / ".paper").mkdir()
    own, other = pty.openpty()
    tty.setraw(other)
    command = [sys.executable, "-m", "paperagents", "mcp", "--vault", str(tmp_path)]
    with subprocess.Popen(command, stdin=other, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        os.write(own, json.dumps(HELLO).encode() + b"\n")
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"]
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 130
        finally:
            process.kill()
    os.close(own)
    os.close(other)
