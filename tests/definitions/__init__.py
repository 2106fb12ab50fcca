"""Tests of the definitions."""
