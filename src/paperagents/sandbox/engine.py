"""QuickJS inside the worker: one fresh context, one block, within its limits.

The binding runs code of the block without any limit when Python touches one of its values. So Python holds
a single function, the driver of ``javascript/prelude.js``, taken before the block exists; ASCII JSON
text goes in, JSON text comes out, and nothing else is ever looked at.
"""

from __future__ import annotations

import ctypes
import resource
import time

TYPE_CHECKING = False  # the typing module alone would cost a fifth of the start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_START, _ANSWER, _CONSOLE, _CONTINUE = range(4)
_STACK_BYTES = 1 << 20
_JOBS_BETWEEN_LOOKS = 64
_CONSOLE_SECONDS = 0.2


class Breach(Exception):  # noqa: N818  not an error of the program: a block reached one of its limits
    """The engine ended the block: what limit it met, and the stack as the engine tells it."""

    def __init__(self, kind: str, stack: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.stack = stack


class Deadline:
    """Interrupts the engine by the clock on the wall, inside any loop, sort or regular expression.

    The binding's own limit counts computing time, so that on a busy machine it comes late or never; and only an
    interrupted engine can tell where it was. The engine asks every few thousand instructions.
    """

    def __init__(self, library: str) -> None:
        self.until = float("inf")
        engine = ctypes.PyDLL(library)
        handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self._runtime_of, self._set_handler = engine.JS_GetRuntime, engine.JS_SetInterruptHandler
        self._runtime_of.argtypes, self._runtime_of.restype = [ctypes.c_void_p], ctypes.c_void_p
        self._set_handler.argtypes, self._set_handler.restype = [ctypes.c_void_p, handler, ctypes.c_void_p], None
        # Made once, while memory can still be made executable.
        self._is_over = handler(lambda _runtime, _opaque: time.monotonic() >= self.until)

    def watch(self, context: Any) -> None:
        """Let the engine ask from now on. Raises ValueError for a binding that is built otherwise."""
        # A context object begins with its runtime and its context; the engine itself confirms it.
        fields = id(context) + object.__basicsize__
        runtime, inner = (ctypes.c_void_p * 2).from_address(fields)
        if not runtime or not inner or self._runtime_of(inner) != runtime:
            raise ValueError("the engine is not where the binding used to keep it")
        self._set_handler(runtime, self._is_over, None)


class Engine:
    """A fresh JavaScript world, ready for one block."""

    def __init__(self, quickjs: Any, deadline: Deadline, prelude: str, parts: list[str]) -> None:
        self._errors = quickjs.JSException
        self._deadline = deadline
        deadline.until = float("inf")
        self._context = quickjs.Context()
        deadline.watch(self._context)
        self._context.set_max_stack_size(_STACK_BYTES)
        self._driver = self._context.eval(prelude)(*parts)
        self._seconds_left = 0.0
        self._memory = 0
        self._pages_before = _pages_taken()

    def start(self, request: str, *, seconds: float, memory: int) -> str:
        """Begin the block; gives what it came to: D, E, C, W or P, and a JSON text after the letter."""
        self._seconds_left = seconds
        self._memory = memory
        self._context.set_memory_limit(memory)
        self._drive(_START, request)
        return self.carry_on()

    def answer(self, answer: str) -> str:
        """Hand over the host's answer to a call and go on."""
        self._drive(_ANSWER, answer)
        return self.carry_on()

    def carry_on(self) -> str:
        """Go on until the block has ended or calls the host."""
        while all(self._within_limits(self._context.execute_pending_job) for _ in range(_JOBS_BETWEEN_LOOKS)):
            state = self._drive(_CONTINUE, "")
            if state[0] in "DEC":
                return state
        return self._drive(_CONTINUE, "")

    def console(self) -> str:
        """What the block wrote to the console before it was ended; may be out of reach after a breach."""
        self._seconds_left = _CONSOLE_SECONDS
        try:
            return self._drive(_CONSOLE, "")
        except Breach:
            return "[]"

    def _drive(self, action: int, text: str) -> str:
        state = self._within_limits(lambda: self._driver(action, text))
        if not isinstance(state, str) or not state:
            # Out of memory while the answer was made into text gives nothing at all.
            raise Breach("memory")
        return state

    def _within_limits(self, enter: Callable[[], Any]) -> Any:
        if self._seconds_left <= 0:
            raise Breach("timeout")
        started = time.monotonic()
        self._deadline.until = started + self._seconds_left
        try:
            return enter()
        except self._errors as error:
            raise self._breach(str(error)) from None
        except MemoryError:
            raise Breach("memory") from None
        finally:
            # What passes between two entries is the host's time.
            self._seconds_left -= time.monotonic() - started

    def _breach(self, text: str) -> Breach:
        if time.monotonic() >= self._deadline.until:
            return Breach("timeout", text)
        if "out of memory" in text or text.startswith("null") or self.ran_out_of_memory():
            return Breach("memory", text)
        return Breach("stack" if "call stack" in text else "engine", text)

    def ran_out_of_memory(self) -> bool:
        """Whether the block took so much memory that it must have met its limit.

        When not even an error object fits, the engine throws a bare null; but so may the block itself.
        """
        return self._taken() > self._memory // 4

    def used_much(self) -> bool:
        """Whether so much stays with the process that what a later block takes could not be seen."""
        return self._taken() > self._memory // 2

    def _taken(self) -> int:
        return (_pages_taken() - self._pages_before) * resource.getpagesize()


def _pages_taken() -> int:
    """Pages this process ever took; its largest size would still be that of the parent it came from."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
