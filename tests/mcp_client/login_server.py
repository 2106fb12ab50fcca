"""A server for the tests that wants a login; it lets everybody in who comes with a browser."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

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


@dataclass
class OpenDoor(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everybody is let in; tokens can be taken away."""

    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    valid: set[str] = field(default_factory=set)
    issued: int = 0

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

    def issue(self) -> OAuthToken:
        self.issued += 1
        self.valid.add(f"token-{self.issued}")
        return OAuthToken(
            access_token=f"token-{self.issued}",
            token_type="Bearer",
            expires_in=3600,
            refresh_token=f"again-{self.issued}",
        )

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002  as above
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self.issue()

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return RefreshToken(token=refresh_token, client_id=str(client.client_id), scopes=[])

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002  as above
        refresh_token: RefreshToken,  # noqa: ARG002  as above
        scopes: list[str],  # noqa: ARG002  as above
    ) -> OAuthToken:
        return self.issue()

    async def load_access_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="c", scopes=[]) if token in self.valid else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.valid.discard(token.token)


@contextmanager
def login_server() -> Iterator[tuple[str, OpenDoor]]:
    """Its address, and its door."""
    door = OpenDoor()
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    options = ClientRegistrationOptions(enabled=True)
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

    app = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error"))
    thread = threading.Thread(target=lambda: app.run(sockets=[listener]))
    thread.start()
    try:
        yield f"{url}/mcp", door
    finally:
        app.should_exit = True
        thread.join(10)
        listener.close()
