"""Hangs the pages into the application that serves a vault."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from paperagents.interfaces.web import (
    agent_pages,
    approval_pages,
    editor_pages,
    preferences,
    run_pages,
    settings_pages,
    static_files,
    tool_pages,
)

PARTS = (static_files, agent_pages, preferences, run_pages, approval_pages, editor_pages, settings_pages, tool_pages)


def add_pages(app: FastAPI) -> None:
    """From here on, people are answered too, in their language."""
    for part in PARTS:
        app.include_router(part.router)
    app.add_middleware(preferences.SpeakTheReadersLanguage)
    app.add_middleware(preferences.RefuseQuietly)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)
