"""Tests of the pages, in a real browser where it matters."""
