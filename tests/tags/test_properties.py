from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.tags import parse_attributes, read_tags, resolve_vault_references, validate_operation
from paperagents.tags.extraction import SHORT, read_operations
from paperagents.tags.grammar import TAG, plain_tag, quoted

ALPHABET = ["{{<", "{", "}}", "/>}}", ">}}", "memory", "task", "{{</memory>}}", "{{<js_execute>}}", " a=", "'", '"']
ALPHABET += ["`", "```", "\n", "~~~", "\\", " ", "{{<vaultref id=", "é", "\x00", "\ud800", "\u2028", "=", ">", "/"]
ALPHABET += ['{{<memory identifier="a" />}}', "{{<task status='x'/>}}", "{{<reasoning_text>}}", "{{</reasoning_text>}}"]
texts = st.text() | st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_any_text_is_read_and_offsets_agree_with_it(text: str) -> None:
    reading = read_tags(text)
    assert [op["start"] for op in reading.operations] == sorted(op["start"] for op in reading.operations)
    for operation in reading.operations:
        assert text[operation["start"] : operation["end"]] == operation["raw"]
        assert operation["content"] in operation["raw"]
        before = text[: operation["start"]]
        assert operation["line"] == before.count("\n") + 1
        assert operation["column"] == len(before) - (before.rfind("\n") + 1) + 1
    for problem in reading.diagnostics:
        before = text[: problem["start"]]
        assert (problem["line"], problem["column"]) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


@settings(max_examples=400, deadline=None)
@given(texts)
def test_the_calls_alone_are_the_same_in_short_and_in_long_texts(text: str) -> None:
    expected = read_tags(text).operations
    assert read_operations(text) == expected
    assert [operation["raw"] for operation in read_operations(text + "\n\n" + "." * SHORT)] == [
        operation["raw"] for operation in read_tags(text + "\n\n").operations
    ]


PLAIN_PARTS = ["{{<", "/", "memory", " ", "\n", "a", "=", '"', "'", "\\", ">}}", "é", "_1", ".", ","]


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(PLAIN_PARTS), max_size=12).map("".join))
def test_a_tag_that_is_plainly_written_is_a_tag_of_the_same_kind(rest: str) -> None:
    text = "{{<" + rest + ">}}"
    plain, exact = plain_tag(text).match(text), TAG.match(text)
    assert plain is not None
    assert exact is not None
    if plain.lastindex is not None:
        assert plain.span() == exact.span()
        assert plain.groupdict().items() <= exact.groupdict().items()


@settings(max_examples=300, deadline=None)
@given(texts)
def test_whatever_is_read_can_be_validated(text: str) -> None:
    for operation in read_tags(text).operations:
        result = validate_operation(operation)
        assert result["valid"] == (not result["errors"])


@settings(deadline=None)
@given(texts)
def test_any_text_has_attributes(text: str) -> None:
    assert all(isinstance(value, str | bool) for value in parse_attributes(text).values())


keys = st.from_regex(r"[a-z_][a-z0-9_.:-]{0,20}", fullmatch=True)


@settings(deadline=None)
@given(st.dictionaries(keys, st.text(st.characters(exclude_categories=["Cs"])), max_size=6))
def test_values_come_back_as_they_were_written(values: dict[str, str]) -> None:
    written = " ".join(f"{key}={quoted(value)}" for key, value in values.items())
    assert parse_attributes(written) == values
    (operation,) = read_tags(f"x {{{{<memory {written}/>}}}} y").operations
    assert operation["attributes"] == values


entries = st.dictionaries(st.sampled_from("abc"), texts, max_size=3)


@settings(max_examples=200, deadline=None)
@given(texts, entries)
def test_any_text_with_any_entries_is_resolved(text: str, entries: dict[str, str]) -> None:
    whole = text + "{{<vaultref id=a/>}}" + text
    result = resolve_vault_references(whole, lookup=entries)
    assert result["original_text"] == whole
    assert set(result["missing"]) <= set(result["references"])
