"""Runs an agent: chooses the model, makes the prompt, opens the conversation, and starts the loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from paperagents.agents.agent_run import NO_MODEL, AgentRun, StepRunner
from paperagents.agents.conversation import as_messages, open_conversation
from paperagents.agents.dialogue import Dialogue, describe_memory, find_errors, system_prompt
from paperagents.agents.limits import RetryPolicy, Spending
from paperagents.agents.loop import run_agent
from paperagents.agents.model import LanguageModel, model_access, origin_of
from paperagents.agents.pictures import with_pictures
from paperagents.agents.scripted_model import SCHEME, read_script, read_script_file
from paperagents.agents.shortening import room_for_messages
from paperagents.agents.toolbox import Toolbox, open_toolbox
from paperagents.calls.references import Names, format_value
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import slug
from paperagents.definitions.tool import CONVERSATION, QUERY, AgentDefinition
from paperagents.errors import PlanEndsError, ToolError
from paperagents.files.folder import VaultFolder
from paperagents.messages import text
from paperagents.registry.entry import Entry
from paperagents.runs.chain import limit_time
from paperagents.runs.log import RunContext
from paperagents.runs.record import Place, StepPath
from paperagents.settings import Settings
from paperagents.tags import TagRegistry
from paperagents.values import dataclass

MOST_AGENTS = 5
"""How deep agents may ask agents."""
OPENROUTER = "https://openrouter.ai"
AUTOMATIC = "openrouter/auto"
OWN_MODEL = "given"
"""In the journal of a run that was given a model of the caller's own."""


