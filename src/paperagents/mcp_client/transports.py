"""How a server is reached: its command is started, or its address is called; and what it may ask of us."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from paperagents.mcp_client.asking import Sample, ServerQuestions
from paperagents.mcp_client.login import kept_login
from paperagents.mcp_client.remote_tools import ANSWER_SECONDS
from paperagents.mcp_client.servers import FindSecret, RemoteServer
from paperagents.mcp_client.vault_files import copy_command
from paperagents.secrets.environment import EnvironmentStore
from paperagents.values import dataclass

if TYPE_CHECKING:
    import httpx2
    import mcp_types as types
    from mcp import Client

CONNECT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class ClientDesk:
    """What a vault has for its servers."""

    find_secret: FindSecret
    error_file: Callable[[RemoteServer], Path]
    """Where the standard error of a server is kept."""
    sample: Sample


def find_secret(
    kept: EnvironmentStore, mask: Callable[[list[str]], None], server: RemoteServer, name: str
) -> str | None:
    """A secret that the user has given to a server, else a variable of this process; from now on it is masked."""
    value = kept.values(server.service).get(name) or os.environ.get(name)
    if value is not None:
        mask([value])
    return value


class HttpAnswers:
    """Remembers how a server at an address has refused: the library tells only that it did."""

    def __init__(self) -> None:
        self.refused = 0

    async def note(self, response: httpx2.Response) -> None:
        """A hook for every response."""
        if response.status_code in (401, 403):
            self.refused = response.status_code


def open_client(
    server: RemoteServer, errors: TextIO, private: Path, questions: ServerQuestions, answers: HttpAnswers
) -> Client:
    """A client that starts the server's command, or calls its address.

    What a vault names is started in the private folder, from copies: what is started is what somebody agreed to.
    """
    from mcp import Client  # noqa: PLC0415  the library is large
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415  see above

    if server.command:
        command, folder = list(server.command), server.folder
        if server.from_vault:
            command, folder = copy_command(server.command, server.folder, private), private
        started = StdioServerParameters(command=command[0], args=command[1:], cwd=folder, env=dict(server.env))
        streams: Any = stdio_client(started, errlog=errors)
    else:
        streams = connect_over_http(server, answers, kept_login(server))
    return Client(
        streams,
        read_timeout_seconds=ANSWER_SECONDS,
        list_roots_callback=list_roots(server.folder),
        elicitation_callback=questions.elicit,
        sampling_callback=questions.sample,
    )


@asynccontextmanager
async def connect_over_http(
    server: RemoteServer, answers: HttpAnswers, login: httpx2.Auth | None = None
) -> AsyncIterator[Any]:
    """The streams of a server that is reached at an address."""
    import httpx2  # noqa: PLC0415  comes with the library
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415  the library is large

    token = {"authorization": f"Bearer {server.token}"} if server.token else {}
    headers = {**token, **{name.lower(): value for name, value in server.headers.items()}}
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=max(server.timeout or 0, ANSWER_SECONDS))
    hooks = {"response": [answers.note]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks, auth=login) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


def list_roots(folder: Path) -> Any:
    """Tells a server that asks for it where the vault is; a server that a vault brings learns that, and no more."""

    async def answer(_: Any) -> types.ListRootsResult:
        import mcp_types as types  # noqa: PLC0415  see above

        root = types.Root.model_validate({"uri": folder.resolve().as_uri(), "name": folder.name})
        return types.ListRootsResult(roots=[root])

    return answer
