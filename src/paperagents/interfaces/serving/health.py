"""Health and figures of ``paper serve``: the paths and answers of a worker."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from paperagents.cluster.operations import answer
from paperagents.interfaces.serving.rest_answers import Json
from paperagents.vault import Vault

LONGEST = 5.0
"""Seconds to wait for the database; one that takes longer is as good as none."""
Answer = tuple[int, str, bytes]


def health_routes(vault: Vault) -> APIRouter:
    """``/health`` and ``/ready``, which everybody may ask and which tell yes or no, and ``/metrics``."""
    router = APIRouter(include_in_schema=False)
    looking: dict[str, asyncio.Future[Answer]] = {}

    async def look(path: str) -> Answer:
        """Whoever comes while somebody looks shares what is found: strangers cannot take all threads."""
        if path not in looking or looking[path].done():
            looking[path] = asyncio.ensure_future(asyncio.to_thread(answer, vault, path))
        shared = looking[path]
        done, _ = await asyncio.wait({shared}, timeout=LONGEST)
        return shared.result() if done else (503, "text/plain; charset=utf-8", b"")

    @router.get("/health")
    async def health() -> Response:
        status, *_ = answer(vault, "/health")
        return Json({"alive": status == 200}, status_code=status)

    @router.get("/ready")
    async def ready() -> Response:
        status, *_ = await look("/ready")
        return Json({"ready": status == 200}, status_code=status)

    @router.get("/metrics")
    async def metrics() -> Response:
        status, kind, body = await look("/metrics")
        return Response(body, status_code=status, headers={"content-type": kind})

    return router
