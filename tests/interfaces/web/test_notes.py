"""Notes as pages: rendered as notes are, linked, with what runs have changed; nothing of them is ever done."""

from __future__ import annotations

import base64
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from paperagents.approval.question import Approved
from paperagents.interfaces.web.markdown import render_markdown

from ..served import Served, serving  # noqa: TID252  shared by the tests of several interfaces
from .test_hostile import CORPUS, EVERYTHING, MARK

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
GARDEN = """---
tags: [garden, plan]
area: 12
done: false
---
# Beds

See [[peas|the peas]], [[deep/beans#Sowing]] and [the list](lists/shopping.md).

![[peas]]

![[bed.png]]

![A bed](pictures/bed.png)

| crop | kilos |
|:-----|------:|
| peas | 12 |

- [ ] water
- [x] weed

```js
const a = "<b>";
```
"""


def fill(served: Served) -> None:
    served.note("notes/garden.md", GARDEN)
    served.note("notes/peas.md", "---\ntags: [x]\n---\nPeas *climb*. Back to [[garden]].\n")
    served.note("notes/deep/beans.md", "# Beans\n\n[up](../garden.md)\n")
    served.note("notes/lists/shopping.md", "Seeds\n")
    (served.folder / "pictures").mkdir()
    (served.folder / "notes/pictures").mkdir()
    (served.folder / "pictures/bed.png").write_bytes(PIXEL)
    (served.folder / "notes/pictures/bed.png").write_bytes(PIXEL)


@pytest.mark.parametrize("look", ["desktop-light", "phone-dark"])
def test_a_note_is_shown_as_a_note(page: Page, served: Served, look: str) -> None:
    assert look
    fill(served)
    page.goto(f"{served.url}/notes/notes/garden.md")
    expect(page.locator(".properties dt")).to_have_text(["tags", "area", "done"])
    expect(page.locator(".properties .tag")).to_have_text(["garden", "plan"])
    expect(page.locator(".prose h2")).to_have_text("Beds")
    expect(page.locator(".embed em")).to_have_text("climb")
    assert page.locator(".prose img").count() == 2
    for picture in page.locator(".prose img").all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("each => each.complete && each.naturalWidth === 1", arg=picture.element_handle())
    expect(page.locator(".prose td.to-right")).to_have_css("text-align", "right")
    expect(page.locator(".prose li")).to_have_text(["☐ water", "☑ weed"])
    expect(page.locator(".note-side").get_by_role("link", name="notes/peas")).to_be_visible()
    page.get_by_role("link", name="the peas").click()
    expect(page).to_have_url(f"{served.url}/notes/notes/peas.md")
    page.get_by_role("link", name="garden", exact=True).first.click()
    page.get_by_role("link", name="the list").click()
    expect(page).to_have_url(f"{served.url}/notes/notes/lists/shopping.md")
    page.go_back()
    page.get_by_role("link", name="deep/beans#Sowing").click()
    page.get_by_role("link", name="up", exact=True).click()
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("#content")).to_have_value(GARDEN)


def test_paths_in_results_lead_to_notes(page: Page, served: Served) -> None:
    fill(served)
    record = served.vault.run("search_files", {"query": "climb"})
    page.goto(f"{served.url}/runs/{record.run_id}")
    page.get_by_role("link", name="notes/peas.md").first.click()
    expect(page.locator(".prose em")).to_have_text("climb")
    record = served.vault.run("read_file", {"filePath": "notes/garden.md"})
    page.goto(f"{served.url}/runs/{record.run_id}")
    expect(page.locator(".result .prose").get_by_role("link", name="the list")).not_to_have_attribute(
        "target", "_blank"
    )


def test_what_a_run_changed_is_seen_line_by_line_and_taken_back(page: Page, served: Served) -> None:
    served.note("plan.md", "Milk\n")
    served.vault.run(
        "write_file", {"filePath": "plan.md", "content": "Tea\n", "append": True}, approver=lambda _: Approved()
    )
    page.goto(f"{served.url}/notes/plan.md")
    page.get_by_role("link", name="Whose lines").click()
    expect(page.locator(".blame tr").nth(0)).to_contain_text("from outside")
    expect(page.locator(".blame tr").nth(1)).to_contain_text("write_file")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_attached()
    assert (served.folder / "plan.md").read_text() == "Milk\n"


