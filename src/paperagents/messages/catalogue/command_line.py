"""Sentences: command_line."""

TEXTS: dict[str, tuple[str, str, str]] = {}
