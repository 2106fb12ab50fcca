"""Calls: arguments checked, references resolved."""
