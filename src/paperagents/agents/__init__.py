"""Agents: a note that thinks with a language model and the tools it was given."""
