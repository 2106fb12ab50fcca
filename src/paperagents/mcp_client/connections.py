"""Calls of other MCP servers' tools, over connections that are made when needed and kept while the vault is open.

The rest of the program is synchronous; a thread of its own runs the library's event loop. The one module that knows the
client side of MCP.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from paperagents.approval.question import Asking, Effect, Scope, asking
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import CancelledError, PaperError, ToolError, UnknownToolError
from paperagents.http.trace_context import trace_headers
from paperagents.mcp_client.asking import ServerQuestions
from paperagents.mcp_client.error_output import ErrorOutput
from paperagents.mcp_client.login import LOGIN_SECONDS, Show, browser_login, find_login
from paperagents.mcp_client.remote_tools import (
    ANSWER_SECONDS,
    TASK,
    call_as_task,
    list_offered,
    list_tools,
    read_result,
    require_value,
)
from paperagents.mcp_client.resources import OFFERS, get_offered
from paperagents.mcp_client.servers import KnownServers, RemoteServer, fill_in_secrets, is_read_only, split_tool_id
from paperagents.mcp_client.transports import (
    CONNECT_SECONDS,
    ClientDesk,
    HttpAnswers,
    connect_over_http,
    open_client,
)

if TYPE_CHECKING:
    from mcp import Client

Result = TypeVar("Result")


class RemoteEffects:
    """Prepares calls of the tools of a vault's servers: shown, asked where the server does not call them harmless."""

    def __init__(self, known: KnownServers, desk: ClientDesk) -> None:
        self.known = known
        self.connections = ServerConnections(desk)

    def prepare(self, tool_id: str) -> Callable[[JsonObject], Effect]:
        """How a call of this tool is prepared. Raises ToolError where nobody has agreed to its server."""
        name, tool = split_tool_id(tool_id)
        server = self.known.servers.get(name)
        if server is None:
            raise UnknownToolError(tool_id)
        if not self.known.is_agreed(server):
            raise ToolError("remote-not-agreed", server=name, command=server.invocation)
        described = self.known.find_description(tool_id) or {}
        harmless = is_read_only(described)

        def prepare(arguments: JsonObject) -> Effect:
            call = RemoteCall(
                connections=self.connections, server=server, tool=tool, arguments=arguments, is_idempotent=harmless,
                offers=str(described.get(OFFERS, "")), is_task=described.get(TASK) is True,
            )  # fmt: skip
            return Effect(
                tool=tool_id,
                arguments=arguments,
                needs_approval=not harmless,
                preview=f"{tool_id}\n{json.dumps(arguments, ensure_ascii=False, indent=2)}",
                scope=Scope(),
                before=server.digest,
                runs_in_plan=False,
                leaves_the_vault=True,
                perform=call.perform,
                cancel=call.cancel,
            )

        return prepare

    def connect(self, server: RemoteServer) -> list[JsonObject]:
        """Ask a server what it offers, and remember it. Raises ToolError where it cannot be reached."""
        tools = self.connections.wait(self.connections.submit(server, list_offered), server)
        self.known.remember(server, tools)
        return tools

    def log_in(self, server: RemoteServer, show: Show) -> list[JsonObject]:
        """Log in to a server with the browser, and remember what it offers. Raises ToolError or UsageError."""
        tools = asyncio.run(list_after_login(server, self.connections.desk, show))
        self.known.remember(server, tools)
        return tools

    def close(self) -> None:
        """End the connections."""
        self.connections.close()


