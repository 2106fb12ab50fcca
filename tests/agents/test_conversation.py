"""Conversations as notes: readable, continued from, whole after an interruption at any byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.agents.conversation import (
    FOLDER,
    Section,
    as_messages,
    escape_headings,
    list_conversations,
    open_conversation,
    read_sections,
)
from paperagents.errors import ToolError
from paperagents.messages import in_language
from paperagents.secrets.redaction import Redaction

RUN = "0123456789abcdef"
SAID = st.lists(st.tuples(st.sampled_from(["you", "agent", "tools"]), st.text(max_size=60)), max_size=6)
LINES = st.text(alphabet=st.sampled_from("\\# YouAgent<!-\n`~"), max_size=60)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / ".paper").mkdir()
    return tmp_path / ".paper"


def write(kept: Path, *said: tuple[str, str], run: str = RUN, name: str = "c", agent: str = "helper") -> list[Section]:
    with open_conversation(kept, name, agent, run, Redaction()) as conversation:
        for role, text in said:
            conversation.add(role, text)
        return conversation.history


def note(kept: Path) -> Path:
    return kept / FOLDER / "c.md"


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def test_a_conversation_reads_like_a_note(kept: Path) -> None:
    write(kept, ("you", "What grows?"), ("agent", "Peas."))
    assert note(kept).read_text() == (
        f"---\nconversation: helper\n---\n\n<!-- {RUN} -->\n\n## You\n\nWhat grows?\n\n## Agent\n\nPeas.\n"
    )


def test_the_next_run_knows_what_was_said(kept: Path) -> None:
    write(kept, ("you", "What grows?"), ("agent", "Peas."))
    history = write(kept, ("you", "And when?"), run="another0")
    assert history == [Section(role="you", text="What grows?"), Section(role="agent", text="Peas.")]
    assert [message["role"] for message in as_messages(history)] == ["user", "assistant"]


def test_a_person_can_go_on_by_hand_in_any_language(kept: Path) -> None:
    write(kept, ("you", "What grows?"), ("agent", "Peas."))
    with note(kept).open("a") as file:
        file.write("\n## Sie\n\nUnd wann?\r\n\n## 智能体\n\n三月。\n")
    history = write(kept, run="another0")
    assert [(each.role, each.text) for each in history[2:]] == [("you", "Und wann?"), ("agent", "三月。")]


@pytest.mark.parametrize(
    "front",
    [
        "---\ntags: [garden]\nconversation: helper\n---\n",
        "---\nconversation: 'helper'\n---\n",
        '---\nconversation:   "helper"  \ncreated: today\n--- \n',
        "\ufeff---\nconversation: helper\n---\n",
        "---\r\naliases: []\r\nconversation: helper\r\n---\r\n",
    ],
)
def test_properties_may_be_edited_as_in_any_note(front: str, kept: Path) -> None:
    write(kept, ("you", "What grows?"), ("agent", "Peas."))
    said = note(kept).read_text().partition("---\n\n")[2]
    note(kept).write_bytes(f"{front}\n{said}".encode())
    assert [section.text for section in write(kept, ("you", "And?"), run="f" * 16)] == ["What grows?", "Peas."]
    assert list_conversations(kept, "helper") == ["c"]


def test_a_note_that_is_no_conversation_is_told_as_such(kept: Path) -> None:
    write(kept, ("you", "What grows?"))
    note(kept).write_text("Only words.\n")
    with pytest.raises(ToolError) as caught:
        write(kept, ("you", "And?"))
    assert "''" not in caught.value.message
    assert "conversation: helper" in caught.value.message
    assert note(kept).read_text() == "Only words.\n"


def test_headings_are_written_in_the_readers_language(kept: Path) -> None:
    with in_language("de"):
        write(kept, ("you", "Was wächst?"))
    assert "## Sie\n" in note(kept).read_text()


@settings(deadline=None)
@given(st.text() | LINES)
def test_nobody_can_put_words_into_anothers_mouth(text: str) -> None:
    said = read_sections(f"## You\n\n{escape_headings(text)}\n\n## Agent\n\nYes.\n")
    assert [each.text for each in said] == [each for each in (plain(text), "Yes.") if each]


@settings(deadline=None, max_examples=40)
@given(SAID, st.data())
def test_after_an_interruption_at_any_byte_the_note_is_what_it_would_have_been(
    said: list[tuple[str, str]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        kept = Path(folder)
        write(kept, ("you", "before"), run="earlier0")
        start = note(kept).stat().st_size
        write(kept, *said)
        whole = note(kept).read_bytes()
        note(kept).write_bytes(whole[: data.draw(st.integers(start, len(whole)))])
        history = write(kept, *said)
        assert note(kept).read_bytes() == whole
        assert [each.text for each in history] == ["before"]


@settings(deadline=None, max_examples=40)
@given(SAID, st.data())
def test_a_note_cut_at_any_byte_can_be_read_and_continued(said: list[tuple[str, str]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        kept = Path(folder)
        write(kept, *said)
        whole = note(kept).read_bytes()
        note(kept).write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        write(kept, ("you", "and then?"), run="another0")
        assert note(kept).read_text()
        assert write(kept, run="third000")[-1] == Section(role="you", text="and then?")


def test_a_long_answer_is_continued_from_where_it_was_cut(kept: Path) -> None:
    said = [("you", "Tell me all."), ("agent", "all\n" * 500_000)]
    write(kept, *said)
    whole = note(kept).read_bytes()
    note(kept).write_bytes(whole[: len(whole) // 2])
    write(kept, *said)
    assert note(kept).read_bytes() == whole
    note(kept).write_bytes(whole[: len(whole) // 2])
    write(kept, said[0], ("agent", "something else\n" * 200_000))
    assert note(kept).read_bytes().startswith(whole[: len(whole) // 2])


def test_the_same_words_twice_are_two_sections(kept: Path) -> None:
    said = [("agent", "OK"), ("agent", "OK")]
    write(kept, *said)
    assert write(kept, *said) == []
    assert note(kept).read_text().count("## Agent\n\nOK\n") == 2


def test_an_open_fence_does_not_swallow_what_follows(kept: Path) -> None:
    write(kept, ("agent", "```js\nlet x"), ("you", "Go on"))
    assert "```js\nlet x\n\n```\n\n## You" in note(kept).read_text()


def test_secrets_do_not_reach_the_note(kept: Path) -> None:
    with open_conversation(kept, "c", "helper", RUN, Redaction(["sk-secret"])) as conversation:
        conversation.add("agent", "It is sk-secret.")
        conversation.add_result("read_file", "success", "sk-secret")
    assert "sk-secret" not in note(kept).read_text()


def test_long_results_are_shown_in_short(kept: Path) -> None:
    with open_conversation(kept, "c", "helper", RUN, Redaction()) as conversation:
        conversation.add_result("read_file", "success", "x" * 50_000)
    assert note(kept).stat().st_size < 5_000


def test_another_agents_conversation_is_not_continued(kept: Path) -> None:
    write(kept, ("you", "x"), agent="other")
    with pytest.raises(ToolError) as caught:
        write(kept, agent="helper", run="another0")
    assert caught.value.code == "conversation-of-another"


def test_two_do_not_write_at_once(kept: Path) -> None:
    with open_conversation(kept, "c", "helper", RUN, Redaction()), pytest.raises(ToolError) as caught:
        write(kept, run="another0")
    assert caught.value.code == "conversation-in-use"


def _link_to_file(kept: Path, outside: Path) -> None:
    (kept / FOLDER).mkdir()
    (kept / FOLDER / "c.md").symlink_to(outside / "target.md")


def _link_to_folder(kept: Path, outside: Path) -> None:
    (kept / FOLDER).symlink_to(outside)


@pytest.mark.parametrize("plant", [_link_to_file, _link_to_folder])
def test_planted_links_lead_nowhere(kept: Path, tmp_path: Path, plant: Callable[[Path, Path], None]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "target.md").write_text("precious")
    plant(kept, outside)
    with pytest.raises(ToolError) as caught:
        write(kept, ("you", "x"))
    assert caught.value.code == "conversation-unreadable"
    assert (outside / "target.md").read_text() == "precious"
    assert len(list(outside.iterdir())) == 1


def test_conversations_are_listed_by_agent(kept: Path) -> None:
    assert list_conversations(kept, "helper") == []
    for name, agent in (("a", "helper"), ("b", "other"), ("c", "helper")):
        write(kept, ("you", "x"), name=name, agent=agent)
    assert set(list_conversations(kept, "helper")) == {"a", "c"}
