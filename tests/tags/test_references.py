from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from paperagents.errors import PaperError
from paperagents.tags import (
    analyze_vault_references,
    expand_vault_references,
    in_vault_lookup,
    references,
    replace_vault_references,
    resolve_vault_references,
    resolve_vault_references_simple,
    validate_vault_references,
)


def reference(identifier: str) -> str:
    return f'{{{{<vaultref id="{identifier}" />}}}}'


def resolved(text: str, **entries: str) -> str:
    return resolve_vault_references_simple(text, lookup=entries)


@pytest.mark.parametrize(
    "written",
    [
        '{{<vaultref id="x" />}}',
        "{{<vaultref id='x' />}}",
        '{{<vaultref id="x"/>}}',
        "{{<vaultref   id = 'x'   />}}",
        "{{< vaultref\n\tid=x\n/>}}",
        '{{<VaultRef ID="x"/>}}',
        '{{<vaultref identifier="x" />}}',
        '{{<vaultref note="/>}}" id="x" />}}',
        "{{<vaultref id=x note=it's />}}",
        "{{<vaultref id=" + " " * 5000 + '"x" />}}',
        "{{<" + " " * 5000 + "vaultref id" + "\n" * 5000 + "= x /" + " " * 5000 + ">}}",
    ],
)
def test_a_reference_is_found_however_it_is_written(written: str) -> None:
    assert resolved(f"a{written}b", x="1") == "a1b"


@pytest.mark.parametrize("content", ["$&", r"\1 \g<0>", "{{name}}", "{", "}}", "{{<memory />}}", "\\", "$$ $1", "é\0"])
def test_content_is_inserted_as_it_is(content: str) -> None:
    assert resolved(f"<{reference('x')}>", x=content) == f"<{content}>"


def test_an_entry_with_empty_content_is_not_missing() -> None:
    result = resolve_vault_references(reference("x"), lookup={"x": ""})
    assert (result["resolved_text"], result["missing"], result["fully_resolved"]) == ("", [], True)


def test_a_missing_entry_leaves_a_remark() -> None:
    result = resolve_vault_references(f"a {reference('x')} {reference('x')}", lookup={})
    assert result["resolved_text"] == "a /* [MISSING_VAULT:x] */ /* [MISSING_VAULT:x] */"
    assert result["missing"] == ["x"]
    assert result["fully_resolved"] is False


def test_an_identifier_cannot_leave_the_remark_it_stands_in() -> None:
    assert resolved(reference("x */ steal()")) == "/* [MISSING_VAULT:x * / steal()] */"


def test_a_missing_entry_raises_where_that_is_wanted() -> None:
    with pytest.raises(PaperError) as caught:
        resolve_vault_references(reference("x"), throw_on_missing=True, lookup={})
    assert caught.value.code == "vault-reference-missing"
    assert "'x'" in caught.value.message


def test_handlers_may_give_the_text_to_put_in() -> None:
    seen: list[Any] = []

    def on_error(error: dict[str, Any]) -> str:
        seen.append(error["code"])
        return "<again>"

    text = reference("missing") + reference("self")
    result = resolve_vault_references(
        text,
        on_missing=lambda identifier: f"<no {identifier} $&>",
        on_error=on_error,
        lookup={"self": reference("self")},
    )
    assert result["resolved_text"] == "<no missing $&><again>"
    assert seen == ["vault-reference-cycle"]
    assert result["fully_resolved"] is False


def test_handlers_that_give_nothing_change_nothing() -> None:
    result = resolve_vault_references(reference("x"), on_missing=lambda _: None, lookup={})
    assert result["resolved_text"] == "/* [MISSING_VAULT:x] */"


