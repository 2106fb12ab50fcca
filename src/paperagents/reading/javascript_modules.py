"""A JavaScript file that is a module, written as the body of a function; its imports become calls."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from paperagents.reading.javascript_syntax import Finding, JavaScript
from paperagents.sandbox.values import LOADER

_LOADERS = ("require", "import", "importx", "loadModule", "api.importx", "this.api.importx")


def to_function_body(code: JavaScript) -> str:
    """The code with every ``import`` as a call and every ``export`` as an assignment; all lines keep their numbers."""
    imports = rewrite_imports(code) if "import" in code.code else ()
    shell = [(0, 2, "//")] if code.code.startswith("#!") else []
    parts, end = [], 0
    for start, stop, written in sorted([*shell, *imports, *rewrite_exports(code)]):
        parts += [code.code[end:start], written]
        end = stop
    return "".join([*parts, code.code[end:]])


def find_loaded_modules(code: JavaScript) -> Iterator[Finding]:
    """The modules that the file loads by a fixed name, in calls and in import statements."""
    for node in code.nodes:
        named = None
        if node.type == "call_expression":
            function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if function is not None and code.text(function) in _LOADERS and arguments is not None:
                named = next(iter(arguments.named_children), None)
        elif node.type == "import_statement" and node.parent is not None and node.parent.type == "program":
            named = node.child_by_field_name("source")
        if named is not None and named.type == "string":
            yield code.finding(named, code.text(named)[1:-1])


def rewrite_imports(code: JavaScript) -> Iterator[tuple[int, int, str]]:
    """What to write in the place of each ``import``."""
    for node in code.nodes:
        found = code.finding(node, "")
        if node.type == "import" and node.parent is not None and node.parent.type == "call_expression":
            yield found.start, found.end, LOADER
        elif node.type == "import_statement" and node.parent is not None and node.parent.type == "program":
            lines = "\n" * code.text(node).count("\n")
            yield found.start, found.end, write_call(code, node) + lines


def write_call(code: JavaScript, statement: Node) -> str:
    """An import statement as a call."""
    source = statement.child_by_field_name("source")
    name = code.text(source) if source is not None else "''"
    is_json = any(each.type == "import_attribute" and "json" in code.text(each) for each in statement.children)
    call = f"await {LOADER}({name}{', { with: { type: `json` } }' if is_json else ''})"
    clause = next((each for each in statement.named_children if each.type == "import_clause"), None)
    pattern = write_pattern(code, clause) if clause is not None else ""
    return f"const {pattern} = {call};" if pattern else f"{call};"


def write_pattern(code: JavaScript, clause: Node) -> str:
    """What stands before ``from``, as a pattern that takes a module apart."""
    fields: list[str] = []
    for part in clause.named_children:
        match part.type:
            case "identifier":
                fields.append(f"default: {code.text(part)}")
            case "namespace_import":
                return code.text(part.named_children[-1])
            case "named_imports":
                fields += [_field(code, each) for each in part.named_children if each.type == "import_specifier"]
    return "{ " + ", ".join(fields) + " }"


def _field(code: JavaScript, specifier: Node) -> str:
    name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
    written = code.text(name) if name is not None else ""
    return f"{written}: {code.text(alias)}" if alias is not None else written


# --- exports as assignments: a file that runs as a function cannot export otherwise


_MAIN = "module.exports="


def rewrite_exports(code: JavaScript) -> Iterator[tuple[int, int, str]]:
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
