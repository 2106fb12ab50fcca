"""A small server that speaks the chat interface of language models, and says what a script says.

It streams as real servers do: text and arguments in fragments, parallel calls interleaved, comments that keep the line
open, a last piece with the usage, ``[DONE]``. A turn of the script may also misbehave:

    {"error": {"status": 429, "message": "slow down", "retry_after": 1}}     refused before anything is said
    {"text": "Hel", "stream_error": {"message": "overloaded", "code": 502}}  an error in the middle of a good answer
    {"text": "Hel", "cut": true}                                             the line breaks
    {"text": "Hel", "hang": true}                                            nothing more comes
    {"raw": "<html>", "content_type": "text/html"}                           something else altogether
    {"text": "Hello", "json": true}                                          no streaming
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from typing import Any

from paperagents.agents.scripted_model import Script, Turn, turns_for

_COMMENT = b": PROCESSING\n\n"
_NO_MORE = {"error": {"status": 400, "message": "the script has no further turn"}}


class ScriptedServer:
    """Use it in a ``with``; then ``base_url`` is where it listens.

    With ``by_messages`` the turn is found by how often the model has spoken in the request: the same conversation gets
    the same answer, however often it is asked. Else each request gets the next turn.
    """

    def __init__(self, script: Script, *, by_messages: bool = False, key: str | None = None, fragment: int = 7) -> None:
        self.requests: list[dict[str, Any]] = []
        """The bodies of all requests."""
        self.headers: list[dict[str, str]] = []
        self.fragment = fragment
        self._script = script
        self._by_messages = by_messages
        self._key = key
        self._served = 0
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    @property
    def base_url(self) -> str:
        """What ``llm.base_url`` must be."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        served = type("Handler", (_Handler,), {"owner": self})
        self._server = _Server(("127.0.0.1", 0), served)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def turn(self, headers: Mapping[str, str], body: dict[str, Any]) -> dict[str, Any]:
        """What to answer to a request."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(dict(headers))
            if self._key is not None and headers.get("Authorization") != f"Bearer {self._key}":
                return {"error": {"status": 401, "message": "wrong key"}}
            turns = turns_for(self._script, body.get("model", ""))
            place = self._place(body)
            self._served += 1
        return _as_mapping(turns[place]) if place < len(turns) else _NO_MORE

    def _place(self, body: dict[str, Any]) -> int:
        if not self._by_messages:
            return self._served
        return sum(message.get("role") == "assistant" for message in body.get("messages", []))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet where somebody has hung up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """One turn."""
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        turn = self.owner.turn(dict(self.headers.items()), json.loads(content))
        try:
            self._answer(turn)
        except (BrokenPipeError, ConnectionResetError):
            # Whoever asked has gone; that is what some tests are about.
            self.close_connection = True

    def _answer(self, turn: dict[str, Any]) -> None:
        if error := turn.get("error"):
            more = {"Retry-After": str(error["retry_after"])} if "retry_after" in error else {}
            self._whole({"error": error}, error.get("status", 500), more)
        elif turn.get("json"):
            self._whole(_message(turn), 200, {})
        elif "raw" in turn:
            self._send(turn["raw"].encode(), turn.get("status", 200), {"Content-Type": turn.get("content_type", "")})
        else:
            self._stream(turn)

    def _stream(self, turn: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in stream(turn, self.owner.fragment):
            self._piece(event)
        if turn.get("hang"):
            self.rfile.read(1)
        if turn.get("cut") or turn.get("hang"):
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _piece(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _whole(self, value: Any, status: int, headers: Mapping[str, str]) -> None:
        self._send(json.dumps(value).encode(), status, {"Content-Type": "application/json", **headers})

    def _send(self, data: bytes, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def stream(turn: Mapping[str, Any], fragment: int) -> Iterator[bytes]:
    """The events of one turn, as bytes."""
    yield _COMMENT
    yield _chunk({"role": "assistant", "content": ""})
    text = turn.get("text", "")
    for piece in _fragments(text, fragment):
        yield _chunk({"content": piece})
    if error := turn.get("stream_error"):
        yield _event({"error": error})
        return
    if turn.get("cut") or turn.get("hang"):
        return
    calls = turn.get("calls", [])
    for call in _call_chunks(calls, fragment):
        yield _chunk({"tool_calls": [call]})
    yield _COMMENT
    yield _chunk({}, finish=turn.get("finish") or ("tool_calls" if calls else "stop"))
    usage = turn.get("usage", {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
    yield _event({"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _call_chunks(calls: list[Mapping[str, Any]], fragment: int) -> Iterator[dict[str, Any]]:
    """First who is called, then the arguments of all calls in turn, piece by piece."""
    for index, call in enumerate(calls):
        function = {"name": call["tool"], "arguments": ""}
        yield {"index": index, "id": f"call_{index + 1}", "type": "function", "function": function}
    pieces = [list(_fragments(_arguments(call), fragment)) for call in calls]
    for row in zip_longest(*pieces):
        for index, piece in enumerate(row):
            if piece is not None:
                yield {"index": index, "function": {"arguments": piece}}


def _message(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The same as one document."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": call["tool"], "arguments": _arguments(call)},
        }
        for number, call in enumerate(turn.get("calls", []), 1)
    ]
    message = {"role": "assistant", "content": turn.get("text", ""), "tool_calls": calls}
    return {"choices": [{"message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def _as_mapping(turn: Turn) -> dict[str, Any]:
    return {"text": turn} if isinstance(turn, str) else dict(turn)


def _arguments(call: Mapping[str, Any]) -> str:
    given = call.get("arguments", {})
    return given if isinstance(given, str) else json.dumps(given)


def _fragments(text: str, size: int) -> Iterator[str]:
    yield from (text[start : start + size] for start in range(0, len(text), size))


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]})


def _event(value: Any) -> bytes:
    return b"data: %s\n\n" % json.dumps(value).encode()
