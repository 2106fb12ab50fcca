"""Connections to other MCP servers: started when needed, kept while the vault is open, made again when they die.

The rest of the program is synchronous; a thread of its own runs the library's event loop. The one module that knows the
client side of MCP.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from paperagents.calls.conversion import DEEPEST, is_json
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import CancelledError, ToolError
from paperagents.mcp_client.servers import RemoteServer
from paperagents.messages import text

if TYPE_CHECKING:
    import mcp_types as types
    from mcp import Client

CONNECT_SECONDS = 30.0
ANSWER_SECONDS = 300.0
LARGEST_ANSWER = 16 * 1024 * 1024
Answer = TypeVar("Answer")


class Connections:
    """One connection for each server that has been used."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._links: dict[str, _Link] = {}
        self._lock = threading.Lock()

    def tools(self, server: RemoteServer) -> list[JsonObject]:
        """What the server offers now. Raises ToolError where it cannot be reached."""
        return self._wait(self._submit(self._on_link(server, _listed)), server)

    def call(self, server: RemoteServer, tool: str, arguments: JsonObject, *, repeatable: bool) -> RemoteCall:
        """Begin a call; a second attempt after a broken connection is only made where that does no harm."""

        async def called(client: Client) -> JsonValue:
            name = f"{server.name}/{tool}"
            try:
                return _answer_of(await client.call_tool(tool, arguments), name)
            except Exception as error:
                raise _as_said(error, name) or error from error

        work = self._on_link(server, called) if repeatable else self._on_checked_link(server, called)
        return RemoteCall(self._submit(work), lambda future: self._wait(future, server))

    def close(self) -> None:
        """End all connections, and the servers that were started for them."""
        if self._loop is None or self._thread is None:
            return
        closing = asyncio.run_coroutine_threadsafe(self._close_all(), self._loop)
        with suppress(Exception):
            closing.result(15)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()
        self._loop = self._thread = None

    # --- on the loop

    async def _on_link(self, server: RemoteServer, work: Callable[[Client], Awaitable[Answer]]) -> Answer:
        known = server.name in self._links
        try:
            return await work(await self._client(server))
        except Exception as error:
            if not known or not _is_broken(error):
                raise
        # It has died since it was used last.
        await self._drop(server)
        return await work(await self._client(server))

    async def _on_checked_link(self, server: RemoteServer, work: Callable[[Client], Awaitable[Answer]]) -> Answer:
        """Make sure that somebody is there before something is sent that must not be sent twice."""
        if server.name in self._links:
            await self._on_link(server, _listed)
        return await work(await self._client(server))

    async def _client(self, server: RemoteServer) -> Client:
        link = self._links.get(server.name)
        if link is None or link.server != server:
            await self._drop(server)
            link = self._links[server.name] = _Link(server)
        try:
            return await link.client()
        except BaseException:
            await self._drop(server)
            raise

    async def _drop(self, server: RemoteServer) -> None:
        if (link := self._links.pop(server.name, None)) is not None:
            await link.close()

    async def _close_all(self) -> None:
        links, self._links = list(self._links.values()), {}
        await asyncio.gather(*(link.close() for link in links), return_exceptions=True)

    # --- from other threads

    def _submit(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="paper-mcp-client", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _wait(self, future: Future[Answer], server: RemoteServer) -> Answer:
        from concurrent.futures import CancelledError as Stopped  # noqa: PLC0415  another one of that name

        try:
            return future.result(ANSWER_SECONDS)
        except ToolError:
            raise
        except Stopped:
            raise CancelledError from None
        except TimeoutError:
            future.cancel()
            raise ToolError("remote-too-slow", server=server.name, seconds=f"{ANSWER_SECONDS:g}") from None
        except BaseException as error:
            reason = _reason(error)
            raise ToolError("remote-unreachable", server=server.name, reason=reason, retryable=True) from error


class RemoteCall:
    """A call that is under way."""

    def __init__(self, future: Future[JsonValue], wait: Callable[[Future[JsonValue]], JsonValue]) -> None:
        self._future = future
        self._wait = wait

    def answer(self) -> JsonValue:
        """Wait for it."""
        return self._wait(self._future)

    def stop(self) -> None:
        """Give it up."""
        self._future.cancel()


class _Link:
    """One server and the task that holds its connection: the library wants it opened and closed by the same task."""

    def __init__(self, server: RemoteServer) -> None:
        self.server = server
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._task = asyncio.create_task(self._hold())

    async def client(self) -> Client:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await asyncio.shield(self._ready)
        except TimeoutError:
            raise ToolError("remote-too-slow", server=self.server.name, seconds=f"{CONNECT_SECONDS:g}") from None

    async def close(self) -> None:
        self._closing.set()
        with suppress(Exception):
            async with asyncio.timeout(10):
                await self._task

    async def _hold(self) -> None:
        try:
            with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  opens at once
                async with _new_client(self.server, nowhere) as client:
                    self._ready.set_result(client)
                    await self._closing.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error if isinstance(error, Exception) else ConnectionError(str(error)))
                # Somebody may have stopped waiting: then nobody else looks at it.
                self._ready.exception()


