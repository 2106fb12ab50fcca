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
    run = str(vault.history.runs()[0]["run_id"])
    assert vault.resume(run).status == "succeeded"
    entry = vault.entries.get("datavault", "x")
    assert entry is not None
    assert entry.version == 1


@pytest.mark.parametrize("all_or_nothing", [True, False])
def test_what_a_text_stores_together_lets_its_runs_go_at_the_end(vault: Vault, *, all_or_nothing: bool) -> None:
    text = '{{<memory identifier="a" content="1" />}}{{<task identifier="b" content="2" />}}'
    results = vault.apply(text, all_or_nothing=all_or_nothing)
    assert [each["status"] for each in results] == ["success", "success"]
    runs = [str(each["run_id"]) for each in vault.history.runs()]
    assert len(runs) == 2
    assert not any(map(vault.database.is_held, runs))


def _die(_: object) -> None:
    raise Killed
