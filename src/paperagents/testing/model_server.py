"""A small server that speaks the chat interface of language models, and says what a script says.

It streams as real servers do: text and arguments in fragments, parallel calls interleaved, comments that keep the line
open, a last piece with the usage, ``[DONE]``. A turn of the script may also misbehave:

    {"error": {"status": 429, "message": "slow down", "retry_after": 1}}     refused before anything is said
    {"text": "Hel", "stream_error": {"message": "overloaded", "code": 502}}  an error in the middle of a good answer
    {"text": "Hel", "cut": true}                                             the line breaks
    {"text": "Hel", "hang": true}                                            nothing more comes
    {"raw": "<html>", "content_type": "text/html"}                           something else altogether
    {"text": "Hello", "json": true}                                          no streaming
    {"text": "Hello", "finish": "length"}                                    ended for this reason
    {"calls": […], "message": {"reasoning": "Hm."}}                          further fields of the message
    {"text": "Hello", "usage": null}                                         nothing is told of what it cost

A list of pieces in ``deltas`` is streamed as it is, in the place of all that.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paperagents.agents.scripted_model import Script, deltas, finish_of, split, turns_for, write_arguments, written_call

_COMMENT = b": PROCESSING\n\n"
_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
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
            answers = sum(message.get("role") == "assistant" for message in body.get("messages", []))
            place = answers if self._by_messages else self._served
            self._served += 1
        turn = turns[place] if place < len(turns) else _NO_MORE
        return {"text": turn} if isinstance(turn, str) else dict(turn)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet where the client has closed the connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """The models there are: one."""
        self.send_json({"data": [{"id": "scripted"}]}, 200, {})

    def do_POST(self) -> None:
        """One turn."""
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        turn = self.owner.turn(dict(self.headers.items()), json.loads(content))
        try:
            self.answer(turn)
        except (BrokenPipeError, ConnectionResetError):
            # The client has gone; that is what some tests are about.
            self.close_connection = True

    def answer(self, turn: dict[str, Any]) -> None:
        if error := turn.get("error"):
            more = {"Retry-After": str(error["retry_after"])} if "retry_after" in error else {}
            self.send_json({"error": error}, error.get("status", 500), more)
        elif turn.get("json"):
            self.send_json(whole_answer(turn), 200, {})
        elif "raw" in turn:
            self.send(turn["raw"].encode(), turn.get("status", 200), {"Content-Type": turn.get("content_type", "")})
        else:
            self.send_stream(turn)

    def send_stream(self, turn: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in stream(turn, self.owner.fragment):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        if turn.get("hang"):
            # Ends when the client closes the connection: no test waits for a time.
            self.rfile.read(1)
        if turn.get("cut") or turn.get("hang"):
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def send_json(self, value: Any, status: int, headers: Mapping[str, str]) -> None:
        self.send(json.dumps(value).encode(), status, {"Content-Type": "application/json", **headers})

    def send(self, data: bytes, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def stream(turn: Mapping[str, Any], fragment: int) -> Iterator[bytes]:
    """The events of one turn, as bytes."""
    is_broken = any(turn.get(name) for name in ("stream_error", "cut", "hang"))
    yield _COMMENT
    yield chunk_event({"role": "assistant", "content": ""})
    if is_broken:
        yield from (chunk_event({"content": piece}) for piece in split(turn.get("text", ""), fragment))
        yield from [event({"error": turn["stream_error"]})] if turn.get("stream_error") else []
        return
    yield from map(chunk_event, turn.get("deltas") or deltas(turn, fragment))
    yield _COMMENT
    yield chunk_event({}, finish=finish_of(turn))
    if usage := turn.get("usage", _USAGE):
        yield event({"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def whole_answer(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The same turn as one document."""
    calls = [written_call(call, index, write_arguments(call)) for index, call in enumerate(turn.get("calls", []))]
    message = {"role": "assistant", "content": turn.get("text", ""), "tool_calls": calls, **turn.get("message", {})}
    return {"choices": [{"message": message, "finish_reason": finish_of(turn)}], "usage": turn.get("usage", _USAGE)}


def chunk_event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One piece of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]})


def event(value: Any) -> bytes:
    """A server-sent event."""
    return b"data: %s\n\n" % json.dumps(value).encode()
