"""Sentences: builtin_tools."""

TEXTS: dict[str, tuple[str, str, str]] = {}
