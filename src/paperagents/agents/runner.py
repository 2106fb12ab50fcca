"""Answers a call of an agent: chooses the model, makes the prompt, opens the conversation, and lets the loop run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paperagents.agents import conversation as notes
from paperagents.agents.dialogue import CHARACTERS, Dialogue
from paperagents.agents.limits import Patience, Spending
from paperagents.agents.loop import NO_MODEL, AgentLoop, AgentRun, Calls
from paperagents.agents.model import LanguageModel, model_access, origin_of
from paperagents.agents.prompt import last_errors, planned, remembered, system_prompt
from paperagents.agents.scripted_model import SCHEME, read_script, read_script_file
from paperagents.agents.toolbox import Toolbox, toolbox_of
from paperagents.calls.references import Names
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import slug
from paperagents.definitions.tool import CONVERSATION, QUERY, AgentDefinition
from paperagents.errors import PlanEndsError, ToolError
from paperagents.registry.entry import Entry
from paperagents.runs.chain import within
from paperagents.runs.log import Frame, Place
from paperagents.settings import Settings
from paperagents.tags import TagRegistry

MOST_AGENTS = 5
"""Agents that ask agents: so deep."""
OPENROUTER = "https://openrouter.ai"
AUTOMATIC = "openrouter/auto"
OWN_MODEL = "given"
"""In the record of a run that was given a model of the caller's own."""