@dataclass(frozen=True, kw_only=True)
class AgentRunner:
    """The agents of one vault."""

    root: Path
    settings: Settings
    entries: Callable[[], Sequence[Entry]]
    tags: Callable[[], TagRegistry]
    folder: Callable[[], VaultFolder]
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    _models: dict[str, LanguageModel] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, pipeline: StepRunner, frame: RunContext) -> JsonValue:
        """The final answer of the agent to the query."""
        agent = frame.tool.agent
        assert agent is not None
        if frame.agents >= MOST_AGENTS:
            raise ToolError("agents-too-deep", limit=MOST_AGENTS, tool=agent.id)
        if pipeline.session.is_eval:
            # It is about this model alone.
            agent = replace(agent, fallback=())
        elif pipeline.session.plan is not None:
            self._plan(pipeline, agent, frame)
        with limit_time(time_limit(agent, frame), pipeline.session, code="agent-timeout"):
            return self._run(pipeline, agent, frame)

    def close(self) -> None:
        """Close the connections to models."""
        with self._lock:
            for model in self._models.values():
                if callable(close := getattr(model, "close", None)):
                    close()
            self._models.clear()

    def _run(self, pipeline: StepRunner, agent: AgentDefinition, frame: RunContext) -> JsonValue:
        services, session = pipeline.services, pipeline.session
        tags = self.tags()
        box = open_toolbox(agent, self.entries(), services.find_tool, tags)
        start = self._journal_start(pipeline, agent, frame, box)
        if session.model is None and start["chosen_by"] == "person" and start["model"] != OWN_MODEL:
            # The agents below use this model, too, also when the run is resumed later.
            session.model = start["model"]
        name, query = start.get(CONVERSATION), str(frame.arguments[QUERY])
        opened = (
            open_conversation(self.root / ".paper", name, agent.id, frame.run_id, services.redaction)
            if isinstance(name, str)
            else nullcontext()
        )
        with opened as conversation:
            # Written down before there is a model: what was asked is not lost where nobody has chosen one yet.
            history = as_messages(conversation.ask(query)) if conversation is not None else []
            model, model_name = self._open_model(pipeline, str(start["model"]))
            above = frame.spending if isinstance(frame.spending, Spending) else None
            spending = Spending(budget=agent.budget, above=above)
            inner = replace(frame, failures_are_results=True, granted=box.granted, agents=frame.agents + 1,
                            spending=spending, replays=False)  # fmt: skip
            run = AgentRun(
                agent=agent, pipeline=pipeline, frame=inner, model=model, model_name=model_name, toolbox=box,
                tags=tags, dialogue=self._dialogue(pipeline, agent, frame, box, history), spending=spending,
                conversation=conversation, retries=self.retries,
            )  # fmt: skip
            return run_agent(run)

    def _journal_start(
        self, pipeline: StepRunner, agent: AgentDefinition, frame: RunContext, box: Toolbox
    ) -> JsonObject:
        """What the run is made with, journaled first: a resumed run is made with the same."""
        place = Place(path=StepPath("start"), step=1, block="preprocess", name=agent.id)
        if (done := frame.log.replay(place)) is not None:
            assert isinstance(done["output"], dict)
            return done["output"]
        with frame.log.block(place, frame.arguments) as entry:
            chosen_by = "note" if pipeline.session.model is None else "person"
            start: JsonObject = {"model": self.choose_model(pipeline.session.model, agent), "chosen_by": chosen_by,
                                 "tools": [*box.tools]}  # fmt: skip
            if frame.depth == 1 and pipeline.session.plan is None:
                start[CONVERSATION] = frame.arguments.get(CONVERSATION) or new_conversation_name(agent, frame)
            entry.output = start
        # Before a word of it stands in the note: a conversation has a run that can be resumed.
        pipeline.services.journal.flush(frame.run_id)
        return start

    def _dialogue(
        self, pipeline: StepRunner, agent: AgentDefinition, frame: RunContext, box: Toolbox, history: list[JsonObject]
    ) -> Callable[[bool], Dialogue]:
        services = pipeline.services
        known: dict[str, JsonValue] = {each.name: None for each in frame.tool.parameters}
        given = {**known, **frame.arguments}
        names = Names(arguments=given, declared=frozenset(known), input=frame.arguments, built_in=frame.clock)
        memory = ""
        if agent.memory:
            is_real = pipeline.session.plan is None
            runs = services.history.runs(tool=agent.id, limit=2, nested=False) if is_real else []
            before = next((str(run["run_id"]) for run in runs if run["run_id"] != frame.root_run), None)
            errors = find_errors(services.history.record(before).execution_log) if before else []
            memory = describe_memory(services.entries, errors)

        room = room_for_messages(agent.context_tokens, agent.options.max_tokens)
        query = self._query(agent, frame)

        def dialogue(tags: bool) -> Dialogue:  # noqa: FBT001  one question with two answers
            prompt = system_prompt(agent, names, services.vault_content, box, tags=tags, memory=memory)
            return Dialogue(prompt, history, query, room)

        return dialogue

    def _query(self, agent: AgentDefinition, frame: RunContext) -> JsonValue:
        query = str(frame.arguments[QUERY])
        if not agent.images:
            return query
        missing: list[str] = []
        content = with_pictures(query, agent.prompt.text, agent.file, self.folder(), missing.append)
        for path in missing:
            frame.log.warn(text("agent.no-picture", path=path))
        return content

    # --- the model

    def choose_model(self, chosen: Any, agent: AgentDefinition) -> str:
        """The name of the model that an agent thinks with; ``chosen`` is the one that a person wants."""
        if isinstance(chosen, str) and chosen.startswith(SCHEME):
            # The run may be resumed in another folder.
            return f"{SCHEME}{Path(chosen.removeprefix(SCHEME)).absolute()}"
        if chosen is not None:
            return chosen if isinstance(chosen, str) else OWN_MODEL
        if model := agent.model or self.settings.get("llm.model"):
            return str(model)
        # One server chooses by itself; a server on this computer often has just one model.
        return AUTOMATIC if origin_of(str(self.settings.get("llm.base_url"))) == OPENROUTER else NO_MODEL

    def _open_model(self, pipeline: StepRunner, choice: str) -> tuple[LanguageModel, str]:
        given: Any = pipeline.session.model
        if given is not None and not isinstance(given, str):
            return given, OWN_MODEL
        if not choice.startswith(SCHEME):
            return self._cached("server", lambda: self._connect(pipeline)), choice
        file = choice.removeprefix(SCHEME)
        # A note must not make the program look at files outside of the vault; a person may.
        if isinstance(given, str):
            return self._cached(choice, lambda: read_script_file(Path(file))), choice
        return self._cached(choice, lambda: read_script(self.folder().read_text(file).content, file)), choice

    def open_script(self, name: str, *, by_person: bool) -> LanguageModel | None:
        """A model that says what a script says, again and again; None where that is no name of one."""
        if not name.startswith(SCHEME):
            return None
        file = name.removeprefix(SCHEME)
        if by_person:
            return read_script_file(Path(file), repeats=True)
        return read_script(self.folder().read_text(file).content, file, repeats=True)

    def _connect(self, pipeline: StepRunner) -> LanguageModel:
        from paperagents.agents.client import ChatModel  # noqa: PLC0415  the HTTP library is large

        access = model_access(self.settings, self.root)
        pipeline.services.redaction.learn([access.key] if access.key else [])
        return ChatModel(access.base_url, access.key)

    def _cached(self, name: str, make: Callable[[], LanguageModel]) -> LanguageModel:
        with self._lock:
            if name not in self._models:
                self._models[name] = make()
            return self._models[name]

    def _plan(self, pipeline: StepRunner, agent: AgentDefinition, frame: RunContext) -> None:
        """A dry run asks no model: what would be said is known only then."""
        plan = pipeline.session.plan
        assert plan is not None
        if pipeline.session.responses is not None:
            raise ToolError("example-needs-response", tool=agent.id)
        masking = pipeline.services.redaction
        query = format_value(frame.arguments.get(QUERY))
        preview = masking.text(f"{agent.id} → {self.choose_model(pipeline.session.model, agent)}\n\n{query}")
        plan.append({"step": frame.root_step or 1, "tool": agent.id, "arguments": masking.value(frame.arguments),
                     "preview": preview, "would_ask": False})  # fmt: skip
        raise PlanEndsError


def time_limit(agent: AgentDefinition, frame: RunContext) -> float | None:
    """Seconds: the note's limit, or a shorter one that the caller names."""
    wanted, limits = frame.arguments.get("timeout"), [agent.timeout] if agent.timeout else []
    if isinstance(wanted, int | float) and not isinstance(wanted, bool) and wanted > 0:
        limits.append(float(wanted))
    return min(limits, default=None)


def new_conversation_name(agent: AgentDefinition, frame: RunContext) -> str:
    """The agent, the time and the run."""
    clock = f"{frame.clock['date']}-{frame.clock['time'].replace(':', '')}"
    return f"{slug(agent.id)[:60] or 'agent'}-{clock}-{frame.root_run[:6]}"
