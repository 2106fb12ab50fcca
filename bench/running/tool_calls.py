"""A plain tool call in other frameworks; run by their own Python in ``bench/peers/tools-venv``.

One line in: a framework and how many calls. One JSON line out: the seconds of one call.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from langchain_core.tools import tool  # type: ignore[import-not-found]  # installed for the peers only
from pydantic_ai import Agent  # type: ignore[import-not-found]  # the same
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart  # type: ignore[import-not-found]
from pydantic_ai.models.function import AgentInfo, FunctionModel  # type: ignore[import-not-found]  # the same


def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


def langchain(calls: int) -> float:
    """Seconds of one ``invoke``: arguments validated, the function called, callbacks told."""
    shouting = tool(shout)
    return _each(lambda: shouting.invoke({"text": "a"}), calls)


def pydantic_ai(calls: int) -> float:
    """Seconds of one turn with a tool call, asked for by a scripted model that costs nothing."""

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        if len(messages) < 2 * calls:
            return ModelResponse(parts=[ToolCallPart("shout", {"text": "a"})])
        return ModelResponse(parts=[TextPart("done")])

    agent = Agent(FunctionModel(answer), tools=[shout])
    return _each(lambda: agent.run_sync("go", usage_limits=None), 1) / calls


def _each(action: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - started) / times


def main() -> None:
    """Answer until nobody asks any more."""
    for line in sys.stdin:
        framework, calls = line.split()
        seconds = langchain(int(calls)) if framework == "langchain" else pydantic_ai(min(int(calls), 20))
        print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
