"""``restore_entry``: make an entry what it was in one of its versions."""

from __future__ import annotations

from paperagents.tools.built_in import INTEGER, TEXT, BuiltIn, object_of, required

RESTORE_ENTRY = BuiltIn(
    name="restore_entry",
    parameters=(required("kind", TEXT), required("identifier", TEXT), required("version", INTEGER)),
    answer=object_of(kind=TEXT, identifier=TEXT, version=INTEGER),
    leaves_the_vault=False,
    # It is made like an undo, all or nothing: the vault brings it.
    prepare=None,
)
