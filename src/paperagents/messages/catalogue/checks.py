"""Sentences: checks."""

TEXTS: dict[str, tuple[str, str, str]] = {}
