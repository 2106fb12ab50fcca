"""The client against a real server that behaves, misbehaves, and hangs up."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from paperagents.agents.client import ChatModel, ModelLimits
from paperagents.agents.limits import RetryPolicy
from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.errors import CancelledError, ToolError
from paperagents.http.urls import parse_url
from paperagents.sandbox import Cancellation
from paperagents.testing import ScriptedServer
from paperagents.testing.model_server import stream

REQUEST = ModelRequest(agent="a", turn=1, model="m", messages=({"role": "user", "content": "Hello"},))


def answer(script: list[Any], *, times: int = 1, limits: ModelLimits | None = None) -> tuple[ModelTurn, ScriptedServer]:
    """The last of some answers, one after the other on the same client."""
    with ScriptedServer(script) as server, closing(ChatModel(server.base_url, "sk-secret", limits)) as model:
        turns = [model.answer(REQUEST, Listener(), Cancellation()) for _ in range(times)]
    return turns[-1], server


def test_an_answer_comes_with_its_usage_and_reason() -> None:
    turn, server = answer([{"text": "Good morning. 早上好"}])
    assert (turn.text, turn.finish, turn.usage["total_tokens"]) == ("Good morning. 早上好", "stop", 15)
    assert server.requests[0]["model"] == "m"
    assert server.requests[0]["stream"] is True
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"


def test_parallel_calls_in_fragments_are_put_together() -> None:
    calls = [{"tool": "a", "arguments": {"x": "ä" * 30}}, {"tool": "b", "arguments": {"y": [1, 2, 3]}}]
    turn, _ = answer([{"text": "Look:", "calls": calls}])
    assert [call.name for call in turn.calls] == ["a", "b"]
    assert turn.finish == "tool_calls"


def test_a_server_without_streaming_is_fine() -> None:
    turn, _ = answer([{"text": "Hello", "json": True, "calls": [{"tool": "a", "arguments": {}}]}])
    assert (turn.text, turn.calls[0].name) == ("Hello", "a")


def test_a_document_without_its_type_is_read_as_one() -> None:
    document = '{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}'
    assert answer([{"raw": document}])[0].text == "Hello"


def test_one_connection_serves_all_turns() -> None:
    accepted: list[Any] = []
    with ScriptedServer(["one", "two", "three"]) as server:
        assert server._server is not None
        real = server._server.process_request

        def counted(request: Any, client_address: Any) -> None:
            accepted.append(client_address)
            real(request, client_address)

        server._server.process_request = counted  # type: ignore[method-assign]
        model = ChatModel(server.base_url, None)
        assert [model.answer(REQUEST, Listener(), Cancellation()).text for _ in range(3)] == ["one", "two", "three"]
        model.close()
    assert len(accepted) == 1


@pytest.mark.parametrize(
    ("turn", "code", "retryable"),
    [
        ({"error": {"status": 429, "message": "slow down"}}, "model-busy", True),
        ({"error": {"status": 503, "message": "x"}}, "model-busy", True),
        ({"error": {"status": 401, "message": "wrong key"}}, "model-refused", False),
        ({"error": {"status": 404, "message": "no such model"}}, "model-refused", False),
        ({"raw": "Bad Gateway", "status": 502, "content_type": "text/html"}, "model-busy", True),
        ({"raw": "<html>welcome</html>", "content_type": "text/html"}, "model-broken", True),
        ({"raw": "{not json", "content_type": "application/json"}, "model-broken", True),
        ({"raw": "", "content_type": "text/event-stream"}, "model-broken", True),
        ({"raw": "[1]", "content_type": "application/json"}, "model-broken", True),
        ({"raw": "data: nonsense\n\n", "content_type": "text/event-stream"}, "model-broken", True),
        ({"raw": "", "status": 302, "content_type": ""}, "model-refused", False),
        ({"text": "Hel", "cut": True}, "model-broken", True),
        ({"text": "Hel", "stream_error": {"message": "overloaded", "code": 502}}, "model-busy", True),
        ({"text": "Hel", "stream_error": {"message": "too long", "code": 400}}, "model-refused", False),
    ],
)
def test_what_goes_wrong_is_told_apart(turn: dict[str, Any], code: str, retryable: bool) -> None:  # noqa: FBT001  a table
    with pytest.raises(ToolError) as caught:
        answer([turn])
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ({"raw": "<html>welcome</html>", "content_type": "text/html"}, "<html>welcome"),
        ({"raw": '{"detail": "tokens are missing"}', "status": 422}, "(422): tokens are missing"),
        ({"raw": '{"detail": [{"msg": "field required"}]}', "status": 422}, "field required"),
        ({"raw": '{"error": {"reason": "quite odd"}}', "status": 400}, "quite odd"),
    ],
)
def test_what_a_server_says_is_passed_on_whatever_its_form(turn: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError) as caught:
        answer([turn])
    assert told in caught.value.message


def test_nobody_listening_is_an_error_that_names_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = ChatModel(f"http://127.0.0.1:{port}/v1", None)
    with pytest.raises(ToolError) as caught:
        model.answer(REQUEST, Listener(), Cancellation())
    assert caught.value.code == "model-unreachable"
    assert f"127.0.0.1:{port}" in caught.value.message


def test_a_time_to_wait_is_believed() -> None:
    with pytest.raises(ToolError) as caught:
        answer([{"error": {"status": 429, "message": "x", "retry_after": 7}}])
    assert caught.value.details["retry_after"] == 7


def test_a_long_answer_is_ended_at_the_limit() -> None:
    with pytest.raises(ToolError) as caught:
        answer([{"text": "x" * 100_000}], limits=ModelLimits(answer_bytes=10_000))
    assert caught.value.code == "model-endless"


@contextmanager
def silent_server(first: bytes = b"") -> Iterator[str]:
    """Takes a request, says this much, and then nothing more."""
    listening = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        connected, _ = listening.accept()
        connected.recv(65536)
        connected.sendall(first)
        held.append(connected)

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    listening.close()
    for each in held:
        each.close()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def test_silence_ends_at_the_limit() -> None:
    with (
        silent_server() as address,
        closing(ChatModel(address, None, ModelLimits(silence=0.1))) as model,
        pytest.raises(ToolError) as caught,
    ):
        model.answer(REQUEST, Listener(), Cancellation())
    assert caught.value.code == "model-timeout"


def test_headers_that_come_by_the_byte_end_at_the_limit_for_the_whole_answer() -> None:
    ended = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
            for _ in range(500):
                if ended.wait(0.02):
                    break
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        limits = ModelLimits(seconds=0.3, silence=30.0)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        with closing(ChatModel(address, None, limits)) as model, pytest.raises(ToolError) as caught:
            model.answer(REQUEST, Listener(), Cancellation())
        ended.set()
        thread.join()
    assert caught.value.code == "model-timeout"
    assert "0.3" in caught.value.message


def test_a_stop_ends_an_answer_at_once_and_the_next_one_works() -> None:
    stop = Cancellation()

    class Stopping(Listener):
        def text(self, piece: str) -> None:  # noqa: ARG002  any
            threading.Thread(target=stop.cancel).start()

    chunk = b"".join(stream({"text": "Hello", "cut": True}, 10))
    with silent_server(HEAD + chunk) as address:
        model = ChatModel(address, None)
        with pytest.raises(CancelledError):
            model.answer(REQUEST, Stopping(), stop)
    with ScriptedServer(["again"]) as server:
        model._url = parse_url(f"{server.base_url}/chat/completions")
        assert model.answer(REQUEST, Listener(), Cancellation()).text == "again"
        model.close()


def test_a_stop_hangs_up_on_one_answer_and_not_on_the_others() -> None:
    stop = Cancellation()
    ended: list[str] = []

    class Stopping(Listener):
        def text(self, piece: str) -> None:  # noqa: ARG002  any
            threading.Thread(target=stop.cancel).start()

    with ScriptedServer([{"text": "Hello", "hang": True}] * 2) as server:
        model = ChatModel(server.base_url, None, ModelLimits(silence=1.0))

        def other() -> None:
            try:
                model.answer(REQUEST, Listener(), Cancellation())
            except ToolError as error:
                ended.append(error.code)

        thread = threading.Thread(target=other)
        thread.start()
        with pytest.raises(CancelledError):
            model.answer(REQUEST, Stopping(), stop)
        thread.join()
        model.close()
    assert ended == ["model-timeout"]


def test_a_stop_before_the_first_word_ends_the_wait() -> None:
    stop = Cancellation()
    with silent_server() as address, closing(ChatModel(address, None)) as model:
        timer = threading.Timer(0.1, stop.cancel)
        timer.start()
        with pytest.raises(CancelledError):
            model.answer(REQUEST, Listener(), stop)


def test_an_answer_that_ends_after_done_without_closing_is_complete() -> None:
    chunk = b"".join(stream({"text": "Hello"}, 10))
    with silent_server(HEAD + chunk) as address:
        model = ChatModel(address, None)
        assert model.answer(REQUEST, Listener(), Cancellation()).text == "Hello"
        model.close()


# --- patience


def patiently(script: list[Any], **options: Any) -> tuple[ModelTurn, list[float]]:
    waits: list[float] = []
    with ScriptedServer(script) as server, closing(ChatModel(server.base_url, None)) as model:
        patience = RetryPolicy(**{"first_wait": 0.001, **options})
        turn = patience.answer(model, REQUEST, Listener(), Cancellation(), lambda seconds, _: waits.append(seconds))
    return turn, waits


def test_a_busy_or_broken_server_is_asked_again() -> None:
    script = [
        {"error": {"status": 429, "message": "x", "retry_after": 0}},
        {"error": {"status": 500, "message": "x"}},
        {"text": "Hel", "cut": True},
        {"text": "  "},
        "Hello",
    ]
    turn, waits = patiently(script)
    assert turn.text == "Hello"
    assert waits[0] == 0
    assert len(waits) == 4


def test_patience_ends() -> None:
    with pytest.raises(ToolError) as caught:
        patiently([{"error": {"status": 500, "message": "x"}}] * 3, attempts=2)
    assert caught.value.code == "model-busy"


def test_nothing_but_silence_is_an_error() -> None:
    with pytest.raises(ToolError) as caught:
        patiently([""] * 5, attempts=3)
    assert caught.value.code == "model-empty"


@pytest.mark.parametrize("finish", ["content_filter", "length"])
def test_an_empty_answer_that_says_why_is_not_asked_for_again(finish: str) -> None:
    assert patiently([{"text": "", "finish": finish}, "Hello"])[0].finish == finish


def test_a_server_that_does_not_know_how_to_count_is_asked_without() -> None:
    refused = {"error": {"status": 400, "message": "Unrecognized request argument supplied: stream_options"}}
    turn, server = answer([refused, "one", "two"], times=2)
    assert turn.text == "two"
    assert ["stream_options" in request for request in server.requests] == [True, False, False]


def test_answers_are_wanted_as_they_are_and_not_packed() -> None:
    assert answer(["Hello"])[1].headers[0]["Accept-Encoding"] == "identity"


def test_who_wants_to_be_left_alone_for_an_hour_is() -> None:
    with pytest.raises(ToolError) as caught:
        patiently([{"error": {"status": 429, "message": "x", "retry_after": 3600}}, "late"])
    assert caught.value.details["retry_after"] == 3600


def test_a_stop_ends_the_waiting() -> None:
    stop = Cancellation()
    busy = ScriptedServer([{"error": {"status": 429, "message": "x", "retry_after": 50}}])

    def on_wait(*_: object) -> None:
        threading.Thread(target=stop.cancel).start()

    with busy as server, closing(ChatModel(server.base_url, None)) as model, pytest.raises(CancelledError):
        RetryPolicy().answer(model, REQUEST, Listener(), stop, on_wait)
