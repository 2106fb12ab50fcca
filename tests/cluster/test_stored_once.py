"""What a run stores, it stores once, on either database, also when the program dies before the next step."""

from __future__ import annotations

import pytest

from paperagents.vault import Vault


class Killed(BaseException):
    """The program ends here, and nothing more is written down."""


@pytest.mark.parametrize("action", ["", "action: create, "])
def test_an_entry_that_was_stored_before_a_kill_is_not_stored_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    (vault.root / "store.md").write_text(
        "---\ntool: true\nname: store\ndescription: d\nsteps:\n"
        f"  - {{tool: datavault, parameters: {{id: x, {action}content: y}}}}\n"
        "  - {tool: search_files, parameters: {query: y}}\n---\n",
        encoding="utf-8",
    )
    with monkeypatch.context() as dying:
        dying.setitem(vault.services.built_in, "search_files", _die)
        with pytest.raises(Killed):
            vault.run("store")
    run = str(vault.store.history()[0]["run_id"])
    assert vault.resume(run).status == "succeeded"
    entry = vault.entries.get("datavault", "x")
    assert entry is not None
    assert entry.version == 1


def _die(_: object) -> None:
    raise Killed
