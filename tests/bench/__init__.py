"""Tests of what measures and reports."""
