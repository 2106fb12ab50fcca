"""Frozen values: what files, calls and people say. This package imports nothing of ours."""
