"""Which names JavaScript takes for variables."""

from __future__ import annotations

_RESERVED = frozenset({
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements",
    "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void",
    "while", "with", "yield",
})  # fmt: skip


def is_javascript_variable(name: str) -> bool:
    """Whether a value can be given to a script under this name."""
    return name.replace("$", "_").isidentifier() and name not in _RESERVED