def _new_client(server: RemoteServer, errors: Any) -> Client:
    from mcp import Client  # noqa: PLC0415  the library is large
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415  see above

    if not server.command:
        return Client(_over_http(server), read_timeout_seconds=ANSWER_SECONDS)
    program, *arguments = server.command
    started = StdioServerParameters(command=program, args=arguments, cwd=server.folder)
    return Client(stdio_client(started, errlog=errors), read_timeout_seconds=ANSWER_SECONDS)


@asynccontextmanager
async def _over_http(server: RemoteServer) -> AsyncIterator[Any]:
    import httpx2  # noqa: PLC0415  comes with the library
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415  the library is large

    headers = {"authorization": f"Bearer {server.token}"} if server.token else {}
    patience = httpx2.Timeout(CONNECT_SECONDS, read=ANSWER_SECONDS)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=patience) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


async def _listed(client: Client) -> list[JsonObject]:
    described: list[JsonObject] = []
    cursor: str | None = None
    for _ in range(100):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        described += [_described(tool) for tool in page.tools]
        if (cursor := page.next_cursor) is None:
            break
    return described


def _described(tool: types.Tool) -> JsonObject:
    read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
    return {
        "name": tool.name,
        "description": tool.description or tool.title or "",
        "schema": tool.input_schema,
        "read_only": read_only,
    }


def _answer_of(result: types.CallToolResult, tool: str) -> JsonValue:
    texts = [each.text for each in result.content if each.type == "text"]
    if result.is_error:
        raise ToolError("remote-tool-failed", tool=tool, reason="\n".join(texts)[:10_000])
    if result.structured_content is not None:
        answer: JsonValue = result.structured_content
    elif len(result.content) == 1 and texts:
        answer = texts[0]
    else:
        answer = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in result.content]
    if len(str(answer)) > LARGEST_ANSWER:
        raise ToolError("remote-answer-too-large", tool=tool, limit=LARGEST_ANSWER)
    if not is_json(answer):
        raise ToolError("remote-answer-invalid", tool=tool, reason=text("cli.run.no-json-value", limit=DEEPEST))
    return answer


def _as_said(error: Exception, tool: str) -> ToolError | None:
    """A failure that the server itself has caused, though it is there and answers; None for any other."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415  the library is large
    from mcp_types import REQUEST_TIMEOUT  # noqa: PLC0415  see above
    from pydantic import ValidationError  # noqa: PLC0415  comes with the library

    if isinstance(error, MCPError) and not _is_broken(error) and error.error.code != REQUEST_TIMEOUT:
        return ToolError("remote-tool-failed", tool=tool, reason=_reason(error))
    if isinstance(error, ValidationError):
        return ToolError("remote-answer-invalid", tool=tool, reason=error.errors()[0]["msg"])
    # So it tells that an answer is not what the tool's own schema promises.
    if type(error) is RuntimeError:
        return ToolError("remote-answer-invalid", tool=tool, reason=_reason(error).partition("\n")[0])
    return None


def _is_broken(error: BaseException) -> bool:
    """Whether the other side has gone, as opposed to having said no."""
    import anyio  # noqa: PLC0415  comes with the library
    import mcp_types as types  # noqa: PLC0415  see above
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415  see above

    if isinstance(error, MCPError):
        return error.error.code == types.CONNECTION_CLOSED
    return isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | OSError | TimeoutError)


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error)[:500] or type(error).__name__
