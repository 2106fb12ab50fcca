from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.errors import QuerySyntaxError
from paperagents.messages import in_language
from paperagents.search.query import (
    DEEPEST,
    LONGEST,
    MOST_TERMS,
    And,
    Everything,
    InFileName,
    InPath,
    Not,
    Or,
    Pattern,
    Property,
    Query,
    Tag,
    Text,
    compile_linear,
    parse_query,
)

A, B, C = Text(text="a"), Text(text="b"), Text(text="c")


def both(*operands: Query) -> And:
    return And(operands=operands)


def either(*operands: Query) -> Or:
    return Or(operands=operands)


def no(operand: Query) -> Not:
    return Not(operand=operand)


def regular(source: str) -> Pattern:
    return Pattern(pattern=compile_linear(source))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", Everything()),
        (" \n\t", Everything()),
        ("a", A),
        ("a b", both(A, B)),
        ("a AND b", both(A, B)),
        ("a and b", both(A, Text(text="and"), B)),
        ("a OR b", either(A, B)),
        ("a b OR c", either(both(A, B), C)),
        ("a OR b AND c", either(A, both(B, C))),
        ("a OR b OR c", either(A, B, C)),
        ("(a OR b) c", both(either(A, B), C)),
        ("((a))", A),
        ("-a", no(A)),
        ("NOT a", no(A)),
        ("NOT -a", A),
        ("--a", A),
        ("a -b", both(A, no(B))),
        ("-(a b)", no(both(A, B))),
        ("NOT(a)", no(A)),
        ('-"a b"', no(Text(text="a b"))),
        ("AND-rew", Text(text="AND-rew")),
        ("ORDER", Text(text="ORDER")),
        ("NOTE", Text(text="NOTE")),
        ("a-b", Text(text="a-b")),
        ("a - b", both(A, Text(text="-"), B)),
        ('"a  b"', Text(text="a  b")),
        ('"AND"', Text(text="AND")),
        (r'"say \"hi\" \\ \n"', Text(text=r'say "hi" \ \n')),
        ('""', Text(text="")),
        ('a"b"', both(A, B)),
        ("#x", Tag(name="x")),
        ("#x/y/", Tag(name="x/y")),
        ("#", Text(text="#")),
        ("##", Text(text="##")),
        ("tag:x", Tag(name="x")),
        ("tag:#x", Tag(name="x")),
        ("TAG:#项目", Tag(name="项目")),
        ('tag:"#x"', Tag(name="x")),
        ("-tag:#x", no(Tag(name="x"))),
        ("path:notes/", InPath(text="notes/")),
        ('path:"my notes"', InPath(text="my notes")),
        ("(path:notes)", InPath(text="notes")),
        ("file:a.md", InFileName(text="a.md")),
        ("files:a", Text(text="files:a")),
        ("http://a/b", Text(text="http://a/b")),
        ("[status]", Property(name="status")),
        ("[status:done]", Property(name="status", value="done")),
        ("[ status : in progress ]", Property(name="status", value="in progress")),
        ('["my: key":"a ] b"]', Property(name="my: key", value="a ] b")),
        ("[status:]", Property(name="status", value="")),
        ("[time:12:30]", Property(name="time", value="12:30")),
        ("-[done:true] a", both(no(Property(name="done", value="true")), A)),
        ("x[0]", Text(text="x[0]")),
        ("/ab+c/", regular("ab+c")),
        (r"/a\/b/ a", both(regular("a/b"), A)),
        ("/a b/", regular("a b")),
        ("(/a/)", regular("a")),
        ("/notes/a.md", Text(text="/notes/a.md")),
        ("/", Text(text="/")),
        ("//", Text(text="//")),
        ("rezept AND -template", both(Text(text="rezept"), no(Text(text="template")))),
        ("#rezept AND -template", both(Tag(name="rezept"), no(Text(text="template")))),
        ("项目 -模板", both(Text(text="项目"), no(Text(text="模板")))),
    ],
)
def test_queries_mean_what_people_expect(text: str, tree: Query) -> None:
    assert parse_query(text) == tree


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("(a", 1, "query-open-parenthesis"),
        ("a (b (c)", 3, "query-open-parenthesis"),
        ("a)", 2, "query-extra-parenthesis"),
        ("()", 2, "query-missing-operand"),
        ('a "b', 3, "query-open-quote"),
        ('path:"b', 6, "query-open-quote"),
        ("a AND", 6, "query-missing-operand"),
        ("AND a", 1, "query-missing-operand"),
        ("a OR OR b", 6, "query-missing-operand"),
        ("a AND OR b", 7, "query-missing-operand"),
        ("NOT", 4, "query-missing-operand"),
        ("(a OR )", 7, "query-missing-operand"),
        ("a path:", 3, "query-missing-value"),
        ("tag:#", 1, "query-missing-value"),
        ("file: a", 1, "query-missing-value"),
        ('tag:""', 1, "query-missing-value"),
        ("[a", 1, "query-open-bracket"),
        ("[]", 1, "query-empty-property"),
        ("[:a]", 1, "query-empty-property"),
        ("a /(/", 3, "query-bad-pattern"),
        ("/(?=a)/", 1, "query-bad-pattern"),
        ("/(a{999}){999}/", 1, "query-bad-pattern"),
        ("(" * (DEEPEST + 1) + "a", DEEPEST + 1, "query-too-deep"),
        ("a " * (MOST_TERMS + 1), MOST_TERMS * 2 + 1, "query-too-many-terms"),
        ("a" * (LONGEST + 1), LONGEST + 1, "query-too-long"),
    ],
)
def test_a_query_that_cannot_be_read_says_where_and_why(text: str, column: int, problem: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query(text)
    assert caught.value.code == "query-syntax"
    assert caught.value.details == {"column": column}
    assert caught.value.values["problem"].key == problem  # type: ignore[attr-defined]


def test_the_reason_is_told_in_the_reader_s_language() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query('"a')
    with in_language("de"):
        assert str(caught.value) == (
            "Die Suchanfrage ist ab Spalte 1 nicht lesbar: das Anführungszeichen wird nicht geschlossen."
        )


def test_many_parentheses_side_by_side_are_not_deep() -> None:
    assert isinstance(parse_query("(a) " * MOST_TERMS), And)
    assert parse_query("-" * (LONGEST - 1) + "a") == no(A)
    assert parse_query("NOT " * 2000 + "a") == A


pieces = st.sampled_from(
    ["a", "b c", " ", "AND", "OR", "NOT", "-", "(", ")", '"', "[", "]", ":", "/", "\\", "#", "tag:", "path:", "\n", "é",
     "\0", "\ud800"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(pieces, max_size=30).map("".join), st.lists(pieces, max_size=30).map(" ".join)))
def test_any_text_is_a_query_or_a_clear_error(text: str) -> None:
    problem = problem_of(text)
    if problem is not None:
        assert problem.code == "query-syntax"
        assert 1 <= problem.details["column"] <= len(text) + 1
        assert problem.message


def problem_of(text: str) -> QuerySyntaxError | None:
    try:
        parse_query(text)
    except QuerySyntaxError as error:
        return error
    return None


def written(query: Query) -> str:
    """A query in the notation with the most parentheses."""
    match query:
        case And(operands=operands):
            return "(" + " AND ".join(map(written, operands)) + ")"
        case Or(operands=operands):
            return "(" + " OR ".join(map(written, operands)) + ")"
        case Not(operand=operand):
            return f"NOT {written(operand)}"
        case Text(text=text):
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case Tag(name=name):
            return f"#{name}"
    raise AssertionError(query)


terms = st.one_of(
    st.text(max_size=5).map(lambda text: Text(text=text)), st.sampled_from([Tag(name="x"), Tag(name="x/y")])
)
trees = st.recursive(
    terms,
    lambda inner: st.one_of(
        terms.map(no),
        st.lists(inner, min_size=2, max_size=3).map(lambda operands: And(operands=tuple(operands))),
        st.lists(inner, min_size=2, max_size=3).map(lambda operands: Or(operands=tuple(operands))),
    ),
    max_leaves=12,
)


@given(trees)
def test_a_written_tree_is_read_back(tree: Query) -> None:
    assert parse_query(written(tree)) == tree
