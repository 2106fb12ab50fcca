"""The query language and the index behind it."""
