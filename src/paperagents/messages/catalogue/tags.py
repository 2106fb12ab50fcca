"""Sentences: tags."""

TEXTS: dict[str, tuple[str, str, str]] = {}