def test_a_tool_is_given_the_note_it_is_about(page: Page, served: Served) -> None:
    served.note("peas.md", "Peas\n")
    served.note("tools/count.md", COUNT)
    served.vault.registry.refresh()
    page.goto(f"{served.url}/notes/peas.md")
    page.get_by_role("main").get_by_role("link", name="Count words").click()
    expect(page.get_by_label("filePath")).to_have_value("peas.md")


COUNT = """---
tool: true
id: count
name: Count words
description: Counts.
parameters:
  - {name: filePath, type: string, description: Which note}
custom_function: |
  return input.filePath.length;
---
"""


def test_nothing_in_a_note_is_done_and_nothing_is_loaded_from_elsewhere(page: Page, served: Served) -> None:
    properties = "\n".join(f"p{number}: {attack!r}" for number, attack in enumerate(CORPUS[:6]) if "'" not in attack)
    wiki = "\n\n".join(f"[[{each}]] ![[{each}]] [[x|{each}]] ![{each}](x.png) [{each}]({each})" for each in CORPUS)
    served.note(
        "evil.md", f"---\n{properties}\n---\n{EVERYTHING}\n\n{wiki}\n\n![[evil]]\n\n![x](//evil.example/x.png)\n"
    )
    (served.folder / "evil.svg").write_text(f"<svg xmlns='http://www.w3.org/2000/svg' onload='{MARK}'/>")
    (served.folder / "evil.html").write_text(f"<script>{MARK}</script>")
    page.goto(f"{served.url}/notes/evil.md")
    expect(page.locator(".prose")).to_contain_text("script")
    assert page.evaluate("window.hurt") is None


@pytest.mark.parametrize("name", ['a "quoted" word.md', '".md', "--.md", "a'b (c) OR -d.md", "菜园“计划”.md"])
def test_a_note_has_its_page_whatever_its_name_is_and_who_links_to_it_is_found(served: Served, name: str) -> None:
    served.note(name, "# Here\n")
    served.note("other.md", f"See [[{name.removesuffix('.md')}]].\n")
    with served.client() as client:
        shown = client.get(f"/notes/{quote(name)}")
    assert (shown.status_code, "Here</h2>" in shown.text) == (200, True)
    has_words = any(each.isalnum() for each in name.removesuffix(".md"))
    assert ("/notes/other.md" in shown.text) == has_words


@pytest.mark.parametrize("name", ["evil.svg", "evil.html", "evil.js", "evil.pdf", "evil.md"])
def test_only_raster_images_are_shown_by_the_browser(served: Served, name: str) -> None:
    (served.folder / name).write_text("<svg/>")
    with served.client() as client:
        answer = client.get(f"/files/{name}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["../outside.png", "%2e%2e/outside.png", "link.png", ".paper/settings.toml", ".PAPER/x"]
)
def test_no_file_outside_of_the_vault_is_served(tmp_path: Path, path: str) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "outside.png").write_bytes(PIXEL)
    (tmp_path / "vault/link.png").symlink_to(tmp_path / "outside.png")
    with serving(tmp_path / "vault") as served, served.client() as client:
        for page in ("files", "notes"):
            assert client.get(f"/{page}/{path}").status_code >= 400
            assert client.get(f"/{page}/x?from=..%2Foutside.png").status_code >= 400


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("[[a b]]", 'href="/notes/a%20b?from=x/y.md"'),
        ("[[a|b]]", ">b</a>"),
        ("[up](../z.md)", 'href="/notes/z.md?from=x/y.md"'),
        ("[out](../../z.md)", 'href="#"'),
        ("![p](p.png)", '<img src="/files/x/p.png" alt="p" loading="lazy">'),
        ("![p](p.svg)", 'href="/notes/p.svg?from=x/y.md"'),
        ("![p](https://example.com/p.png)", 'href="https://example.com/p.png"'),
    ],
)
def test_links_of_a_note_lead_into_the_vault(source: str, wanted: str) -> None:
    assert wanted.replace("from=x/y.md", "from=x%2Fy.md") in render_markdown(
        source, note="x/y.md", picture=lambda target: f"/files/x/{target}"
    )
