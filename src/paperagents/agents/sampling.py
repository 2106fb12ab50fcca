"""One answer of the user's language model, for a server that asked for it."""

from __future__ import annotations

from pathlib import Path

from paperagents.agents.model import Listener, ModelRequest, model_access
from paperagents.definitions.json_value import JsonObject
from paperagents.sandbox import Cancellation
from paperagents.settings import Settings


def sample_model(settings: Settings, root: Path, messages: list[JsonObject]) -> tuple[str, str]:
    """The name of the model that the settings name, and its answer. Raises UsageError or ToolError."""
    from paperagents.agents.client import ChatModel  # noqa: PLC0415  the HTTP library is large

    access = model_access(settings, root)
    name = str(settings.get("llm.model") or "")
    client = ChatModel(access.base_url, access.key)
    try:
        request = ModelRequest(agent="", turn=1, model=name, messages=tuple(messages))
        return name, client.answer(request, Listener(), Cancellation()).text
    finally:
        client.close()
