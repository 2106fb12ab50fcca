"""``HEAD``: the answer to ``GET`` without its body."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from paperagents.interfaces.serving.guard import Application, Message, Receive, Scope, Send


@dataclass(frozen=True, kw_only=True)
class AnswerHead:
    """An ASGI application around one that knows ``GET`` alone."""

    app: Application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask for the whole answer, and send its beginning."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self._answer({**scope, "method": "GET"}, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = asyncio.Event()

        async def send_beginning(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                begun.set()

        answering = asyncio.ensure_future(self.app(scope, receive, send_beginning))
        waiting = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait({answering, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.is_set():
                await answering
        finally:
            # The rest is for nobody, and a stream of events would never end.
            waiting.cancel()
            answering.cancel()
            await asyncio.gather(answering, waiting, return_exceptions=True)
