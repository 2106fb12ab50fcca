"""Carries out calls: one path from call to record."""
