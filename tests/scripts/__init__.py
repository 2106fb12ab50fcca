"""Tests of what builds and draws."""
