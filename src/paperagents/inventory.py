"""Everything that a vault brings along and that grants or starts something: the one list of it.

What is added to the program and lets a vault open something has to appear here; a test goes through the settings, the
fields of files and the tables of the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from paperagents.approval.rule_words import describe_rule
from paperagents.approval.signatures import signer_of
from paperagents.approval.trust import Brought, TrustState, brought
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import StorageError, UsageError
from paperagents.notes_folder import NotesFolder
from paperagents.reading.execution_log import digest_without_log
from paperagents.registry.entry import Entry
from paperagents.runs.history import ON_TOP
from paperagents.settings import KEEPING_FOLDER
from paperagents.storage.database import readable
from paperagents.vault import Vault

_MOST = 1000
"""Runs that are listed; a database may have come with any number."""
_UNFINISHED = f"FROM runs WHERE {ON_TOP} AND status IN ('queued', 'running', 'waiting')"


def list_brought(vault: Vault) -> list[Brought]:
    """All of it, trusted or not, in the order of settings, servers, files and database."""
    stored: list[Brought] = []
    # Nothing in a database that cannot be read counts for anything, and trust in its address can be taken back.
    with suppress(StorageError):
        stored = [*list_stored(vault)]
    return [*list_settings(vault), *list_schedules(vault), *list_rules(vault), *stored]


def list_settings(vault: NotesFolder) -> Iterator[Brought]:
    """What the vault's own settings open."""
    yield from vault.settings.brought
    yield from (each.as_brought() for each in vault.remote_servers.servers.values() if each.from_vault)


def list_schedules(vault: Vault) -> Iterator[Brought]:
    """Tools that would run by themselves."""
    return (schedule_of(vault, entry) for entry in vault.registry.scheduled())


def schedule_of(vault: Vault, entry: Entry) -> Brought:
    """The schedule of a tool with the tool that it starts: another text of the file is another thing."""
    file = str(entry.file)
    content = (vault.root / file).read_bytes() if (vault.root / file).is_file() else b""
    what = f"{entry.id}: {entry.schedule}"
    return brought("schedule", file, [entry.schedule, digest_without_log(content)], what=what, where=file)


def list_rules(vault: Vault) -> Iterator[Brought]:
    """Rules that sleep, because the file of the tool they name has changed."""
    # Outside of a vault there are none yet, and looking must not make one.
    for rule in vault.rules.rules() if (vault.root / KEEPING_FOLDER).is_dir() else ():
        if vault.rules.state(rule) == "sleeping":
            tool = vault.rules.find_tool(rule.by)
            now = [tool.text_digest, tool.file] if tool is not None else ["", ""]
            content: JsonValue = [rule.digest, now[0]]
            yield brought("rule", rule.id, content, what=describe_rule(rule), where=str(now[1]))


def state_of(vault: Vault, thing: Brought) -> TrustState:
    """How the user stands to a thing; a rule that is listed is the user's own, and sleeps until it is confirmed."""
    if thing.kind != "rule":
        return vault.trust.state(thing)
    return "changed" if any(thing.digest == each.digest for each in list_rules(vault)) else "trusted"


def give_trust(vault: Vault, things: Iterable[Brought]) -> None:
    """Trust these things from now on; a rule that sleeps is confirmed."""
    chosen = [*things]
    for thing in chosen:
        if thing.kind == "rule":
            vault.rules.confirm(vault.rules.find(thing.name))
    vault.trust.give(thing for thing in chosen if thing.kind != "rule")


def take_trust(vault: Vault, things: Iterable[Brought]) -> None:
    """Trust these things no more; a rule that sleeps is revoked."""
    chosen = [*things]
    for thing in chosen:
        if thing.kind == "rule":
            vault.rules.revoke(thing.name)
    vault.trust.take(thing.digest for thing in chosen if thing.kind != "rule")


def list_stored(vault: Vault) -> Iterator[Brought]:
    """Runs that were not started here and are not over, and keys of others that have answered something.

    On a database that several share also the keys that such runs are signed with.
    """
    if not vault.database.exists():
        return
    place = vault.database.place
    rows = vault.database.rows(f"SELECT run_id {_UNFINISHED} ORDER BY started, rowid LIMIT ?", (_MOST,))
    for run_id in readable("runs", rows, lambda row: row.text("run_id")):
        if not vault.journal.is_own(run_id) and (run := vault.history.run(run_id)) is not None:
            yield run.as_brought(place)
    signed = ["SELECT DISTINCT signature FROM answers LIMIT ?"]
    if vault.database.shared_name() is not None:
        signed.append(f"SELECT signature {_UNFINISHED} LIMIT ?")
    found = (row for query in signed for row in vault.database.rows(query, (_MOST,)))
    signers = {signer_of(row["signature"]) for row in found if isinstance(row["signature"], str)}
    for public in sorted(signers - {"", vault.user_key.public}):
        yield Brought(kind="answer", name=public, what=f"ed25519 {public[:16]}", where=place, digest=public)


def list_undecided(vault: Vault, things: Iterable[Brought]) -> list[Brought]:
    """Those that the user neither trusts nor has declined."""
    return [each for each in things if not vault.trust.trusts(each) and not vault.trust.is_declined(each)]


def choose_things(vault: Vault, digests: Sequence[str], kind: str | None, *, everything: bool) -> list[Brought]:
    """Those of a kind, all, or those with these digests, of which a beginning is enough.

    Raises UsageError where nothing is named, or one that is not there.
    """
    if not digests and kind is None and not everything:
        raise UsageError("trust-names-nothing")
    found = list_brought(vault)
    chosen = [thing for thing in found if everything or thing.kind == kind]
    for digest in digests:
        fitting = {thing.digest: thing for thing in found if thing.digest.startswith(digest.lower())}
        if len(fitting) != 1 or not digest:
            raise UsageError("trust-unknown", digest=digest[:100])
        chosen += fitting.values()
    return chosen


def as_json(thing: Brought, state: TrustState) -> JsonObject:
    """The form of ``paper trust show --json``."""
    return {"kind": thing.kind, "what": thing.what, "where": thing.where, "digest": thing.digest, "state": state}