@dataclass(kw_only=True)
class RemoteCall:
    """A call that can be cancelled from another thread."""

    connections: ServerConnections
    server: RemoteServer
    tool: str
    arguments: JsonObject
    is_idempotent: bool
    offers: str = ""
    """``resources`` or ``prompts`` where the tool is ours and stands for those of the server."""
    is_task: bool = False
    """The tool works in the background, and its result is fetched."""
    _future: Future[JsonValue] | None = None
    _asking: Asking | None = None
    _trace: dict[str, str] = field(default_factory=dict)

    def perform(self) -> JsonValue:
        """Make the call and wait for its result."""
        # Of the step that makes the call: the work itself is done in another thread.
        self._asking, self._trace = asking.get(), trace_headers()
        self._future = self.connections.submit(self.server, self._call, is_idempotent=self.is_idempotent)
        return self.connections.wait(self._future, self.server)

    def cancel(self) -> None:
        """Stop waiting for it."""
        if self._future is not None:
            self._future.cancel()

    async def _call(self, client: Client) -> JsonValue:
        name = f"{self.server.name}/{self.tool}"
        connection = self.connections.connection(self.server)
        connection.questions.begin(self._asking)
        connection.answers.refused = 0
        try:
            if self.offers:
                async with asyncio.timeout(self.server.timeout or ANSWER_SECONDS):
                    return require_value(await get_offered(client, self.offers, self.arguments), name)
            meta: Any = self._trace or None
            if self.is_task:
                called = await call_as_task(client, self.tool, self.arguments, self.server.timeout, meta)
            else:
                called = await client.call_tool(self.tool, self.arguments, self.server.timeout, meta=meta)
            return read_result(called, name)
        except Exception as error:
            if connection.answers.refused:
                raise ToolError(
                    "remote-unauthorized", server=self.server.name, status=connection.answers.refused
                ) from error
            raise translate_server_error(error, name, self.server) or error from error


