"""Calls that a language model writes into its text."""
