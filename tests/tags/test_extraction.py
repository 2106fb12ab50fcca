from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from paperagents.messages import in_language
from paperagents.tags import TagReader, TagRegistry, extract_tool_operations, read_tags


def attributes(text: str) -> list[dict[str, Any]]:
    return [operation["attributes"] for operation in read_tags(text).operations]


def codes(text: str) -> list[str]:
    return [problem["code"] for problem in read_tags(text).diagnostics]


def contents(text: str, tool_id: str) -> list[str]:
    return [operation["content"] for operation in extract_tool_operations(text, tool_id)]


def test_a_self_closing_tag_is_a_call_with_its_place() -> None:
    text = 'Before\n  {{<memory identifier="a" heading="b" />}} after'
    assert read_tags(text).operations == [
        {
            "tool_id": "memory",
            "type": "self_closing",
            "raw": '{{<memory identifier="a" heading="b" />}}',
            "content": "",
            "attributes": {"identifier": "a", "heading": "b"},
            "has_content": False,
            "start": 9,
            "end": 50,
            "line": 2,
            "column": 3,
        }
    ]


@pytest.mark.parametrize(
    ("inside", "content"),
    [
        ("\na,b\n", "a,b"),
        ("\r\na\r\n", "a"),
        ("\n\na\n\n", "\na\n"),
        (" \na\n ", " \na\n "),
        ("a\nb", "a\nb"),
        ("\n", ""),
        ("\n\n", ""),
        ("\r\n", ""),
        ("", ""),
        ("\r", "\r"),
    ],
)
def test_one_line_break_on_either_side_is_not_content(inside: str, content: str) -> None:
    (operation,) = read_tags(f'{{{{<datavault id="a">}}}}{inside}{{{{</datavault>}}}}').operations
    assert (operation["content"], operation["has_content"]) == (content, bool(content))
    assert operation["raw"] == f'{{{{<datavault id="a">}}}}{inside}{{{{</datavault>}}}}'


def test_a_block_is_a_call_with_its_content_as_it_stands() -> None:
    (operation,) = read_tags('{{<datavault id="a">}}\n  two\n{{</datavault>}}').operations
    assert operation["type"] == "block"
    assert operation["content"] == "  two"
    assert operation["has_content"] is True
    assert operation["attributes"] == {"id": "a"}


def test_an_operation_behaves_as_a_dictionary() -> None:
    def fresh() -> dict[str, Any]:
        operation: dict[str, Any] = read_tags("{{<memory identifier=a />}}").operations[0]
        return operation

    plain = dict(fresh())
    assert list(plain) == [
        *("tool_id", "type", "raw", "content", "attributes", "has_content", "start", "end", "line", "column")
    ]
    assert plain == fresh()
    assert fresh() == plain
    assert fresh() == fresh()
    assert fresh() != {}
    assert json.loads(json.dumps(fresh())) == plain
    assert json.loads(json.dumps([fresh()], indent=1)) == [plain]
    assert {**fresh()} == plain
    assert fresh() | {"x": 1} == plain | {"x": 1}
    assert len(fresh()) == 10
    assert "raw" in fresh()
    assert fresh().get("line") == 1
    assert fresh().get("nothing", 5) == 5
    assert fresh().copy() == plain
    assert pickle.loads(pickle.dumps(fresh())) == plain
    assert repr(fresh()) == repr(plain)
    assert isinstance(fresh(), dict)
    with pytest.raises(KeyError):
        fresh()["nothing"]


def test_what_is_written_into_an_operation_stays() -> None:
    (operation,) = read_tags("{{<memory identifier=a />}}").operations
    operation["content"] = "mine"
    assert operation["content"] == "mine"
    assert operation["line"] == 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"x />}} y"', "x />}} y"),
        ('"it\'s"', "it's"),
        ("'say \"x\"'", 'say "x"'),
        (r'"say \"x\""', 'say "x"'),
        (r"'it\'s'", "it's"),
        (r'"C:\new"', r"C:\new"),
        (r'"\d+\\"', "\\d+\\"),
        (r'"\\\""', r"\""),
        ('"a\nb\n\nc"', "a\nb\n\nc"),
        ('"a > b {{<x"', "a > b {{<x"),
        ("\"{{<vaultref id='x' />}}\"", "{{<vaultref id='x' />}}"),
        ('"`"', "`"),
        ('"```\n"', "```\n"),
        ('""', ""),
        ("bare", "bare"),
        ("/notes/a.md", "/notes/a.md"),
        ("it's", "it's"),
        ("d'où's", "d'où's"),
        ('6"x4', '6"x4'),
        ('"\0\\\\"', "\0\\"),
    ],
)
def test_a_value_keeps_every_character(written: str, value: str) -> None:
    assert attributes(f"{{{{<memory identifier=a content={written} />}}}}") == [{"identifier": "a", "content": value}]
    assert attributes(f"{{{{<memory content={written}/>}}}}") == [{"content": value}]


