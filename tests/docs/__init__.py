"""Tests of the README and the documentation."""
