"""Sentences: sandbox."""

TEXTS: dict[str, tuple[str, str, str]] = {}
