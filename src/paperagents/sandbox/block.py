"""One block on one worker: the request, the calls to the host in between, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypedDict

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import is_javascript_variable, without_surrogates
from paperagents.errors import PaperError, SandboxCrashError, SandboxError
from paperagents.sandbox import failures
from paperagents.sandbox.failures import Phrase
from paperagents.sandbox.limits import Cancellation, Limits
from paperagents.sandbox.values import TooMuchError, check_characters, check_size, from_json, to_json
from paperagents.sandbox.worker_process import ChannelBrokenError, Message, WorkerProcess
from paperagents.values import dataclass

GRACE_SECONDS = 0.7
"""How long after its limit a block that the engine did not stop is killed.

Only the engine knows where the block was and what it wrote to the console; on a busy machine it needs a moment to tell.
"""
MAX_DEPTH_OF_BLOCKS = 16
_MAX_CONSOLE_BYTES = 4 << 20

HostFunctions = Mapping[str, Callable[..., JsonValue]]

_depth: ContextVar[int] = ContextVar("depth of blocks inside host calls", default=0)


class EndsBlock(Exception):  # noqa: N818  a way out, not always an error
    """Raised by a host function to end the block; it reaches the caller of the run, whatever the block does."""

    failure: PaperError | None = None
    """How its call failed, for a block that may still clean up; without one the block goes no further."""
    console: Sequence[JsonObject] = ()
    """What a block that could clean up wrote."""


class BlockOptions(TypedDict, total=False):
    """What may be given along with a piece of JavaScript."""

    names: Mapping[str, JsonValue] | None
    limits: Limits | None
    host: HostFunctions | None
    cancellation: Cancellation | None
    helpers: Mapping[str, int] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsoleLine:
    """A line the block wrote to the console."""

    level: str
    text: str

    def as_json(self) -> JsonObject:
        """The form of records."""
        return {"level": self.level, "text": self.text}


@dataclass(frozen=True, kw_only=True, slots=True)
class JavaScriptResult:
    """What a block returned, and what it wrote to the console."""

    value: JsonValue
    console: tuple[ConsoleLine, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockRequest:
    """A piece of JavaScript with everything it may see and use."""

    script: Excerpt
    request: bytes
    limits: Limits
    host: HostFunctions

    @property
    def sentence_values(self) -> dict[str, Any]:
        """The limits as the sentences of errors name them."""
        limits = self.limits
        return {"seconds": f"{limits.seconds:g}", "memory": limits.memory_mb, "output": limits.output_mb}


def prepare_block(
    script: Excerpt,
    names: Mapping[str, JsonValue],
    host: HostFunctions,
    limits: Limits,
    helpers: Mapping[str, int] | None = None,
) -> BlockRequest:
    """Turn code and values into a request; refuses what cannot cross before any worker is asked.

    Helpers are functions of our own that the code may call, by the part of ``worker.PARTS`` they stand in; a part is
    read only when it is called.
    """
    helpers = helpers or {}
    for name in (*names, *host, *helpers):
        if not is_javascript_variable(name):
            raise SandboxError("sandbox-name", name=name)
    fields = {
        "code": to_json(script.text, "code"),
        "names": to_json(",".join(names), "names"),
        "values": f"[{','.join(to_json(value, name) for name, value in names.items())}]",
        "helpers": to_json([each for helper in helpers.items() for each in helper], "helpers"),
        "functions": to_json(list(host), "host"),
        "hostCalls": str(limits.host_calls),
        "outputSize": str(limits.output_mb << 20),
    }
    body = "{" + ",".join(f'"{field}":{text}' for field, text in fields.items()) + "}"
    header = int(limits.seconds * 1000).to_bytes(8, "big") + (limits.memory_mb << 20).to_bytes(8, "big")
    return BlockRequest(script=script, request=header + body.encode("ascii"), limits=limits, host=host)


def depth_of_blocks() -> int:
    """How many blocks are waiting for the host above this one."""
    return _depth.get()


class BlockRun:
    """A block being carried out. Afterwards ``worker_is_sound`` says whether its worker may serve again."""

    def __init__(
        self, worker: WorkerProcess, block: BlockRequest, while_host_works: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """``while_host_works`` is entered around each call to the host: the pool lends the block's slot to others."""
        limits = block.limits
        grace = GRACE_SECONDS if worker.stops_itself else 0.0
        self.worker_is_sound = False
        self._worker = worker
        self._block = block
        self._while_host_works = while_host_works
        self._until = time.monotonic() + limits.seconds + grace
        self._most = (limits.output_mb << 20) * 3 + _MAX_CONSOLE_BYTES
        self._calls = 0
        self._ended_by: EndsBlock | None = None

    def finish(self) -> JavaScriptResult:
        """Run the block to its end."""
        try:
            result = self.talk_to_worker()
        except SandboxError as error:
            self.end_as_host_said(error.details.get("console", []))
            raise
        self.end_as_host_said([line.as_json() for line in result.console])
        return result

    def end_as_host_said(self, console: Sequence[JsonObject]) -> None:
        """Whatever the block came to after a call has ended it does not count."""
        if self._ended_by is not None:
            self._ended_by.console = console
            raise self._ended_by from None

    def talk_to_worker(self) -> JavaScriptResult:
        """Send the block, answer its calls, read how it ended."""
        try:
            self._worker.send("R", self._block.request, until=self._until)
            while True:
                message = self._worker.receive(most=self._most, until=self._until)
                if message.letter != "C":
                    return self.read_ending(message)
                self.answer_calls(message.body)
        except TimeoutError:
            raise self.breach("timeout") from None
        except TooMuchError:
            raise SandboxError("sandbox-output", **self._block.sentence_values) from None
        except (ChannelBrokenError, UnicodeError, ValueError, TypeError, KeyError, RecursionError) as error:
            if isinstance(error, ChannelBrokenError) and self._worker.ran_out_of_memory():
                raise self.breach("memory") from None
            raise SandboxCrashError("sandbox-crash", retryable=True, details={"reason": repr(error)[:200]}) from None

    def read_ending(self, message: Message) -> JavaScriptResult:
        """The value of a block that is done; raises SandboxError for one that failed or met a limit."""
        if message.letter == "X":
            kind, _, rest = message.body.decode("utf-8", "replace").partition("\n")
            stack, _, written = rest.partition("\0")
            # Only a promise that never settled leaves its worker as it was.
            self.worker_is_sound = kind == "never"
            raise _with_console(self.breach(kind, stack[:8000]), _console(from_json(written.encode())))
        report = from_json(message.body)
        if not isinstance(report, dict) or message.letter not in "DEde":
            raise ChannelBrokenError("not an ending")
        console = _console(report["console"])
        self.worker_is_sound = message.letter.isupper()
        if message.letter in "Ee":
            raise _with_console(failures.thrown(report, self._block.script, self._block.sentence_values), console)
        check_characters(report["value"], message.body)
        check_size(report["value"], message.body, most=self._block.limits.output_mb << 20)
        return JavaScriptResult(value=report["value"], console=console)

    def breach(self, kind: str, stack: str = "") -> SandboxError:
        """The error of a block that met a limit."""
        return failures.breach(kind, stack, self._block.script, self._block.sentence_values)

    def answer_calls(self, body: bytes) -> None:
        """Call the host for each call of a message, one after the other."""
        calls = from_json(body)
        if not isinstance(calls, list) or not calls:
            raise ChannelBrokenError("not calls")
        for call in calls:
            self._calls += 1
            if self._calls > self._block.limits.host_calls:
                raise ChannelBrokenError("too many calls")
            started = time.monotonic()
            with self._while_host_works():
                answer = self.answer_call(call)
            # The host may be asking a person: its time is not the block's.
            self._until += time.monotonic() - started
            self._worker.send("S", answer.encode("ascii"), until=self._until)

    def answer_call(self, call: Any) -> str:
        """The host's answer to one call, or its refusal, as the worker reads it."""
        number, name, arguments = call
        if type(number) is not int or type(name) is not str or type(arguments) is not list:
            raise ChannelBrokenError("not a call")
        if name not in self._block.host:
            raise ChannelBrokenError("no such host function")
        token = _depth.set(_depth.get() + 1)
        try:
            # A host function runs with the caller's own rights: nothing half-valid reaches it.
            check_characters(arguments, b"\\ud8")
            return f'{{"id":{number},"value":{to_json(self._block.host[name](*arguments), name)}}}'
        except PaperError as error:
            return _refusal(number, error.message, error.code)
        except EndsBlock as ending:
            if ending.failure is None:
                raise
            self._ended_by = self._ended_by or ending
            return _refusal(number, ending.failure.message, ending.failure.code)
        except Exception as error:
            return _refusal(number, str(error) or type(error).__name__, "host-error")
        finally:
            _depth.reset(token)


def _refusal(number: int, message: str, code: str) -> str:
    return f'{{"id":{number},"message":{to_json(message[:8000], "message")},"code":{to_json(code, "code")}}}'


def _console(lines: JsonValue) -> tuple[ConsoleLine, ...]:
    if not isinstance(lines, list):
        raise ChannelBrokenError("no console")
    return tuple(map(_console_line, lines[:2000]))


def _console_line(line: Any) -> ConsoleLine:
    level, written = line
    if type(level) is not str or type(written) is not str:
        raise ChannelBrokenError("not a console line")
    if level == "truncated":
        return ConsoleLine(level="warn", text=str(Phrase("console-truncated")))
    return ConsoleLine(level=without_surrogates(level)[:20], text=without_surrogates(written))


def _with_console(error: SandboxError, console: tuple[ConsoleLine, ...]) -> SandboxError:
    if console:
        error.details["console"] = [line.as_json() for line in console]
    return error