@pytest.mark.parametrize(
    "text",
    [
        '{{<memory id="a"/>}}',
        '{{<memory   id = "a"   />}}',
        '{{< memory id="a" />}}',
        '{{<MEMORY id="a" />}}',
        '{{<Memory\n\tid="a"\n/>}}',
        "{{<memory id='a'/ >}}",
        "{{<memory id=a/>}}",
        "{{<memory id= a />}}",
        "{{<memory , id='a', />}}",
        "{{<memory id='a'>}}{{</ memory >}}",
        "{{<memory id='a'>}}{{< /MEMORY>}}",
        "{{<"
        + " " * 5000
        + "memory"
        + " " * 5000
        + "id"
        + "\n" * 5000
        + "="
        + "\t" * 5000
        + "'a'/"
        + " " * 5000
        + ">}}",
        "{{<memory id='a'>}}{{<" + " " * 5000 + "/" + " " * 5000 + "memory" + " " * 5000 + ">}}",
    ],
)
def test_spacing_and_case_do_not_matter(text: str) -> None:
    assert attributes(text) == [{"id": "a"}]
    assert codes(text) == []


def test_attributes_may_touch_where_a_quote_parts_them() -> None:
    assert attributes('{{<memory a="1"b="2" />}}') == [{"a": "1", "b": "2"}]


def test_a_forgotten_value_is_empty_and_takes_nothing_from_the_next() -> None:
    assert attributes('{{<memory a= b="2" c= />}}') == [{"a": "", "b": "2", "c": ""}]


def test_the_last_of_two_equal_keys_counts_and_a_warning_says_so() -> None:
    reading = read_tags("{{<memory a=1 a=2 b=3 />}}")
    assert reading.operations[0]["attributes"] == {"a": "2", "b": "3"}
    (problem,) = reading.diagnostics
    assert (problem["code"], problem["severity"]) == ("tag-duplicate-attribute", "warning")
    assert "'a'" in problem["message"]


def test_a_self_closing_tag_is_not_merged_with_a_block_behind_it() -> None:
    text = '{{<datavault id="a" />}}{{<datavault id="b">}}two{{</datavault>}}'
    assert attributes(text) == [{"id": "a"}, {"id": "b"}]
    assert contents(text, "datavault") == ["", "two"]
    assert codes(text) == []


def test_calls_inside_reasoning_are_found_in_document_order() -> None:
    text = "{{<reasoning_text>}}{{<memory id=a />}} {{<task id=b />}}{{</reasoning_text>}}{{<goal id=c />}}"
    assert [op["tool_id"] for op in read_tags(text).operations] == ["reasoning_text", "memory", "task", "goal"]


def test_blocks_of_one_name_nest() -> None:
    text = "{{<datavault id=a>}}1{{<datavault id=b>}}2{{</datavault>}}3{{</datavault>}}"
    assert contents(text, "datavault") == ["1{{<datavault id=b>}}2{{</datavault>}}3", "2"]


def test_a_backtick_inside_a_tag_opens_no_code() -> None:
    text = '{{<memory a="`" />}} {{<memory b=1 />}} ` {{<memory c="`" />}}'
    assert attributes(text) == [{"a": "`"}, {"b": "1"}]


def test_javascript_is_left_alone() -> None:
    code = " const a = `${b}`; const c = '`'; // ``` {{<memory />}} {{<memory content=\" "
    text = f"{{{{<js_execute>}}}}{code}{{{{</js_execute>}}}} then ` {{{{<task />}}}}"
    assert contents(text, "js_execute") == [code]
    assert [op["tool_id"] for op in read_tags(text).operations] == ["js_execute", "task"]