def test_entries_refer_to_entries_down_to_the_limit() -> None:
    entries = {"a": f"1{reference('b')}", "b": f"2{reference('c')}", "c": f"3{reference('d')}", "d": "4"}
    result = resolve_vault_references(reference("a"), lookup=entries)
    assert result["resolved_text"] == f"123{reference('d')}"
    assert result["references"] == ["a", "b", "c", "d"]
    assert (result["depth"], result["fully_resolved"]) == (3, False)
    assert [error["code"] for error in result["errors"]] == ["vault-reference-too-deep"]
    deeper = resolve_vault_references(reference("a"), max_depth=4, lookup=entries)
    assert (deeper["resolved_text"], deeper["depth"], deeper["fully_resolved"]) == ("1234", 4, True)


def test_a_limit_of_nothing_resolves_nothing() -> None:
    assert resolve_vault_references(reference("a"), max_depth=0, lookup={"a": "1"})["resolved_text"] == reference("a")


@pytest.mark.parametrize("length", [1, 2, 3, 4, 50, 5000])
def test_a_circle_is_found_and_named_however_long(length: int) -> None:
    entries = {f"e{n}": f"x{reference(f'e{(n + 1) % length}')}" for n in range(length)}
    result = resolve_vault_references(reference("e0"), lookup=entries)
    (error,) = result["errors"]
    assert error["code"] == "vault-reference-cycle"
    assert "e0" in error["message"]
    assert "→" in error["message"]
    assert result["fully_resolved"] is False


def test_an_entry_used_twice_is_no_circle() -> None:
    entries = {"a": reference("c"), "b": reference("c"), "c": "x"}
    assert resolve_vault_references(reference("a") + reference("b") * 2, lookup=entries)["fully_resolved"]


def test_ten_thousand_references_are_resolved() -> None:
    result = resolve_vault_references(reference("x") * 10_000, lookup={"x": "ab"})
    assert result["resolved_text"] == "ab" * 10_000
    assert result["references"] == ["x"]


def test_the_size_of_the_result_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_INSERTED", 1000)
    entries = {"a": reference("b") * 100, "b": "x" * 100}
    result = resolve_vault_references(reference("a"), lookup=entries)
    assert len(result["resolved_text"]) < 10_000
    assert "vault-reference-too-large" in {error["code"] for error in result["errors"]}


def test_the_work_is_bounded_where_nothing_is_inserted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_INSERTIONS", 1000)
    entries = {"a": reference("b") * 1000, "b": reference("c") * 1000, "c": ""}
    asked: list[str] = []

    def lookup(identifier: str) -> str | None:
        asked.append(identifier)
        return entries.get(identifier)

    result = resolve_vault_references(reference("a"), lookup=lookup)
    assert not result["fully_resolved"]
    assert len(asked) < 5000


def test_a_store_that_fails_is_an_error_of_that_reference() -> None:
    def lookup(identifier: str) -> str | None:
        if identifier == "bad":
            raise OSError("disk {gone}")
        return "ok"

    result = resolve_vault_references(reference("bad") + reference("good"), lookup=lookup)
    assert result["resolved_text"] == reference("bad") + "ok"
    assert result["errors"][0]["code"] == "vault-reference-failed"
    assert "disk {gone}" in result["errors"][0]["message"]


def test_a_reference_without_id_stays_and_is_an_error() -> None:
    result = resolve_vault_references("{{<vaultref />}} {{<vaultref id />}}", lookup={})
    assert result["resolved_text"] == "{{<vaultref />}} {{<vaultref id />}}"
    assert [error["code"] for error in result["errors"]] == ["vault-reference-without-id"]


@pytest.mark.parametrize("written", ['{{<vaultref id="x">}}', "{{< VaultRef id='x' >}}"])
def test_a_reference_whose_slash_is_missing_stays_and_is_told(written: str) -> None:
    result = resolve_vault_references(f"{written} {reference('x')}", lookup={"x": "1"})
    assert (result["resolved_text"], result["references"], result["fully_resolved"]) == (f"{written} 1", ["x"], False)
    assert [(each["code"], each["id"]) for each in result["errors"]] == [("vault-reference-unclosed", "x")]
    assert not validate_vault_references(written, lookup={"x": "1"})["valid"]
    assert replace_vault_references(written, {"x": "1"}) == written


