"""Taking out of a run that is over what turned out to be a secret later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paperagents.storage.blobs import digests_in, pack_fields, release_parts, store_part, unpack
from paperagents.storage.database import Connection, Database, StoredRow, encode


def redact_entries(database: Database, connection: Connection, run_id: str, redact: Callable[[Any], Any]) -> None:
    """Redact the entries of a run, inside the transaction that ends it."""
    rows = unpack(database, database.rows("SELECT seq, entry FROM journal WHERE run_id = ?", (run_id,)))
    entries = [(row["seq"], StoredRow("journal", row).object("entry")) for row in rows]
    changed = [(seq, redacted) for seq, entry in entries if (redacted := redact(entry)) != entry]
    for seq, entry in changed:
        packed = pack_fields(entry, encode)
        for digest, part in packed.parts.items():
            store_part(connection, run_id, digest, part)
        connection.execute("UPDATE journal SET entry = ? WHERE seq = ?", (packed.text, seq))
    if changed:
        # A large value with a secret in it must not outlive the row that named it.
        release_parts(database, connection, run_id, _named_digests(database, run_id))


def _named_digests(database: Database, run_id: str) -> set[str]:
    entries = database.rows("SELECT entry FROM journal WHERE run_id = ?", (run_id,))
    runs = database.rows("SELECT arguments, data FROM runs WHERE run_id = ?", (run_id,))
    return digests_in(str(value) for row in (*entries, *runs) for value in tuple(dict(row).values()))
