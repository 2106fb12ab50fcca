"""The exports of a JavaScript file, written as assignments: a file that runs as a function cannot export otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from paperagents.reading.javascript_syntax import JavaScript

_MAIN = "module.exports="


def written_exports(code: JavaScript) -> Iterator[tuple[int, int, str]]:
    """What to write in the place of each ``export``. What has a name is exported at the very end.

    Only there has everything its value, wherever the file names it.
    """
    named: list[str] = []
    for statement in code.root.named_children:
        if statement.type != "export_statement" or statement.child_by_field_name("source") is not None:
            continue
        if (main := next((each for each in statement.children if each.type == "default"), None)) is not None:
            yield _main_export(code, statement, main)
        else:
            yield _plain(code, statement)
            named += _names(code, statement)
    if named:
        yield len(code.code), len(code.code), f"\n;Object.assign(exports, {{ {', '.join(named)} }});"


def _main_export(code: JavaScript, statement: Node, word: Node) -> tuple[int, int, str]:
    """With one blank after it the words are as long as what takes their place, so that columns stay true."""
    start, end = code.finding(statement, "").start, code.finding(word, "").end
    lines = "\n" * code.code.count("\n", start, end)
    return start, end + (code.code[end : end + 1] == " "), _MAIN + lines


def _plain(code: JavaScript, statement: Node) -> tuple[int, int, str]:
    """The declaration alone; of a list of names nothing but its lines."""
    found = code.finding(statement, "")
    declared = statement.child_by_field_name("declaration")
    end = found.end if declared is None else code.finding(declared, "").start
    return found.start, end, "".join(each if each == "\n" else " " for each in code.code[found.start : end])


def _names(code: JavaScript, statement: Node) -> Iterator[str]:
    """Each as a field of an object."""
    declared = statement.child_by_field_name("declaration")
    clause = next((each for each in statement.named_children if each.type == "export_clause"), None)
    if clause is not None:
        parts = (each.children for each in clause.named_children if each.type == "export_specifier")
        yield from (f"{code.text(each[-1])}: {code.text(each[0])}" for each in parts)
    elif declared is not None:
        variables = (each for each in declared.named_children if each.type == "variable_declarator")
        names = (each.child_by_field_name("name") for each in (declared, *variables))
        yield from (code.text(each) for each in names if each is not None and each.type == "identifier")