def test_code_in_the_data_vault_is_left_alone_and_text_is_not() -> None:
    assert contents("{{<datavault id=a type=CODE>}}`{{<memory />}}{{</datavault>}}", "datavault") == ["`{{<memory />}}"]
    text = "{{<datavault id=a>}}`{{</datavault>}}`{{</datavault>}}"
    assert contents(text, "datavault") == ["`{{</datavault>}}`"]


def test_unclosed_javascript_hides_no_later_call() -> None:
    text = "{{<js_execute>}} a {{<memory id=m />}} {{<js_execute>}} b {{</js_execute>}} {{<task id=t />}}"
    assert [op["tool_id"] for op in read_tags(text).operations] == ["memory", "js_execute", "task"]
    assert contents(text, "js_execute") == [" b "]
    assert codes(text) == ["tag-unclosed"]


@pytest.mark.parametrize(
    "damaged",
    [
        '{{<memory id="a />}}',
        "{{<memory id='a />}}",
        '{{<memory id="a" /}}',
        '{{<memory id="a" />}',
        '{{<memory id="a"',
        '{{<memory id="C:\\" />}}',
        "{{<memory",
        "{{<memory ???>}}",
        '{{<memory id="a"" />}}',
        "{{</memory x>}}",
        "{{<memory " + "a" * 300 + "=1 />}}",
    ],
)
def test_a_damaged_tag_is_reported_and_hides_no_later_call(damaged: str) -> None:
    text = f'{damaged} and {{{{<task identifier="t" />}}}}'
    assert attributes(text) == [{"identifier": "t"}]
    (problem,) = read_tags(text).diagnostics
    assert (problem["line"], problem["column"], problem["code"]) == (1, 1, "tag-damaged")


def test_a_damaged_tag_comes_with_its_nearest_reading() -> None:
    (problem,) = read_tags('{{<memory id="a b />}} text').diagnostics
    assert problem["reading"] == '{{<memory id="a b" />}}'
    assert problem["reading"] in problem["message"]
    assert read_tags(problem["reading"]).diagnostics == []


@pytest.mark.parametrize(
    ("damaged", "reading"),
    [
        (r'{{<memory id="a" content="C:\new\" />}}', r'{{<memory id="a" content="C:\\new\\" />}}'),
        (r'{{<memory content="say \"x />}}', r'{{<memory content="say \"x" />}}'),
        ('{{<memory id="a content="b" />}}', '{{<memory id="a" content="b" />}}'),
        ("{{<memory id='a content='b' />}}", '{{<memory id="a" content="b" />}}'),
        ("{{<memory id='a' content='it's early' />}}", '{{<memory id="a" content="it\'s early" />}}'),
        ('{{<memory content="He said "hi"" id="a" />}}', r'{{<memory content="He said \"hi\"" id="a" />}}'),
        ('{{<datavault id="a" action="create"></datavault>}}', '{{<datavault id="a" action="create" />}}'),
    ],
)
def test_the_nearest_reading_keeps_every_value(damaged: str, reading: str) -> None:
    (problem,) = read_tags(damaged).diagnostics
    assert problem["reading"] == reading
    assert read_tags(reading).diagnostics == []


@pytest.mark.parametrize("damaged", ["{{</memory/>}}", "{{</memory x>}}", "{{< / memory ?>}}"])
def test_the_nearest_reading_of_a_closing_tag_closes(damaged: str) -> None:
    *_, problem = read_tags(f"{{{{<memory id=a>}}}}x{damaged}").diagnostics
    assert problem["reading"] == "{{</memory>}}"


def test_an_unclosed_block_is_reported_and_hides_nothing() -> None:
    reading = read_tags("a\n {{<goal id=a>}} {{<task id=t />}} {{<final_output>}}x{{</final_output>}}")
    assert [op["tool_id"] for op in reading.operations] == ["task", "final_output"]
    (problem,) = reading.diagnostics
    assert (problem["line"], problem["column"], problem["code"], problem["severity"]) == (2, 2, "tag-unclosed", "error")
    assert problem["reading"] == '{{<goal id="a" />}}'


def test_a_block_left_open_inside_another_does_not_keep_that_one_open() -> None:
    reading = read_tags("{{<reasoning_text>}} {{<memory id=a>}} {{</reasoning_text>}}")
    assert [op["tool_id"] for op in reading.operations] == ["reasoning_text"]
    assert [problem["code"] for problem in reading.diagnostics] == ["tag-unclosed"]


