"""A server for the tests that wants a login; it lets everybody in who comes with a browser."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp_types import ToolAnnotations
from pydantic import AnyHttpUrl
from starlette.responses import Response


@dataclass
class OpenDoor(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everybody is let in; tokens can be taken away."""

    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    valid: set[str] = field(default_factory=set)
    issued: int = 0
    scopes: dict[str, list[str]] = field(default_factory=dict)
    """What each token is good for."""
    secrets: list[str | None] = field(default_factory=list)
    """What clients proved themselves with, or None."""

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = AuthorizationCode(
            code=f"code-{len(self.codes)}", scopes=params.scopes or [], expires_at=time.time() + 60,
            client_id=str(client.client_id), code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource,
        )  # fmt: skip
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002  as the library calls it
        authorization_code: str,
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    def issue(self, scopes: list[str]) -> OAuthToken:
        self.issued += 1
        self.scopes[f"token-{self.issued}"] = scopes
        self.valid.add(f"token-{self.issued}")
        return OAuthToken(
            access_token=f"token-{self.issued}",
            token_type="Bearer",
            expires_in=3600,
            refresh_token=f"again-{self.issued}",
        )

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        self.secrets.append(client.client_secret)
        return self.issue(authorization_code.scopes)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return RefreshToken(token=refresh_token, client_id=str(client.client_id), scopes=[])

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002  as above
        refresh_token: RefreshToken,  # noqa: ARG002  as above
        scopes: list[str],
    ) -> OAuthToken:
        return self.issue(scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="c", scopes=[]) if token in self.valid else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.valid.discard(token.token)


@dataclass
class SafeRoom:
    """Lets nobody call the tool ``safe`` whose token is not good for it."""

    app: Any
    door: OpenDoor

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body: Any = await receive() if scope["type"] == "http" and scope["path"] == "/mcp" else None
        token = dict(scope.get("headers", [])).get(b"authorization", b"").decode().removeprefix("Bearer ")
        if body and b'"name":"safe"' in body.get("body", b"") and "safe" not in self.door.scopes.get(token, ["safe"]):
            challenge = {"www-authenticate": 'Bearer error="insufficient_scope", scope="safe"'}
            await Response(status_code=403, headers=challenge)(scope, receive, send)
            return
        first = [body] if body else []
        await self.app(scope, lambda: _given(first.pop()) if first else receive(), send)


async def _given(value: Any) -> Any:
    return value


@contextmanager
def login_server(*, registers: bool = True) -> Iterator[tuple[str, OpenDoor]]:
    """Its address, and its door."""
    door = OpenDoor()
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    options = ClientRegistrationOptions(enabled=registers, default_scopes=["safe"])
    auth = AuthSettings(
        issuer_url=AnyHttpUrl(url),
        resource_server_url=AnyHttpUrl(f"{url}/mcp"),
        client_registration_options=options,
        validate_token_resource=False,
    )
    server = MCPServer("door", auth=auth, auth_server_provider=door)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def inside() -> str:
        """Only for those who are in."""
        return "welcome"

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def safe() -> str:
        """Only for those who have the key."""
        return "gold"

    app = uvicorn.Server(uvicorn.Config(SafeRoom(server.streamable_http_app(), door), log_level="error"))
    thread = threading.Thread(target=lambda: app.run(sockets=[listener]))
    thread.start()
    try:
        yield f"{url}/mcp", door
    finally:
        app.should_exit = True
        thread.join(10)
        listener.close()
