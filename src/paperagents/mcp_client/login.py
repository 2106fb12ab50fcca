"""Logging in to a server with the browser: OAuth 2.1 with PKCE, kept in the system's keyring.

The address that the browser comes back to is on this computer, at a port that is open for this one login.
"""

from __future__ import annotations

import asyncio
import html
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError, UsageError
from paperagents.mcp_client.servers import RemoteServer
from paperagents.messages import text

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken

KEYRING = "paperagents"
NAME = "Paper Agents"
LOGIN_SECONDS = 300.0
_LONGEST_REQUEST = 16_384
Codes = asyncio.Queue["AuthorizationCodeResult | ConnectionError"]
"""What the browser has come back with."""
Show = Callable[[str], Awaitable[None]]
"""Brings a person to an address."""


class LoginStore:
    """What a server gave at the login, in the form in which the library asks for it."""

    def __init__(self, address: str, kept: JsonObject | None = None) -> None:
        self._address = address
        self.kept: JsonObject = {} if kept is None else kept

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, where there are any."""
        from mcp.shared.auth import OAuthToken  # noqa: PLC0415  the library is large

        found = self.kept.get("tokens")
        return OAuthToken.model_validate(found) if found else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens; after a renewal the old ones are worth nothing."""
        self.kept["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
        self.kept["expires_at"] = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        await asyncio.to_thread(self.save)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Who we are for this server."""
        from mcp.shared.auth import OAuthClientInformationFull  # noqa: PLC0415  see above

        found = self.kept.get("client")
        return OAuthClientInformationFull.model_validate(found) if found else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep who we are."""
        self.kept["client"] = client_info.model_dump(mode="json", exclude_none=True)

    def save(self) -> bool:
        """Whether the keyring has taken it: some accept it and store nothing."""
        import keyring  # noqa: PLC0415  it looks around in the system when it is loaded

        written = json.dumps(self.kept)
        try:
            keyring.set_password(KEYRING, f"mcp:{self._address}", written)
            return keyring.get_password(KEYRING, f"mcp:{self._address}") == written
        except Exception:
            return False


def find_login(address: str) -> LoginStore | None:
    """The login that was kept for an address; whatever is wrong with it, there is just none."""
    import keyring  # noqa: PLC0415  see above

    try:
        kept = json.loads(keyring.get_password(KEYRING, f"mcp:{address}") or "null")
    except Exception:
        return None
    return LoginStore(address, kept) if isinstance(kept, dict) and kept.get("tokens") else None


def kept_login(server: RemoteServer) -> OAuthClientProvider | None:
    """The authorization of requests to a server that somebody has logged in to; nobody is sent to a browser."""
    named = {"authorization"} & {name.lower() for name in server.headers}
    store = find_login(server.url) if not server.token and not named else None
    if store is None:
        return None

    async def refuse(address: str) -> None:
        # A call may need more than the login was for; the next one asks for it.
        if scope := parse_qs(urlsplit(address).query).get("scope"):
            store.kept["scope"] = scope[0]
            await asyncio.to_thread(store.save)
        raise ToolError("remote-unauthorized", server=server.name, status=401)

    async def never() -> None:
        raise AssertionError("nobody was sent anywhere")

    provider = make_provider(server, store, "http://127.0.0.1/callback", refuse, never)
    expires_at = store.kept.get("expires_at")
    # The library knows only what it was told in this process; an old token is renewed before it is used.
    provider.context.token_expiry_time = expires_at if isinstance(expires_at, int | float) else None
    return provider


def make_provider(
    server: RemoteServer, store: LoginStore, back: str, show: Show, wait: Callable[[], Awaitable[Any]]
) -> OAuthClientProvider:
    """The library's authorization for the requests to one server.

    Where the settings do not say who we are, we register at the server ourselves.
    """
    from mcp.client.auth import OAuthClientProvider  # noqa: PLC0415  see above
    from mcp.shared.auth import OAuthClientMetadata  # noqa: PLC0415  see above

    ourselves = OAuthClientMetadata.model_validate({
        "client_name": NAME,
        "redirect_uris": [back],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    })  # fmt: skip
    document = server.client_id if server.client_id.startswith("https://") else None
    if server.client_id and document is None:
        method = "client_secret_basic" if server.client_secret else "none"
        store.kept["client"] = {
            **ourselves.model_dump(mode="json", exclude_none=True), "client_id": server.client_id,
            "client_secret": server.client_secret or None, "token_endpoint_auth_method": method,
        }  # fmt: skip
    return OAuthClientProvider(
        server.url, ourselves, store, redirect_handler=show, callback_handler=wait, client_metadata_url=document
    )


@asynccontextmanager
async def browser_login(server: RemoteServer, show: Show) -> AsyncIterator[OAuthClientProvider]:
    """Inside, requests that the server refuses bring the person to its login page. Raises UsageError for a command."""
    if not server.url:
        raise UsageError("login-needs-address", server=server.name)
    found: Codes = asyncio.Queue(maxsize=1)
    listener = await asyncio.start_server(lambda *streams: take_code(found, *streams), "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    scope = await asyncio.to_thread(take_scope, server.url)

    async def show_anew(address: str) -> None:
        # A server may ask for more in the middle; the code of a page that was opened twice is worth nothing then.
        while not found.empty():
            found.get_nowait()
        await show(add_scope(address, scope))

    async def wait() -> AuthorizationCodeResult:
        async with asyncio.timeout(LOGIN_SECONDS):
            code = await found.get()
        if isinstance(code, ConnectionError):
            raise code
        return code

    async with listener:
        store = LoginStore(server.url, {"scope": scope} if scope else None)
        yield make_provider(server, store, f"http://127.0.0.1:{port}/callback", show_anew, wait)


def take_scope(address: str) -> str:
    """The rights that calls were refused without; asked for once, since a server may refuse a login for them."""
    if (before := find_login(address)) is None or not (scope := before.kept.pop("scope", "")):
        return ""
    before.save()
    return str(scope)


def add_scope(address: str, scope: str) -> str:
    """The address of a login page, with more rights."""
    parts = urlsplit(address)
    asked = parse_qs(parts.query, keep_blank_values=True)
    words = dict.fromkeys(" ".join([*asked.get("scope", []), scope]).split())
    return (
        parts._replace(query=urlencode({**asked, "scope": [" ".join(words)]}, doseq=True)).geturl()
        if scope
        else address
    )


async def take_code(found: Codes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the browser that comes back; the first code counts, and the library looks whether it is ours."""
    from mcp.shared.auth import AuthorizationCodeResult  # noqa: PLC0415  see above

    try:
        line = (await asyncio.wait_for(reader.readuntil(b"\n"), 10))[:_LONGEST_REQUEST].decode("latin-1")
        target = urlsplit(line.split(" ")[1] if line.count(" ") > 1 else "")
        given = {name: values[0] for name, values in parse_qs(target.query).items()}
        words = given.get("error_description") or given.get("error")
        if target.path == "/callback" and not found.full() and ("code" in given or words):
            if words:
                found.put_nowait(ConnectionError(words[:500]))
            else:
                iss, state = given.get("iss"), given.get("state")
                found.put_nowait(AuthorizationCodeResult(code=given["code"], state=state, iss=iss))
        page = html.escape(words[:500] if words else text("mcp.login.done")).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {len(page)}\r\n"
        writer.write(f"{head}connection: close\r\n\r\n".encode() + page)
        await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()
