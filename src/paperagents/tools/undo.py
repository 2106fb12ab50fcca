"""``undo``: take back what a run changed in notes and entries."""

from __future__ import annotations

from paperagents.tools.built_in import TEXT, BuiltIn, list_of, object_of, optional, required

UNDO = BuiltIn(
    name="undo",
    parameters=(required("run", TEXT), optional("files", list_of(TEXT))),
    answer=object_of(run=TEXT, files=list_of(TEXT)),
    leaves_the_vault=False,
    # It looks at runs, which no tool knows: the vault brings it.
    prepare=None,
)