@dataclass(frozen=True, kw_only=True)
class AgentRunner:
    """The agents of one vault."""

    root: Path
    settings: Settings
    entries: Callable[[], Sequence[Entry]]
    tags: Callable[[], TagRegistry]
    read_note: Callable[[str], str]
    patience: Patience = field(default_factory=Patience)
    _models: dict[str, LanguageModel] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, calls: Calls, frame: Frame) -> JsonValue:
        """The final answer of the agent to the query."""
        agent = frame.tool.agent
        assert agent is not None
        if frame.agents >= MOST_AGENTS:
            raise ToolError("agents-too-deep", limit=MOST_AGENTS, tool=agent.id)
        if calls.session.plan is not None:
            self._plan(calls, agent, frame)
        with within(_seconds(agent, frame), calls.session, code="agent-timeout"):
            return self._run(calls, agent, frame)

    def close(self) -> None:
        """Let go of the connections to models."""
        with self._lock:
            for model in self._models.values():
                if callable(close := getattr(model, "close", None)):
                    close()
            self._models.clear()

    def _run(self, calls: Calls, agent: AgentDefinition, frame: Frame) -> JsonValue:
        box = toolbox_of(agent, self.entries(), calls.services.find_tool)
        start = self._started(calls, agent, frame, box)
        if calls.session.model is None and start["chosen_by"] == "person" and start["model"] != OWN_MODEL:
            # Also the agents below think with this model, and also when the run goes on later.
            calls.session.model = start["model"]
        model, name = self._model(calls, str(start["model"]))
        with self._conversation(calls, agent, frame, start.get(CONVERSATION)) as conversation:
            history = notes.as_messages(conversation.history) if conversation is not None else []
            query = str(frame.arguments[QUERY])
            if conversation is not None:
                conversation.add("you", query)
            dialogue = self._dialogue(calls, agent, frame, box, history)
            above = frame.spending if isinstance(frame.spending, Spending) else None
            spending = Spending(budget=agent.budget, above=above)
            inner = replace(frame, forgives=True, granted=box.granted, agents=frame.agents + 1, spending=spending,
                            replays=False)  # fmt: skip
            run = AgentRun(
                agent=agent, calls=calls, frame=inner, model=model, model_name=name, toolbox=box, tags=self.tags(),
                dialogue=dialogue, spending=spending, conversation=conversation, patience=self.patience,
            )  # fmt: skip
            return AgentLoop(run).run()

    def _started(self, calls: Calls, agent: AgentDefinition, frame: Frame, box: Toolbox) -> JsonObject:
        """What the run is made with, written down first: a run that goes on is made with the same."""
        place = Place(path="start", step=1, block="preprocess", name=agent.id)
        if (done := frame.log.replayed(place)) is not None:
            assert isinstance(done["output"], dict)
            return done["output"]
        with frame.log.block(place, frame.arguments) as entry:
            chosen_by = "note" if calls.session.model is None else "person"
            start: JsonObject = {"model": self._choice(calls, agent), "chosen_by": chosen_by, "tools": [*box.tools]}
            if frame.depth == 1 and calls.services.store is not None:
                start[CONVERSATION] = frame.arguments.get(CONVERSATION) or _new_name(agent, frame)
            entry.output = start
        if calls.services.store is not None:
            # Before a word of it stands in the note: a conversation has a run that can go on.
            calls.services.store.flush()
        return start

    def _dialogue(
        self, calls: Calls, agent: AgentDefinition, frame: Frame, box: Toolbox, history: list[JsonObject]
    ) -> Callable[[bool], Dialogue]:
        services = calls.services
        known: dict[str, JsonValue] = {each.name: None for each in frame.tool.parameters}
        given = {**known, **frame.arguments}
        names = Names(arguments=given, declared=frozenset(known), input=frame.arguments, built_in=frame.clock)
        kept = remembered(services.entries, self._last_errors(calls, agent, frame)) if agent.memory else ""

        def dialogue(tags: bool) -> Dialogue:  # noqa: FBT001  one question with two answers
            prompt = system_prompt(agent, names, services.vault_content, box, tags=tags, remembered=kept)
            return Dialogue(prompt, history, str(frame.arguments[QUERY]), CHARACTERS)

        return dialogue

    def _last_errors(self, calls: Calls, agent: AgentDefinition, frame: Frame) -> list[str]:
        store = calls.services.store
        runs = store.history(tool=agent.id, limit=2, nested=False) if store is not None else []
        before = next((str(run["run_id"]) for run in runs if run["run_id"] != frame.root_run), None)
        return last_errors(store.record(before).execution_log) if store is not None and before is not None else []

    @contextmanager
    def _conversation(
        self, calls: Calls, agent: AgentDefinition, frame: Frame, name: JsonValue
    ) -> Iterator[notes.Conversation | None]:
        if not isinstance(name, str):
            yield None
            return
        kept = self.root / ".paper"
        with notes.opened(kept, name, agent.id, frame.run_id, calls.services.masking) as conversation:
            yield conversation

    # --- the model

    def _choice(self, calls: Calls, agent: AgentDefinition) -> str:
        chosen = calls.session.model
        if isinstance(chosen, str) and chosen.startswith(SCHEME):
            # It may go on in another folder.
            return f"{SCHEME}{Path(chosen.removeprefix(SCHEME)).absolute()}"
        if chosen is not None:
            return chosen if isinstance(chosen, str) else OWN_MODEL
        return str(agent.model or self.settings.get("llm.model") or self._usual_model())

    def _usual_model(self) -> str:
        """One server chooses by itself; a server on this computer often has just one model."""
        return AUTOMATIC if origin_of(str(self.settings.get("llm.base_url"))) == OPENROUTER else NO_MODEL

    def _model(self, calls: Calls, choice: str) -> tuple[LanguageModel, str]:
        given: Any = calls.session.model
        if given is not None and not isinstance(given, str):
            return given, OWN_MODEL
        if not choice.startswith(SCHEME):
            return self._kept("server", lambda: self._server(calls)), choice
        file = choice.removeprefix(SCHEME)
        # A note must not make the program look at files outside of the vault; a person may.
        named_by_person = isinstance(given, str)
        read = (lambda: read_script_file(Path(file))) if named_by_person else lambda: self._script(file)
        return self._kept(choice, read), choice

    def _script(self, file: str) -> LanguageModel:
        return read_script(self.read_note(file), file)

    def _server(self, calls: Calls) -> LanguageModel:
        from paperagents.agents.client import ChatModel  # noqa: PLC0415  the HTTP library is large

        access = model_access(self.settings, self.root)
        calls.services.masking.learn([access.key] if access.key else [])
        return ChatModel(access.base_url, access.key)

    def _kept(self, name: str, make: Callable[[], LanguageModel]) -> LanguageModel:
        with self._lock:
            if name not in self._models:
                self._models[name] = make()
            return self._models[name]

    def _plan(self, calls: Calls, agent: AgentDefinition, frame: Frame) -> None:
        """A dry run asks no model: what would be said is known only then."""
        if calls.session.responses is not None:
            raise ToolError("example-needs-response", tool=agent.id)
        plan = calls.session.plan
        assert plan is not None
        masking = calls.services.masking
        preview = masking.text(planned(agent, self._choice(calls, agent), frame.arguments))
        plan.append({"step": frame.root_step or 1, "tool": agent.id, "arguments": masking.value(frame.arguments),
                     "preview": preview, "would_ask": False})  # fmt: skip
        raise PlanEndsError


def _seconds(agent: AgentDefinition, frame: Frame) -> float | None:
    """The note's limit, or a shorter one that the caller names."""
    told = frame.arguments.get("timeout")
    wanted = [float(told)] if isinstance(told, int | float) and not isinstance(told, bool) and told > 0 else []
    return min([*wanted, *([agent.timeout] if agent.timeout else [])], default=None)


def _new_name(agent: AgentDefinition, frame: Frame) -> str:
    clock = f"{frame.clock['date']}-{frame.clock['time'].replace(':', '')}"
    return f"{slug(agent.id)[:60] or 'agent'}-{clock}-{frame.root_run[:6]}"
