"""A vault for asynchronous programs: the same words, awaited.

Runs do their work in threads; what a program is asked or told comes in its own event loop. Whoever stops waiting for
a run cancels it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from paperagents.agents.model import LanguageModel
from paperagents.approval.question import ApprovalRequest, Approver, Decision
from paperagents.definitions.json_value import JsonValue
from paperagents.runs.session import Event
from paperagents.sandbox import Cancellation
from paperagents.vault import Person, Vault, open_vault

P = ParamSpec("P")
R = TypeVar("R")
AT_ONCE = 32
"""Calls of one vault that go on side by side."""


def awaited(method: Callable[Concatenate[Vault, P], R]) -> Callable[Concatenate[AsyncVault, P], Coroutine[Any, Any, R]]:
    """The same method, to be awaited."""

    @wraps(method)
    async def call(self: AsyncVault, /, *arguments: P.args, **named: P.kwargs) -> R:
        return await self.carry_out(method, *arguments, **named)

    return call


class AsyncVault:
    """A folder of notes whose tools can be run, from a coroutine."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        """The vault itself; its registry, settings and history are read without waiting."""
        self._pool = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="paper")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End everything and let go of the files."""
        await asyncio.to_thread(self._pool.shutdown)
        await asyncio.to_thread(self.vault.close)

    run = awaited(Vault.run)
    plan = awaited(Vault.plan)
    resume = awaited(Vault.resume)
    answer = awaited(Vault.answer)
    enqueue = awaited(Vault.enqueue)
    install = awaited(Vault.install)
    test = awaited(Vault.test)
    evaluate = awaited(Vault.evaluate)
    apply = awaited(Vault.apply)
    check = awaited(Vault.check)
    changes = awaited(Vault.changes)
    show_changes = awaited(Vault.show_changes)
    blame = awaited(Vault.blame)
    undo = awaited(Vault.undo)
    confirm_done = awaited(Vault.confirm_done)

    async def stream(  # noqa: PLR0913  each may be said or left unsaid
        self,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        approver: Person = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
        run_id: str | None = None,
        together: bool = False,
    ) -> AsyncIterator[Event]:
        """Everything that happens in a run as it happens; the last event is ``record`` with the record of the run."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        run = asyncio.ensure_future(
            self.run(
                tool, arguments, approver=approver, on_event=events.put_nowait, stop=stop, model=model, run_id=run_id,
                together=together,
            )
        )  # fmt: skip
        # After everything that the run has told: both come by the same way.
        run.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            yield {"type": "record", "record": (await run).as_json()}
        finally:
            if not run.done():
                run.cancel()
                await asyncio.wait([run])

    async def carry_out(self, method: Callable[Concatenate[Vault, P], R], *arguments: P.args, **named: P.kwargs) -> R:
        """Do something with the vault in a thread."""
        loop = asyncio.get_running_loop()
        given: dict[str, Any] = dict(named)
        stop = given.get("stop") or Cancellation()
        if "stop" in inspect.signature(method).parameters:
            given["stop"] = stop
        if callable(asked := given.get("approver")) and not isinstance(asked, Approver):
            given["approver"] = partial(ask_in_loop, asked, loop)
        if (told := given.get("on_event")) is not None:
            given["on_event"] = partial(loop.call_soon_threadsafe, told)
        work: Callable[[], R] = partial(method, self.vault, *arguments, **given)
        future = loop.run_in_executor(self._pool, copy_context().run, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.cancel()
            # The run records that it was cancelled; nobody is left behind who works on it.
            await asyncio.wait([future])
            raise


def ask_in_loop(
    approver: Callable[[ApprovalRequest], Any], loop: asyncio.AbstractEventLoop, request: ApprovalRequest
) -> Decision:
    """The answer of a function or coroutine function, which runs in the program's own loop."""

    async def ask() -> Decision:
        answer = approver(request)
        decision: Decision = await answer if inspect.isawaitable(answer) else answer
        return decision

    return asyncio.run_coroutine_threadsafe(ask(), loop).result()


async def open_vault_async(folder: str | os.PathLike[str] | None = None) -> AsyncVault:
    """As ``open_vault``, for a program that must not wait."""
    return AsyncVault(await asyncio.to_thread(open_vault, folder))