class ServerConnections:
    """One connection for each server that has been used."""

    def __init__(self, desk: ClientDesk) -> None:
        self.desk = desk
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._open: dict[str, _Connection] = {}
        self._lock = threading.Lock()

    def submit(
        self, server: RemoteServer, work: Callable[[Client], Awaitable[Result]], *, is_idempotent: bool = True
    ) -> Future[Result]:
        """Begin work on a server; it is tried again after a broken connection only where that does no harm."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="paper-mcp-client", daemon=True)
                self._thread.start()
        run = self._run_again_if_lost if is_idempotent else self._run_once
        return asyncio.run_coroutine_threadsafe(run(server, work), self._loop)

    def wait(self, future: Future[Result], server: RemoteServer) -> Result:
        """The result. Raises ToolError where the server fails, and CancelledError where somebody cancelled."""
        # Connecting takes its own time, and each answer is limited where it is waited for.
        limit = CONNECT_SECONDS + (server.timeout or ANSWER_SECONDS)
        try:
            return future.result(limit)
        except ToolError:
            raise
        except concurrent.futures.CancelledError:
            raise CancelledError from None
        except TimeoutError:
            future.cancel()
            raise ToolError("remote-too-slow", server=server.name, seconds=f"{limit:g}") from None
        except BaseException as error:
            reason = explain(error).rstrip(".")
            raise ToolError("remote-unreachable", server=server.name, reason=reason, retryable=True) from error

    def connection(self, server: RemoteServer) -> _Connection:
        """The connection to a server that is connected."""
        return self._open[server.name]

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

    async def _run_again_if_lost(self, server: RemoteServer, work: Callable[[Client], Awaitable[Result]]) -> Result:
        known = server.name in self._open
        try:
            return await work(await self._client(server))
        except Exception as error:
            if not known or not is_connection_lost(error):
                raise
        # It has died since it was used last.
        await self._drop(server)
        return await work(await self._client(server))

    async def _run_once(self, server: RemoteServer, work: Callable[[Client], Awaitable[Result]]) -> Result:
        if server.name in self._open:
            # Make sure that somebody is there before something is sent that must not be sent twice.
            await self._run_again_if_lost(server, list_tools)
        return await work(await self._client(server))

    async def _client(self, server: RemoteServer) -> Client:
        connection = self._open.get(server.name)
        if connection is None or connection.server != server:
            await self._drop(server)
            connection = self._open[server.name] = _Connection(server, self.desk)
        try:
            return await connection.client()
        except BaseException:
            await self._drop(server)
            raise

    async def _drop(self, server: RemoteServer) -> None:
        if (connection := self._open.pop(server.name, None)) is not None:
            await connection.close()

    async def _close_all(self) -> None:
        connections, self._open = list(self._open.values()), {}
        await asyncio.gather(*(each.close() for each in connections), return_exceptions=True)


class _Connection:
    """The connection to one server, and the task that holds it: the library wants it opened and closed by one task."""

    def __init__(self, server: RemoteServer, desk: ClientDesk) -> None:
        self.server = server
        self._desk = desk
        self.questions = ServerQuestions(server.name, desk.sample)
        self.answers = HttpAnswers()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._task = asyncio.create_task(self.hold())

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

    async def hold(self) -> None:
        try:
            server = fill_in_secrets(self.server, self._desk.find_secret)
            secrets = [*server.env.values(), *server.headers.values(), server.token]
            with (
                ErrorOutput(self._desk.error_file(server), secrets) as errors,
                TemporaryDirectory(prefix="paper-mcp-", ignore_cleanup_errors=True) as private,
            ):
                try:
                    async with open_client(server, errors.sink, Path(private), self.questions, self.answers) as client:
                        self._ready.set_result(client)
                        await self._closing.wait()
                except Exception as error:
                    raise explain_failure(error, server, self.answers, errors) from error
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error if isinstance(error, Exception) else ConnectionError(str(error)))
                # Somebody may have stopped waiting: then nobody else looks at it.
                self._ready.exception()


def explain_failure(error: Exception, server: RemoteServer, answers: HttpAnswers, errors: ErrorOutput) -> Exception:
    """Why a server cannot be used, as far as it has said so itself."""
    if answers.refused in (401, 403):
        return ToolError("remote-unauthorized", server=server.name, status=answers.refused)
    if server.command and (told := errors.settle()):
        reason = explain(error).rstrip(".")
        return ToolError(
            "remote-unreachable", server=server.name, reason=reason, told=told, case="told", retryable=True
        )
    return error


async def list_after_login(server: RemoteServer, desk: ClientDesk, show: Show) -> list[JsonObject]:
    """The tools of a server that a person has just logged in to; the login is in the keyring then."""
    from mcp import Client  # noqa: PLC0415  the library is large

    filled = fill_in_secrets(server, desk.find_secret)
    try:
        async with (
            browser_login(filled, show) as login,
            Client(connect_over_http(filled, HttpAnswers(), login), read_timeout_seconds=LOGIN_SECONDS) as client,
        ):
            tools = await list_offered(client)
    except PaperError:
        raise
    except Exception as error:
        raise ToolError("remote-login-failed", server=server.name, reason=explain(error)) from error
    if login.context.current_tokens is not None and find_login(server.url) is None:
        raise ToolError("login-not-kept", server=server.name)
    return tools


def translate_server_error(error: Exception, tool: str, server: RemoteServer) -> ToolError | None:
    """A failure that the server itself has caused, though it is there and answers; None for any other."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415  the library is large
    from mcp_types import REQUEST_TIMEOUT  # noqa: PLC0415  see above
    from pydantic import ValidationError  # noqa: PLC0415  comes with the library

    if isinstance(error, MCPError) and error.error.code == REQUEST_TIMEOUT:
        return ToolError("remote-too-slow", server=server.name, seconds=f"{server.timeout or ANSWER_SECONDS:g}")
    if isinstance(error, MCPError) and not is_connection_lost(error):
        return ToolError("remote-tool-failed", tool=tool, reason=explain(error))
    if isinstance(error, ValidationError):
        return ToolError("remote-answer-invalid", tool=tool, reason=error.errors()[0]["msg"])
    # So it tells that an answer is not what the tool's own schema promises.
    if type(error) is RuntimeError:
        return ToolError("remote-answer-invalid", tool=tool, reason=explain(error).partition("\n")[0])
    return None


def is_connection_lost(error: BaseException) -> bool:
    """Whether the other side has gone, as opposed to having said no."""
    import anyio  # noqa: PLC0415  comes with the library
    import mcp_types as types  # noqa: PLC0415  see above
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415  see above

    if isinstance(error, MCPError):
        return error.error.code == types.CONNECTION_CLOSED
    return isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | OSError | TimeoutError)


def explain(error: BaseException) -> str:
    """What the first error inside a group of errors says."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error)[:500] or type(error).__name__
