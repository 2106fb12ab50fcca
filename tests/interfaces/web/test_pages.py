"""The pages without a browser: they read without scripts, carry no scripts of others, and stay small."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.question import Approved
from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.web.pages import own_path
from paperagents.settings_writing import write_setting

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

PLACES = ("/", "/tools/keep", "/tools/everything", "/runs", "/approvals", "/edit?file=tools/keep.md", "/new/agent",
          "/settings", "/stats", "/agents", "/agents/helper", "/entries/memory", "/trust",
          "/notes", "/schedules")  # fmt: skip


@pytest.mark.parametrize("path", PLACES)
def test_every_page_is_served_and_carries_no_inline_script_or_style(served: Served, path: str) -> None:
    with served.client() as client:
        answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert not re.findall(r"<script(?! type=\"application/json\"| type=\"module\" src)", answer.text)
    assert not re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", answer.text)
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", answer.text)


def test_reading_needs_no_scripts(served: Served) -> None:
    run = served.vault.run("people", {})
    waiting = served.vault.run("keep", {"title": "Beans"})
    with served.client() as client:
        assert "Says it loudly." in client.get("/").text
        assert "What to say" in client.get("/tools/shout").text
        assert "left early" in client.get(f"/runs/{run.run_id}").text
        assert "# Beans" in client.get("/approvals").text
        assert waiting.run_id in client.get("/runs?status=waiting").text
        assert "serch_files" in client.get("/tools/broken-one").text


def test_the_sidebar_says_what_each_tool_does(served: Served) -> None:
    with served.client() as client:
        sidebar = client.get("/sidebar").text
    assert re.search(r"Shout</bdi><small[^>]*>Says it loudly\.</small>", sidebar)


def test_nobody_without_the_link_sees_anything(served: Served) -> None:
    with served.client(token=False) as client:
        for path in (*PLACES, "/sidebar", "/approvals/list", "/static/x/app.js"):
            assert client.get(path).status_code == 401


def test_what_does_not_exist_is_a_page_that_helps(served: Served) -> None:
    with served.client() as client:
        for path in ("/tools/shoot", "/runs/nothing", "/edit?file=nothing.md", "/agents/nobody", "/edit?file=../../x"):
            answer = client.get(path)
            assert answer.status_code in (400, 404, 422), path
            assert answer.headers["content-type"].startswith("text/html")
            assert "/" in answer.text
        assert "shout" in client.get("/tools/shoot").text


def test_a_wrong_address_is_a_page_for_people_and_problem_details_for_programs(served: Served) -> None:
    with served.client() as client:
        assert client.get("/nowhere", headers={"accept": "text/html"}).headers["content-type"].startswith("text/html")
        assert "problem+json" in client.get("/nowhere").headers["content-type"]
        assert "problem+json" in client.get("/api/nowhere", headers={"accept": "text/html"}).headers["content-type"]


def test_an_agent_is_talked_to_on_its_own_page(served: Served) -> None:
    with served.client() as client:
        assert client.get("/tools/helper").headers["location"] == "/agents/helper"


def test_what_the_program_keeps_cannot_be_edited(served: Served) -> None:
    with served.person() as client:
        assert client.get("/edit?file=.paper/paper.db").status_code >= 400
        body = {"file": ".paper/settings.toml", "content": "x", "digest": "absent"}
        assert client.put("/edit/save", json=body).status_code >= 400
    assert not (served.folder / ".paper/settings.toml").exists()


def test_files_of_the_pages_are_kept_by_their_content(served: Served) -> None:
    with served.client() as client:
        address = re.search(r'src="(/static/[0-9a-f]+/app.js)"', client.get("/").text)
        assert address is not None
        kept = client.get(address[1])
        assert "immutable" in kept.headers["cache-control"]
        assert client.get("/static/old/app.js").headers["cache-control"] == "no-store"
        for path in ("/static/x/..%2f..%2fpages.py", "/static/x/nothing.js", "/static/x/%2e%2e"):
            assert client.get(path).status_code == 404


def test_a_value_is_handed_out_in_parts(served: Served) -> None:
    served.note("tools/many.md", "---\ntool: true\nid: many\nname: many\ndescription: x\ncustom_function: |\n"
                "  return Array.from({length: 500}, (_, n) => ({n, text: `row ${n}`}));\n---\n")  # fmt: skip
    run = served.vault.run("many", {})
    with served.client() as client:
        page = client.get(f"/runs/{run.run_id}").text
        assert "row 499" not in page.partition('data-view="tree"')[2].partition('data-view="json"')[0]
        part = client.get(f"/runs/{run.run_id}/value", params={"offset": 450}).text
        assert "row 499" in part
        assert "row 449" not in part
        assert client.get(f"/runs/{run.run_id}/value", params={"pointer": "/7/text"}).text.count("row 7") == 1
        assert client.get(f"/runs/{run.run_id}/value", params={"pointer": "/7/nothing"}).status_code == 400
        assert client.get(f"/runs/{run.run_id}/download").json()[499] == {"n": 499, "text": "row 499"}


def test_steps_are_handed_out_in_parts(served: Served) -> None:
    served.note("tools/loop.md", "---\ntool: true\nid: loop\nname: loop\ndescription: x\nsteps:\n"
                "  - {name: again, tool: nap, for_each: [" + ",".join(map(str, [0] * 300)) + "], max_parallel: 4, "
                "parameters: {milliseconds: 0}}\n---\n")  # fmt: skip
    run = served.vault.run("loop", {})
    assert run.success
    with served.client() as client:
        page = client.get(f"/runs/{run.run_id}").text
        assert "300 of 300" in page
        assert page.count("data-path=") == 1
        rows = client.get(f"/runs/{run.run_id}/rows", params={"path": "1", "first": 250}).text
        assert rows.count("data-path=") == 50
        assert "slept" in client.get(f"/runs/{run.run_id}/row", params={"path": "1[299]", "part": True}).text
        assert client.get(f"/runs/{run.run_id}/row", params={"path": "1[300]"}).status_code == 400


def test_a_run_below_another_has_its_page(served: Served) -> None:
    run = served.vault.run("slow", {})
    with served.client() as client:
        page = client.get(f"/runs/{run.run_id}/row", params={"path": "2"}).text
        below = re.search(rf'href="/runs/({run.run_id}\.[^"/]+)"', page)
        assert below is not None
        assert "part of another run" in client.get(f"/runs/{below[1]}").text


def test_secrets_of_a_question_are_not_shown(served: Served) -> None:
    headers: JsonObject = {"Authorization": "Bearer abcdef123"}
    arguments: JsonObject = {"url": "https://example.com/x", "method": "POST", "headers": headers}
    run = served.vault.run("rest_request", arguments)
    assert run.status == "waiting"
    with served.client() as client:
        for path in ("/approvals", f"/runs/{run.run_id}", "/tools/rest_request"):
            assert "abcdef123" not in client.get(path).text


def test_a_language_is_spoken_by_errors_of_the_interface_too(served: Served) -> None:
    with served.client() as client:
        client.cookies.set("paper_language", "de")
        assert 'lang="de"' in client.get("/").text
        refused = client.post("/api/runs", json={"tool": "shout", "arguments": {}})
        assert "Pflichtfeld" in refused.json()["message"]
        quiet = client.post("/api/runs", json={"tool": "shout"}, headers={"x-paper-status": "wanted"})
        assert (quiet.status_code, quiet.headers["x-paper-status"]) == (200, "422")


def test_a_choice_leads_back_and_nowhere_else(served: Served) -> None:
    with served.client() as client:
        chosen = client.get("/choose/theme/dark", params={"back": "/runs?tool=x"})
        assert chosen.headers["location"] == "/runs?tool=x"
        assert client.get("/choose/theme/dark", params={"back": "//evil.example"}).headers["location"] == "/"
        assert client.get("/choose/theme/pink").status_code >= 400


@given(st.text())
def test_a_way_back_is_a_path_of_ours(target: str) -> None:
    kept = own_path(target)
    assert kept.startswith("/")
    assert not kept.startswith(("//", "/\\"))
    assert kept.isprintable()


def test_the_first_page_is_small(served: Served) -> None:
    for number in range(300):
        served.note(f"many/{number}.md", f"---\ntool: true\nid: m{number}\nname: Tool {number}\n"
            f"description: Number {number}.\n"
                    "category: many\ncustom_function: return 1;\n---\n")  # fmt: skip
    served.vault.registry.refresh()
    with served.client() as client:
        for path in ("/", "/tools/shout"):
            addresses = re.findall(r'"(/static/[^"]+)"', client.get(path).text)
            assert sum(size_of(client, each) for each in {path, *addresses}) < 60_000
        assert client.get("/?category=many").text.count('tool-card"') == 300
        assert "Tool 299" in client.get("/sidebar", params={"q": "number 299"}).text


def size_of(client: httpx2.Client, path: str) -> int:
    """How many bytes go over the line."""
    with client.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
        assert answer.headers["content-encoding"] == "gzip" or path.endswith(".svg")
        return len(b"".join(answer.iter_raw()))


@pytest.mark.parametrize("path", PLACES)
def test_a_page_names_the_scripts_it_needs_and_no_other(served: Served, path: str) -> None:
    with served.client() as client:
        html = client.get(path).text
        named = set(re.findall(r'rel="modulepreload" href="([^"]+)"', html))
        left = re.findall(r'<script type="module" src="([^"]+)"', html)
        needed = set[str]()
        while left:
            needed.add(address := left.pop())
            imported = re.findall(r'^import .*"\./([^"]+)"', client.get(address).text, re.MULTILINE)
            left += {f"{address.rpartition('/')[0]}/{name}" for name in imported} - needed
    # Those that are not named would be found only when the others have been read.
    assert named == needed


def test_every_run_that_was_approved_can_be_read_step_by_step(served: Served) -> None:
    run = served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved())
    with served.client() as client:
        page = client.get(f"/runs/{run.run_id}").text
    assert page.count('class="row success"') == 2
    assert "kept/one.md" in page


@pytest.mark.parametrize("path", ["/edit", "/runs?most=many", "/edit?file=tools/keep.md&line=0"])
def test_a_wrong_address_is_told_on_a_page(served: Served, path: str) -> None:
    with served.client() as client:
        answer = client.get(path)
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "invalid-request" in answer.text


def test_a_filter_that_fits_no_run_does_not_say_that_there_are_none(served: Served) -> None:
    with served.client() as client:
        assert "No runs yet." in client.get("/runs").text
        served.vault.run("shout", {"words": "x"})
        assert "No run is like this." in client.get("/runs?tool=nothing").text


def test_a_day_that_is_none_filters_nothing(served: Served) -> None:
    served.vault.run("people", {})
    with served.client() as client:
        assert "People</bdi></a> <span" in client.get("/runs?since=soon").text


def test_the_history_is_told_and_filtered_by_the_clocks_of_the_vault(served: Served) -> None:
    zone = ZoneInfo("Pacific/Kiritimati")
    write_setting(served.vault.root, "timezone", str(zone), origin="test")
    served.vault.read_settings_again()
    started = datetime.fromisoformat(served.vault.run("people", {}).started).astimezone(zone)
    with served.client() as client:
        assert f"{started:%H:%M}" in client.get("/runs").text
        assert "People</bdi></a> <span" in client.get(f"/runs?since={started:%Y-%m-%d}").text
        assert "People</bdi></a> <span" not in client.get(f"/runs?since={started + timedelta(days=1):%Y-%m-%d}").text
        assert "People</bdi></a> <span" in client.get("/runs?since=0001-01-01").text


@pytest.mark.parametrize(
    ("accepted", "spoken"),
    [("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr,zh-CN;q=0.5", "zh-CN"), ("en;q=0.1,de;q=0.2", "de"), ("fr", "en"),
     ("", "en"), ("de;q=0,en;q=x", "en")],
)  # fmt: skip
def test_pages_speak_the_language_of_the_browser_unless_another_was_chosen(
    served: Served, accepted: str, spoken: str
) -> None:
    with served.client() as client:
        assert f'lang="{spoken}"' in client.get("/", headers={"accept-language": accepted}).text
        client.cookies.set("paper_language", "de")
        assert 'lang="de"' in client.get("/", headers={"accept-language": "en"}).text


def test_the_history_says_who_approved_and_what_was_asked(served: Served) -> None:
    served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved(by="phone"))
    served.vault.run("helper", {"query": "peas?", "conversation": "talk-4711"})
    with served.client() as client:
        history = client.get("/runs").text
    assert re.search(r'<td class="by"><bdi>phone</bdi></td>', history)
    assert "peas?" in history
    assert "talk-4711" not in history


def test_a_schedule_says_when_it_runs_next_once_it_is_trusted(served: Served) -> None:
    tool = (
        "---\ntool: true\nname: Morning\ndescription: Early.\nschedule: '0 7 * * *'\ncustom_function: return 1\n---\n"
    )
    served.note("tools/morning.md", tool)
    served.vault.registry.refresh()
    with served.person() as person:
        assert "not trusted" in person.get("/schedules").text
        digests = [each["digest"] for each in person.get("/api/trust").json()]
        person.post("/api/trust/give", json={"digests": digests})
        shown = person.get("/schedules").text
    assert "0 7 * * *" in shown
    assert re.search(r'<time datetime="[0-9-]+T07:00:00', shown)


def test_an_undo_has_a_name_in_the_inbox(served: Served) -> None:
    run = served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved())
    with served.person() as person:
        person.post(f"/api/runs/{run.run_id}/undo?wait=5", json={})
        inbox = person.get("/approvals").text
    assert re.search(r'<h2 id="group-[^"]+"><bdi>Undo</bdi></h2>', inbox)


@pytest.mark.parametrize(("accepted", "said"), [("de-DE,de;q=0.9", "senden Sie"), ("zh-CN", "请打开"), ("fr", "send")])
def test_who_may_not_come_in_is_told_so_in_their_language(served: Served, accepted: str, said: str) -> None:
    headers = {"accept": "text/html", "accept-language": accepted}
    with served.client(token=False) as stranger:
        answer = stranger.get("/", headers=headers)
    assert answer.status_code == 401
    assert f"<html lang={ {'z': 'zh', 'd': 'de'}.get(accepted[0], 'en') }>" in answer.text
    assert said in answer.text
