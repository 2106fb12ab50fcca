"""Sentences: calls."""

TEXTS: dict[str, tuple[str, str, str]] = {}
