"""What is asked about a tool as a whole, before anything of it runs: ``approval: always`` and ``log:`` in its file."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import DeniedError
from paperagents.runs.gate import Gate
from paperagents.runs.log import RunContext
from paperagents.runs.record import NOTE_LOG, WHOLE_TOOL, Place


def agree_on_arguments(gate: Gate, run: RunContext) -> JsonObject:
    """``approval: always``: the whole tool is one question. The answer is the arguments that were agreed on."""
    place = Place(path=WHOLE_TOOL, step=1, block="tool", name=run.tool.id)
    if (done := run.log.replay(place)) is not None:
        agreed = gate.services.redaction.restore(done["output"], run.arguments)
        assert isinstance(agreed, dict)
        return agreed

    def prepare(arguments: JsonObject) -> Effect:
        preview = json.dumps(arguments, ensure_ascii=False, indent=2)
        return Effect(tool=run.tool.key, arguments=arguments, perform=lambda: arguments, needs_approval=True,
                      preview=preview, before=run.tool.digest, after=run.tool.digest)  # fmt: skip

    with run.log.block(place, run.arguments) as entry:
        entry.output = gate.carry_out(prepare, run.arguments, place, run, entry)
        assert isinstance(entry.output, dict)
        return entry.output


def agree_on_log(gate: Gate, run: RunContext) -> None:
    """``log:`` is asked once; after a no the tool runs without."""
    note_log = gate.services.note_log
    if note_log.path_to_agree_on(run.tool) is None:
        return
    # Of several that run side by side, one asks and the others find the answer.
    with gate.session.lock:
        if (path := note_log.path_to_agree_on(run.tool)) is None:
            return
        place = Place(path=NOTE_LOG, step=1, block="tool", name=run.tool.id)
        arguments: JsonObject = {"log": path}
        with suppress(DeniedError), run.log.block(place, arguments) as entry:
            entry.output = gate.carry_out(partial(note_log.prepare, run.tool), arguments, place, run, entry)
