"""What a server asks while it answers a call: forms go to the person, and so do requests for a language model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import Approved, Asking, Decision, Denied, Pending
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError
from paperagents.messages import join_sentences, text
from paperagents.reading.json_schema import NotASchemaError, compile_schema

if TYPE_CHECKING:
    import mcp_types as types

MOST_QUESTIONS = 20
"""So much a server may ask during one call."""
LONGEST_QUESTION = 20_000
Sample = Callable[[list[JsonObject]], tuple[str, str]]
"""Asks the user's language model: messages go in, its name and its answer come out."""


class ServerQuestions:
    """The questions of one server, put to whoever made the call that is under way."""

    def __init__(self, server: str, sample: Sample) -> None:
        self._server = server
        self._sample = sample
        self._asking: Asking | None = None
        self._left = 0

    def begin(self, who: Asking | None) -> None:
        """A call begins; who made it can be asked."""
        self._asking, self._left = who, MOST_QUESTIONS

    async def ask(self, preview: str, arguments: JsonObject) -> Decision:
        """Nobody is asked of whom nobody knows, nor without end."""
        self._left -= 1
        if self._asking is None or self._left < 0 or len(preview) > LONGEST_QUESTION:
            return Pending()
        return await asyncio.to_thread(self._asking.ask, f"mcp:{self._server}", arguments, escape_invisible(preview))

    async def elicit(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:  # noqa: ARG002  the library's name
        """A form, or a page to open. What the person writes as the arguments of the question is the answer."""
        import mcp_types as types  # noqa: PLC0415  the library is large

        title, schema = text("mcp.form", server=self._server), getattr(params, "requested_schema", None)
        if schema is None:
            page = text("mcp.form.address", address=str(getattr(params, "url", "")))
            decision = await self.ask("\n\n".join((title, params.message, page)), {})
            return types.ElicitResult(action=word_of(decision))
        fields = json.dumps(schema.get("properties", {}), ensure_ascii=False, indent=2)
        preview = "\n\n".join((title, params.message, text("mcp.form.fields"), fields))
        decision = await self.ask(preview, defaults_of(schema))
        if not isinstance(decision, Approved):
            return types.ElicitResult(action=word_of(decision))
        content = decision.arguments if decision.arguments is not None else defaults_of(schema)
        if not fits(content, schema):
            return types.ElicitResult(action="cancel")
        return types.ElicitResult.model_validate({"action": "accept", "content": content})

    async def sample(
        self,
        context: Any,  # noqa: ARG002  as above
        params: types.CreateMessageRequestParams,
    ) -> types.CreateMessageResult | types.ErrorData:
        """An answer of the user's language model, once the person has agreed to exactly this question."""
        import mcp_types as types  # noqa: PLC0415  see above

        messages = read_messages(params)
        shown = json.dumps(messages, ensure_ascii=False, indent=2)
        decision = await self.ask(f"{text('mcp.sample', server=self._server)}\n\n{shown}", {})
        if not isinstance(decision, Approved):
            reason = decision.reason if isinstance(decision, Denied) else ""
            return types.ErrorData(code=-1, message=join_sentences(text("mcp.sample.denied"), reason))
        try:
            model, answer = await asyncio.to_thread(self._sample, messages)
        except PaperError as error:
            # The code alone: where the user's model is, is no business of the server's.
            return types.ErrorData(code=types.INTERNAL_ERROR, message=error.code)
        content = types.TextContent(type="text", text=answer)
        return types.CreateMessageResult(role="assistant", content=content, model=model, stop_reason="endTurn")


def word_of(decision: Decision) -> Any:
    """An answer in the words of MCP."""
    return {Approved: "accept", Denied: "decline"}.get(type(decision), "cancel")


def defaults_of(schema: JsonObject) -> JsonObject:
    """What a form has filled in already."""
    properties = schema.get("properties")
    fields = properties.items() if isinstance(properties, dict) else ()
    return {name: each["default"] for name, each in fields if isinstance(each, dict) and "default" in each}


def fits(content: JsonValue, schema: JsonObject) -> bool:
    """Whether this is a filled-in form; a schema that is none asks for nothing."""
    try:
        return compile_schema(json.dumps(schema)).accepts(content)
    except NotASchemaError:
        return False


def read_messages(params: types.CreateMessageRequestParams) -> list[JsonObject]:
    """The messages for a language model; of pictures and sounds it is told that they are there."""
    system: list[JsonObject] = [{"role": "system", "content": params.system_prompt}] if params.system_prompt else []
    for message in params.messages:
        blocks = message.content if isinstance(message.content, list) else [message.content]
        texts = [str(getattr(each, "text", None) or f"[{each.type}]") for each in blocks]
        system.append({"role": message.role, "content": "\n".join(texts)})
    return system
