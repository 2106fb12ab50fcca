"""Agents on model servers that others have written: aimock, and LiteLLM's proxy before aimock as four providers.

    python -I bench/foreign_models.py [SCENE …]

Each scene is one question to an agent; a judge looks at the record, and at what arrived at the provider. The proxy
speaks our interface on one side and the provider's own on the other: what it cannot translate back, was lost by us.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import paperagents  # noqa: E402  the folder of the others is known only now
from installed_peers import node_peer, python_peer, versions  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

Json = dict[str, Any]
KEY = f"sk-{token_hex(32)}"
READ = {"name": "read_file", "arguments": '{"filePath": "a.md"}'}
OTHER = {"name": "read_file", "arguments": '{"filePath": "b.md"}'}
AGENT = """---
agent: true
name: helper
description: Helps.
model: {}
tools: [read_file]
memory: false
{}
---
Help.
"""
ROUTED = {"provider_name": "Google", "raw": '{"error": {"message": "the reasoning is missing"}}'}
OPENAI, ROUTER, PROXY = "aimock as OpenAI", "aimock as OpenRouter", "LiteLLM"
PROVIDERS = ("openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro")
WAYS = (OPENAI, ROUTER, *(f"{PROXY} before {each.partition('/')[0]}" for each in PROVIDERS))
CALLING = WAYS[:4]
"""As Gemini, aimock does not read results of calls in the proxy's spelling."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What came of one question."""

    way: str
    record: paperagents.RunRecord
    asked: list[Json]
    """The requests that arrived at the provider, in its own form."""

    @property
    def code(self) -> str:
        """The error, if there was one."""
        return str(self.record.error["code"]) if self.record.error else ""

    def details(self) -> Json:
        """Those of the error."""
        error: Any = self.record.error or {}
        return error.get("details") or {}

    def last_request(self) -> str:
        """The last one, as text."""
        return json.dumps(self.asked[-1]) if self.asked else ""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A question, what the provider says to it, and who judges that."""

    turns: list[Json]
    judge: Callable[[Told], bool]
    front: str = ""
    ways: tuple[str, ...] = WAYS
    options: Json = field(default_factory=dict)
    """How the first turn is sent."""


def reads_both(told: Told) -> bool:
    """Both files were read, and both results went back."""
    return told.record.data == "Both read." and all(each in told.last_request() for each in ("peas grow", "kale grows"))


SCENES = {
    "streams": Scene(
        turns=[{"content": "Peas, beans and kale. " * 40, "usage": {"prompt_tokens": 11, "completion_tokens": 7}}],
        judge=lambda told: (
            told.record.data == ("Peas, beans and kale. " * 40).strip() and (usage := told.record.usage) is not None
            and usage.output_tokens > 0
        ),
    ),
    "parallel calls": Scene(
        turns=[{"toolCalls": [READ, OTHER]}, {"content": "Both read."}], judge=reads_both, ways=CALLING
    ),
    "text and a call": Scene(
        turns=[{"content": "I look.", "toolCalls": [READ]}, {"content": "Read."}],
        judge=lambda told: told.record.data == "Read." and "peas grow" in told.last_request(),
        ways=CALLING,
    ),
    "a broken call": Scene(
        turns=[{"toolCalls": [{"name": "read_file", "arguments": '{"filePath": "a.m'}]}, {"content": "I give up."}],
        judge=lambda told: told.record.data == "I give up." and told.record.execution_log[2]["status"] == "error",
        ways=(OPENAI, ROUTER, WAYS[2]),
    ),
    "a call of an unknown tool": Scene(
        turns=[{"toolCalls": [{"name": "rm_all", "arguments": "{}"}]}, {"content": "I give up."}],
        judge=lambda told: told.record.data == "I give up.",
        ways=CALLING,
    ),
    "reasoning goes back": Scene(
        turns=[
            {"reasoning": "The garden note says it.", "reasoningSignature": "c2lnbmVk", "toolCalls": [READ]},
            {"content": "Read."},
        ],
        front="reasoning: high",
        # As Anthropic, aimock refuses a request without the signed reasoning, and keeps it out of its journal.
        judge=lambda told: told.record.data == "Read."
        and (told.way == WAYS[3] or "The garden note says it." in told.last_request()),
        ways=(OPENAI, ROUTER, WAYS[3]),
    ),
    "reasoning is no answer": Scene(
        turns=[{"reasoning": "Hm, let me see.", "content": "Yes."}], judge=lambda told: told.record.data == "Yes."
    ),
    "429, then an answer": Scene(
        turns=[{"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1},
               {"content": "At last."}],
        judge=lambda told: told.record.data == "At last.",
    ),
    "an answer that breaks off": Scene(
        turns=[{"content": "Peas, beans and kale. " * 20}, {"content": "Whole."}],
        options={"truncateAfterChunks": 3, "chunkSize": 10},
        judge=lambda told: told.record.data == "Whole.",
    ),
    "a cut": Scene(
        turns=[{"content": "The three reasons", "finishReason": "length"}],
        judge=lambda told: told.code == "answer-cut" and told.details().get("text") == "The three reasons",
    ),
    "a filter": Scene(
        turns=[{"content": "Well,", "finishReason": "content_filter"}],
        judge=lambda told: told.code == "answer-filtered" and len(told.asked) == 1,
        # Anthropic's interface has no such end.
        ways=(OPENAI, ROUTER, WAYS[2], WAYS[4]),
    ),
    "too long": Scene(
        turns=[{"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages "
                                     "resulted in 9000 tokens.", "type": "invalid_request_error",
                          "code": "context_length_exceeded"}, "status": 400}],
        judge=lambda told: told.code == "model-refused" and "context_tokens" in str(told.record.error)
        and len(told.asked) == 1,
    ),
    "another model": Scene(
        turns=[{"error": {"message": "gone", "type": "not_found_error"}, "status": 404}, {"content": "Here."}],
        front="fallback: [{model}]",
        judge=lambda told: told.record.data == "Here." and bool(told.record.warnings),
    ),
    "no other model after 401": Scene(
        turns=[{"error": {"message": "wrong key", "type": "authentication_error"}, "status": 401}],
        front="fallback: [{model}]",
        judge=lambda told: told.code == "model-refused" and len(told.asked) == 1,
    ),
    "a typed answer": Scene(
        turns=[{"content": '{"total": 3}'}],
        front="output: {type: object, properties: {total: {type: integer}}, required: [total], "
              "additionalProperties: false}",
        judge=lambda told: told.record.data == {"total": 3},
    ),
    "cost": Scene(
        turns=[{"content": "Dear.", "usage": {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.25,
                                              "prompt_tokens_details": {"cached_tokens": 5}}}],
        judge=lambda told: (usage := told.record.usage) is not None and (usage.cost, usage.cached_tokens) == (0.25, 5),
        ways=(ROUTER,),
    ),
    "the provider's reason": Scene(
        turns=[{"error": {"message": "Provider returned error", "metadata": ROUTED}, "status": 400}],
        front="protocol: native",
        judge=lambda told: "the reasoning is missing" in str(told.record.error),
        ways=(ROUTER,),
    ),
}  # fmt: skip


def measure(names: tuple[str, ...] = ()) -> list[Row]:
    """A row for each way; none where the servers cannot be installed."""
    modules, proxy = node_peer("aimock"), python_peer("litellm-venv")
    if modules is None:
        return []
    scenes = {name: scene for name, scene in SCENES.items() if not names or name in names}
    with tempfile.TemporaryDirectory() as folder, aimock(modules, scenes, Path(folder)) as provider:
        bases = {OPENAI: f"{provider}/v1", ROUTER: f"{provider}/api/v1"}
        with litellm(proxy, provider, Path(folder)) if proxy is not None else nullcontext() as address:
            bases |= {way: f"{address}/v1" for way in WAYS[2:] if address is not None}
            ways = [Way(name=way, base_url=base, provider=provider, folder=Path(folder)) for way, base in bases.items()]
            return [way.row(scenes) for way in ways]


def peers() -> dict[str, str]:
    """The versions of the servers."""
    return versions("aimock", "litellm-venv")


# --- one way


@dataclass(frozen=True, kw_only=True)
class Way:
    """How agents reach the provider."""

    name: str
    base_url: str
    provider: str
    """The address of aimock."""
    folder: Path

    @property
    def model(self) -> str:
        """The one that is asked."""
        provider = self.name.rpartition(" ")[2]
        return next((each for each in PROVIDERS if each.startswith(f"{provider}/")), PROVIDERS[0])

    def row(self, scenes: dict[str, Scene]) -> Row:
        """How many scenes are right."""
        tried = {name: scene for name, scene in scenes.items() if self.name in scene.ways}
        failed = [name for name, scene in tried.items() if not self.is_right(name, scene)]
        ours = f"{len(tried) - len(failed)} of {len(tried)}" + (f" (not: {', '.join(failed)})" if failed else "")
        return Row(bench="foreign_models", measure=f"scenes, {self.name}", ours=ours, bar="all", met=not failed)

    def is_right(self, name: str, scene: Scene) -> bool:
        """Ask one question and judge what came of it."""
        root = self.folder / f"{self.name} {name}"
        (root / ".paper").mkdir(parents=True)
        front = scene.front.replace("{model}", self.model)
        notes = {"a.md": "Here peas grow.", "b.md": "Here kale grows.", "helper.md": AGENT.format(self.model, front)}
        for file, text in notes.items():
            (root / file).write_text(text, encoding="utf-8")
        os.environ |= {"PAPER_LLM_BASE_URL": self.base_url, "PAPER_LLM_API_KEY": KEY,
                       "XDG_CONFIG_HOME": str(self.folder / "config")}  # fmt: skip
        send("POST", f"{self.provider}/__aimock/reset/journal")
        vault = paperagents.open_vault(root)
        try:
            made = vault.run("helper", {"query": question(name, self.name)})
        finally:
            vault.close()
        asked = [each["body"] for each in json.loads(send("GET", f"{self.provider}/__aimock/journal"))]
        told = Told(way=self.name, record=made, asked=asked)
        if scene.judge(told):
            return True
        shown = f"{made.status} {made.data!r:.200} {made.error}\n  last: {told.last_request()[-1500:]}"
        print(f"{self.name}, {name}: {shown}", file=sys.stderr)
        return False


# --- the servers


@contextmanager
def aimock(modules: Path, scenes: dict[str, Scene], folder: Path) -> Iterator[str]:
    """The address of an aimock that knows all scenes."""
    fixtures = folder / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": [*all_fixtures(scenes)]}), encoding="utf-8")
    port = free_port()
    program = modules / "@copilotkit" / "aimock" / "dist" / "cli.js"
    command = [
        "node",
        str(program),
        "--port",
        str(port),
        "--fixtures",
        str(fixtures),
        "--strict",
        "--log-level",
        "warn",
    ]
    with running(command, {}, f"http://127.0.0.1:{port}/health") as address:
        yield address


def all_fixtures(scenes: dict[str, Scene]) -> Iterator[Json]:
    """The turns of all scenes, in the order in which they are asked for."""
    for name, scene in scenes.items():
        for way in scene.ways:
            for number, turn in enumerate(scene.turns):
                options = scene.options if number == 0 else {}
                match = {"userMessage": question(name, way), "sequenceIndex": number}
                yield {"match": match, "response": turn, **options}


def question(name: str, way: str) -> str:
    """What is asked; no other scene, and no other way, has it."""
    return f"Scene {name}, {way}."


@contextmanager
def litellm(python: Path, provider: str, folder: Path) -> Iterator[str]:
    """The address of a proxy before the providers that aimock plays."""
    models = [
        {"model_name": model, "litellm_params": {"model": model, "api_base": base, "api_key": "sk-peer"}}
        for model, base in zip(PROVIDERS, (f"{provider}/v1", provider, f"{provider}/v1beta"), strict=True)
    ]
    config = folder / "litellm.json"
    config.write_text(json.dumps({"model_list": models, "litellm_settings": {"num_retries": 0}}), encoding="utf-8")
    port = free_port()
    command = [str(python.with_name("litellm")), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    # It would load its prices from the web, and tell its makers that it runs.
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY, "HOME": str(folder)}
    with running(
        [*command, "--telemetry", "False"], environment, f"http://127.0.0.1:{port}/health/liveliness"
    ) as address:
        yield address


@contextmanager
def running(command: list[str], environment: dict[str, str], healthy: str) -> Iterator[str]:
    """A server, once it is healthy."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    ) as process:
        try:
            deadline = time.monotonic() + 180
            while not send("GET", healthy):
                assert process.poll() is None, f"{command[0]} has ended"
                assert time.monotonic() < deadline, f"{command[0]} does not answer"
                time.sleep(0.2)
            yield healthy.rpartition("/health")[0]
        finally:
            process.terminate()
            process.wait(30)


def send(method: str, address: str) -> str:
    """The answer to a request; nothing where there is none."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=10) as answer:
            return str(answer.read().decode())
    except (urllib.error.URLError, OSError):
        return ""


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


if __name__ == "__main__":
    chosen = tuple(sys.argv[1:])
    record("foreign_models", lambda: measure(chosen), peers) if not chosen else print(*measure(chosen), sep="\n")