def test_a_closing_tag_alone_is_reported() -> None:
    assert codes("{{</memory>}}") == ["tag-closing-without-opening"]


def test_an_unknown_tag_is_reported_with_the_nearest_name() -> None:
    (problem,) = read_tags("{{<memroy id=a />}}").diagnostics
    assert (problem["code"], problem["severity"]) == ("tag-unknown", "warning")
    assert problem["reading"] == '{{<memory id="a" />}}'


def test_an_unknown_block_is_reported_once() -> None:
    assert codes("{{<figure>}}x{{</figure>}}") == ["tag-unknown"]


def test_a_fence_that_never_ends_is_reported_where_it_hides_tags() -> None:
    assert codes("a\n```\n{{<memory />}}") == ["tag-code-fence-unclosed"]
    assert codes("a\n```\nb") == []


def test_blocks_nested_just_so_deep_are_fine() -> None:
    reading = read_tags("{{<goal>}}" * 100 + "{{</goal>}}" * 100)
    assert len(reading.operations) == 100
    assert reading.diagnostics == []


def test_closing_tags_that_fit_nothing_leave_the_nesting_as_it_is() -> None:
    reading = read_tags("{{<goal>}}" * 60 + "{{</task>}}" + "{{<goal>}}" * 60 + "{{</goal>}}" * 120)
    assert len(reading.operations) == 100
    assert [problem["code"] for problem in reading.diagnostics].count("tag-nested-too-deeply") == 20


def test_a_word_that_is_the_id_of_another_tag_closes_its_own_block() -> None:
    registry = TagRegistry()
    registry.register({"id": "first", "words": ["one"], "type": "block"})
    registry.register({"id": "second", "words": ["first"], "type": "block"})
    reading = read_tags("{{<one>}}{{<first>}}x{{</first>}}{{</one>}} {{<one>}}{{</first>}}", registry)
    assert [operation["tool_id"] for operation in reading.operations] == ["first", "second"]
    assert [operation["content"] for operation in reading.operations] == ["{{<first>}}x{{</first>}}", "x"]


def test_blocks_nested_without_end_are_damage_on_the_outside_only() -> None:
    text = "{{<reasoning_text>}}" * 150 + "{{</reasoning_text>}}" * 150
    reading = read_tags(text)
    assert len(reading.operations) == 100
    assert {problem["code"] for problem in reading.diagnostics} == {"tag-nested-too-deeply"}


def test_ten_thousand_unclosed_blocks_hide_no_later_one() -> None:
    text = "{{<memory id=a>}}" * 10_000 + "{{<final_output>}}x{{</final_output>}}"
    reading = read_tags(text)
    assert [op["tool_id"] for op in reading.operations] == ["final_output"]
    assert len(reading.diagnostics) == 10_000


@pytest.mark.parametrize(("language", "part"), [("en", "never closed"), ("de", "nie geschlossen"), ("zh", "从未关闭")])
def test_problems_are_told_in_the_language_of_the_reader(language: str, part: str) -> None:
    with in_language(language):
        assert part in read_tags("{{<memory>}}").diagnostics[0]["message"]


def test_a_call_is_given_with_the_piece_that_completes_it() -> None:
    reader = TagReader()
    assert reader.feed('{{<reasoning_text>}}\n- {{<memory id="a" ') == []
    assert reader.feed("/>}") == []
    assert [op["attributes"] for op in reader.feed("}")] == [{"id": "a"}]
    assert reader.feed(" `code` {{</reasoning_text") == []
    assert [op["tool_id"] for op in reader.feed(">}}")] == ["reasoning_text"]
    assert reader.close() == []


def test_a_call_behind_a_single_backtick_waits_until_its_paragraph_ends() -> None:
    reader = TagReader()
    assert reader.feed("a ` b {{<memory id=a />}}") == []
    assert len(reader.feed("\n\n")) == 1


@pytest.mark.parametrize("written", ["type=code", 'TYPE="Code"', "Type='code'", 'type=" code "', "type=text type=code"])
def test_stored_code_is_raw_however_its_type_is_written(written: str) -> None:
    text = f"{{{{<datavault id=a {written}>}}}}`{{{{<memory identifier=b />}}}}{{{{</datavault>}}}}"
    assert [each["tool_id"] for each in read_tags(text).operations] == ["datavault"]