def test_references_in_code_are_resolved() -> None:
    assert resolved(f"```js\n{reference('x')}\n```", x="1") == "```js\n1\n```"


def test_missing_entries_are_errors_of_code() -> None:
    result = expand_vault_references(f"f({reference('x')})", lookup={})
    assert result["resolved_code"] == "f(/* [MISSING_VAULT:x] */)"
    assert result["has_errors"]
    assert result["errors"][0] | {"message": ""} == {"code": "vault-reference-missing", "id": "x", "message": ""}


def test_analysis_tells_what_a_text_refers_to() -> None:
    text = f"a\n {reference('x')}{reference('y')}{reference('x')}"
    analysis = analyze_vault_references(text, lookup={"x": ""})
    assert (analysis["has_references"], analysis["count"]) == (True, 3)
    assert (analysis["references"], analysis["found"], analysis["missing"]) == (["x", "y"], ["x"], ["y"])
    first = analysis["occurrences"][0]
    assert (first["id"], first["raw"], first["line"], first["column"]) == ("x", reference("x"), 2, 2)
    assert text[first["start"] : first["end"]] == first["raw"]


def test_validation_looks_into_entries() -> None:
    assert validate_vault_references(reference("x"), lookup={"x": "1"})["valid"]
    answer = validate_vault_references(reference("x"), lookup={"x": reference("y")})
    assert (answer["valid"], answer["missing"], answer["references"]) == (False, ["y"], ["x", "y"])


def test_replacing_puts_in_what_is_given_and_nothing_else() -> None:
    text = f"{reference('x')} {reference('y')} {{{{<vaultref />}}}}"
    assert (
        replace_vault_references(text, {"x": reference("y")})
        == f"{reference('y')} {reference('y')} {{{{<vaultref />}}}}"
    )
    assert replace_vault_references(text, lambda identifier: identifier * 2) == "xx yy {{<vaultref />}}"


def test_without_a_vault_everything_is_missing() -> None:
    assert resolve_vault_references(reference("x"))["missing"] == ["x"]


def test_inside_a_block_its_lookup_is_asked_unless_the_call_names_another() -> None:
    with in_vault_lookup({"x": "of the block"}):
        assert resolve_vault_references_simple(reference("x")) == "of the block"
        with in_vault_lookup({"x": "of the inner block"}):
            assert resolve_vault_references_simple(reference("x")) == "of the inner block"
        assert resolve_vault_references_simple(reference("x")) == "of the block"
        assert resolve_vault_references_simple(reference("x"), lookup={}) == "/* [MISSING_VAULT:x] */"
    assert resolve_vault_references_simple(reference("x")) == "/* [MISSING_VAULT:x] */"


def test_a_block_is_no_matter_of_other_threads() -> None:
    with in_vault_lookup({"x": "mine"}), ThreadPoolExecutor(1) as other:
        assert other.submit(resolve_vault_references_simple, reference("x")).result() == "/* [MISSING_VAULT:x] */"


def test_entries_nested_thousands_deep_are_resolved_where_the_limit_allows_it() -> None:
    entries = {f"e{place}": f"<{reference(f'e{place + 1}')}>" for place in range(3000)} | {"e3000": "end"}
    result = resolve_vault_references(reference("e0"), max_depth=5000, lookup=entries)
    assert result["resolved_text"] == "<" * 3000 + "end" + ">" * 3000
    assert (result["depth"], result["fully_resolved"]) == (3001, True)


def test_an_entry_is_read_once_however_often_it_is_referred_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_INSERTED", 300)
    read: list[str] = []

    def look_up(name: str) -> str:
        read.append(name)
        return "1" * 100

    resolve_vault_references(reference("x") * 500 + reference("y") * 500, lookup=look_up)
    assert read == ["x"]
