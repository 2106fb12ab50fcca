"""The vault that ``paper init`` makes: every tool in it works on real notes, not only in its examples."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from tests.servers import Web

from paperagents import open_vault
from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.interfaces.command_line.app import run
from paperagents.messages import use_language
from paperagents.runs.record import RunRecord
from paperagents.tags import resolve_vault_references
from paperagents.vault import Vault


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    with as_file(files("paperagents") / "example_vault") as source:
        shutil.copytree(source, tmp_path / "vault")
    with open_vault(tmp_path / "vault") as opened:
        yield opened


def done(vault: Vault, tool: str, **arguments: Any) -> Any:
    """What a tool gives when every question is answered with yes."""
    record = vault.run(tool, arguments, approver=lambda _: Approved())
    assert record.status == "succeeded", record.error
    return record.data


def text_of(vault: Vault, path: str) -> str:
    return (vault.root / path).read_text(encoding="utf-8")


def today(record: RunRecord) -> str:
    found = re.search(r"\d{4}-\d\d-\d\d", str(record.data))
    assert found is not None
    return found[0]


# --- the vault as a whole


def test_there_is_nothing_wrong_with_any_file(vault: Vault) -> None:
    assert [problem for entry in vault.registry.entries() for problem in entry.problems] == []


def test_there_is_something_to_keep(vault: Vault) -> None:
    entries = [entry for entry in vault.registry.entries() if entry.file is not None]
    assert len([entry for entry in entries if entry.is_tool]) >= 20
    assert len([entry for entry in entries if entry.kind == "agent"]) >= 3


def test_every_tool_has_examples_that_hold(vault: Vault) -> None:
    for entry in vault.registry.entries():
        if entry.is_tool and entry.file is not None:
            results = vault.test(entry.id)
            assert results, entry.id
            assert [result for result in results if not result.passed] == []


def test_every_tool_and_agent_says_what_it_is_for(vault: Vault) -> None:
    for entry in vault.registry.entries():
        if entry.file is not None and entry.kind != "tag":
            assert entry.description.endswith("."), entry.file
            assert entry.category, entry.file


def test_a_tool_that_changes_something_says_that_it_asks(vault: Vault) -> None:
    for entry in vault.registry.entries():
        if entry.is_tool and entry.file is not None:
            definition = vault.registry.tool(entry.id)
            changes = any(step.tool in ("write_file", "rest_request") for step in definition.all_steps())
            asks = changes or definition.approval == "always"
            assert ("Asks before it" in entry.description) == asks, entry.id


def test_a_text_that_was_kept_stands_where_it_is_referred_to(vault: Vault) -> None:
    done(vault, "keep_text", text="Ann, Garden Club")
    resolved = resolve_vault_references(text_of(vault, "templates/letter.md"), lookup=vault.vault_content)
    assert resolved["fully_resolved"]
    assert resolved["resolved_text"].endswith("Ann, Garden Club\n")


def test_lots_are_drawn_after_a_yes_and_written_down(vault: Vault) -> None:
    assert vault.run("draw_lots", {"names": ["Ann"]}).status == "waiting"
    assert done(vault, "draw_lots", names=["Ann"]) == {"drawn": "Ann", "of": 1}
    assert text_of(vault, "draws.md").count("draw_lots") > 0


def test_an_exchange_can_be_tried_without_asking_anybody(vault: Vault) -> None:
    plan = vault.plan("exchange", {"amount": 8})
    assert plan.success
    assert "web_search" not in str(plan.planned)


def test_the_welcome_note_names_every_tool_and_only_files_that_are_there(vault: Vault) -> None:
    welcome = text_of(vault, "Welcome.md")
    for file in re.findall(r"`((?:tools|tags|agents)/[\w.-]+)`", welcome):
        assert (vault.root / file).is_file(), file
    names = set(re.findall(r"`([\w-]+)`", welcome))
    helpers = {"changelog_text", "glossary_text", "tidy_text", "streak"}
    for entry in vault.registry.entries():
        if entry.file is not None and entry.kind != "tag":
            assert entry.id in names | helpers or f"`{entry.file}`" in welcome, entry.id


def test_the_examples_still_hold_after_the_tools_were_used(vault: Vault) -> None:
    for tool in ("daily_note", "weekly_review", "glossary", "meeting_tasks"):
        done(vault, tool)
    done(vault, "habit_tracker", habit="Walk")
    test_every_tool_has_examples_that_hold(vault)
    test_there_is_nothing_wrong_with_any_file(vault)


# --- the day and the week


def test_the_daily_note_links_to_yesterday_and_lists_open_tasks(vault: Vault) -> None:
    record = vault.run("daily_note", {"greeting": "Hello"}, approver=lambda _: Approved())
    note = text_of(vault, f"daily/{today(record)}.md")
    assert "Hello" in note
    assert "- [ ] Sow the peas #garden/vegetables ([[notes/garden]])" in note
    assert "Repair the fence" not in note
    assert re.search(r"Yesterday: \[\[daily/\d{4}-\d\d-\d\d\]\]", note)


def test_a_second_daily_note_on_one_day_leaves_the_first_as_it_is(vault: Vault) -> None:
    first = vault.run("daily_note", {"greeting": "First"}, approver=lambda _: Approved())
    second = vault.run("daily_note", {"greeting": "Second"}, approver=lambda _: Approved())
    assert second.error is not None
    assert second.error["code"] == "file-exists"
    assert "First" in text_of(vault, f"daily/{today(first)}.md")


def test_the_review_lists_what_changed_and_not_what_it_wrote_itself(vault: Vault) -> None:
    done(vault, "weekly_review")
    again = vault.run("weekly_review", {}, approver=lambda _: Approved())
    review = text_of(vault, f"reviews/{today(again)}.md")
    assert "- [[notes/garden]]" in review
    assert "tools/" not in review
    assert "[[reviews/" not in review


def test_tasks_that_were_copied_into_other_notes_are_not_counted_twice(vault: Vault) -> None:
    before = done(vault, "open_tasks")["count"]
    done(vault, "daily_note")
    done(vault, "weekly_review")
    done(vault, "backup_by_tag", tag="garden")
    assert done(vault, "open_tasks")["count"] == before


def test_a_habit_is_written_down_once_a_day(vault: Vault) -> None:
    assert done(vault, "habit_tracker", habit="Walk") == {"habit": "Walk", "days": 1}
    assert done(vault, "habit_tracker", habit="Walk") == {"habit": "Walk", "days": 1}
    assert text_of(vault, "habits.md").count("Walk") == 1


def test_a_book_is_added_at_the_end_of_the_list(vault: Vault) -> None:
    done(vault, "reading_list", title="Emma", by="Jane Austen")
    assert text_of(vault, "notes/reading.md").endswith("- [ ] Emma, Jane Austen\n")


# --- meetings


def test_tasks_of_a_meeting_end_up_in_the_list(vault: Vault) -> None:
    done(vault, "meeting_tasks")
    assert text_of(vault, "tasks.md").split("\n")[0] == (
        "- [ ] buy the lock (linus) 📅 2026-11-09 [[meetings/garden-club]]"
    )


def test_a_no_keeps_the_task_list_as_it_was(vault: Vault) -> None:
    record = vault.run("meeting_tasks", {}, approver=lambda _: Denied(reason="later"))
    assert record.status == "denied"
    assert not (vault.root / "tasks.md").exists()


def test_a_template_is_filled_in(vault: Vault) -> None:
    done(vault, "new_from_template", note="meetings/May.md", values={"people": "Ada <title> {{date}}"})
    note = text_of(vault, "meetings/May.md")
    assert "# May" in note
    assert "Present: Ada <title> {{date}}" in note


# --- links and tags


def test_dead_links_are_found_and_living_ones_are_not(vault: Vault) -> None:
    found = done(vault, "check_links")
    assert found["dead"] == [
        {"note": "notes/vegetables.md", "link": "ice saints"},
        {"note": "notes/vegetables.md", "link": "compost"},
    ]


def test_a_note_that_somebody_links_to_is_no_orphan(vault: Vault) -> None:
    orphans = done(vault, "orphan_notes")["orphans"]
    assert "notes/garden.md" in orphans
    assert "notes/vegetables.md" not in orphans


def test_a_rename_plan_names_every_link_and_changes_nothing(vault: Vault) -> None:
    before = text_of(vault, "notes/garden.md")
    plan = done(vault, "rename_plan", note="notes/vegetables.md", new_name="Greens")
    assert plan["changes"] == [{"note": "notes/garden.md", "now": "[[vegetables", "then": "[[Greens"}]
    assert text_of(vault, "notes/garden.md") == before


def test_tags_are_counted_by_notes(vault: Vault) -> None:
    counted = {row["tag"]: row["notes"] for row in done(vault, "tag_overview")["tags"]}
    assert counted["garden"] == 3
    assert counted["reading"] == 1


def test_a_backup_has_every_note_of_the_tag_and_no_older_backup(vault: Vault) -> None:
    first = done(vault, "backup_by_tag", tag="garden")
    assert done(vault, "backup_by_tag", tag="garden") == first
    backup = text_of(vault, first["backup"])
    assert "<!-- notes/garden.md -->" in backup
    assert "große" in backup


# --- writing


def test_the_contents_of_a_note_are_its_headings(vault: Vault) -> None:
    assert done(vault, "table_of_contents", depth=2) == (
        "- [[vegetables#Vegetables]]\n  - [[vegetables#Peas]]\n  - [[vegetables#Beans]]"
    )


def test_the_glossary_is_sorted_and_can_be_renewed(vault: Vault) -> None:
    done(vault, "glossary")
    first = text_of(vault, "glossary.md")
    assert re.findall(r"\*\*(.+?)\*\*", first) == ["Green manure", "Ice saints", "Mulch"]
    done(vault, "glossary")
    assert text_of(vault, "glossary.md") == first


def test_a_tidy_note_is_not_written_and_nobody_is_asked(vault: Vault) -> None:
    asked: list[ApprovalRequest] = []

    def ask(request: ApprovalRequest) -> Approved:
        asked.append(request)
        return Approved()

    assert vault.run("tidy_note", {}, approver=ask).data == {"note": "notes/garden.md", "changed": False}
    assert asked == []
    (vault.root / "untidy.md").write_text("# A   \n\n\n\n* b", encoding="utf-8")
    assert vault.run("tidy_note", {"note": "untidy.md"}, approver=ask).data == {"note": "untidy.md", "changed": True}
    assert len(asked) == 1
    assert text_of(vault, "untidy.md") == "# A\n\n- b\n"


def test_sections_become_notes_that_do_not_leave_their_folder(vault: Vault) -> None:
    (vault.root / "long.md").write_text("# Long\n\n## ../../Up\n\nx\n\n## Plain\n\ny\n", encoding="utf-8")
    assert done(vault, "split_note", note="long.md") == {"written": 2}
    assert {path.name for path in (vault.root / "long").iterdir()} == {"-..-Up.md", "Plain.md"}


def test_notes_are_compared_line_by_line(vault: Vault) -> None:
    assert done(vault, "compare_notes", one="Welcome.md", other="Welcome.md")["equal"] is True
    found = done(vault, "compare_notes", one="notes/garden.md", other="notes/reading.md")
    assert "# Garden" in found["only_in_one"]


def test_a_changelog_grows(vault: Vault) -> None:
    done(vault, "changelog_entry", entry="A first thing.")
    done(vault, "changelog_entry", entry="A second thing.")
    done(vault, "changelog_entry", entry="A fault.", kind="Fixed")
    changelog = text_of(vault, "CHANGELOG.md")
    assert changelog.index("A second thing.") < changelog.index("A first thing.")
    assert changelog.count("### Added") == changelog.count("### Fixed") == 1


# --- data


def test_a_file_of_values_becomes_a_table(vault: Vault) -> None:
    done(vault, "csv_file_to_note")
    assert '| Beans | 7 | "Blue Lake" |' in text_of(vault, "data/harvest.md")


def test_results_are_added_to_the_note_of_the_day(vault: Vault) -> None:
    first = done(vault, "save_results", data=["peas", {"title": "beans"}])
    done(vault, "save_results", data=["leek"])
    assert first["saved"] == 2
    assert text_of(vault, first["note"]) == '- peas\n- {"title":"beans"}\n- leek\n'


def test_json_from_the_web_becomes_a_note(vault: Vault, web: Web) -> None:
    web.answers["/"] = (200, json.dumps([{"name": "Ada", "born": 1815}, {"name": "Grace|H"}]))
    assert done(vault, "fetch_json", url=web.url(), limit=1) == [{"name": "Ada", "born": 1815}]
    done(vault, "json_to_note", url=web.url(), note="people.md")
    note = text_of(vault, "people.md")
    assert "| name | born |\n|---|---|\n| Ada | 1815 |\n| Grace\\|H |  |" in note


def test_a_note_is_sent_with_a_token_that_no_record_shows(vault: Vault, web: Web) -> None:
    web.answers["/"] = (200, "{}")
    vault.environments.set("send_note", {"WEBHOOK_TOKEN": "a-very-secret-token"})
    record = vault.run("send_note", {"note": "notes/garden.md", "url": web.url()}, approver=lambda _: Approved())
    assert record.data == {"sent": True, "status": 200}
    headers = {name.lower(): value for name, value in web.requests[0].headers.items()}
    body = json.loads(web.requests[0].body)
    assert headers["authorization"] == "Bearer a-very-secret-token"
    assert body["title"] == "notes/garden.md"
    assert "große" in body["text"]
    assert "a-very-secret-token" not in json.dumps(record.as_json())


def test_a_picture_in_another_folder_is_no_dead_link(vault: Vault) -> None:
    (vault.root / "Anhänge").mkdir()
    (vault.root / "Anhänge" / "Bild Übersicht.png").write_bytes(b"\x89PNG\x00\xff")
    (vault.root / "notes" / "pictures.md").write_text("![[Bild Übersicht.png]] ![[weg.png|300]]", encoding="utf-8")
    dead = done(vault, "check_links", folder="notes")["dead"]
    assert [each["link"] for each in dead if each["note"] == "notes/pictures.md"] == ["weg.png"]


@pytest.mark.parametrize("spoken", ["de", "zh"])
def test_the_example_vault_speaks_the_language_of_the_reader(
    spoken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = Path(str(files("paperagents"))) / "example_vault"
    monkeypatch.setenv("PAPER_LANGUAGE", spoken)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert run(["init", str(tmp_path / "vault")]) == 0
    use_language(None)
    with Vault(tmp_path / "vault") as vault, Vault(english) as original:
        assert vault.check() == []
        assert [each for each in vault.test() if not each.passed] == []
        before = {entry.file: entry.description for entry in original.registry.entries() if entry.file}
        after = {entry.file: entry.description for entry in vault.registry.entries() if entry.file}
        # A language that it cannot be read in is a file that somebody has forgotten.
        assert [file for file in before if before[file] == after[file]] == []
        assert before.keys() == after.keys()
        code = re.compile(r"`([^`]+)`")
        welcome = [code.findall((each.root / "Welcome.md").read_text("utf-8")) for each in (vault, original)]
        assert set(welcome[0]) == set(welcome[1])
