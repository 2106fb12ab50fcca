"""Runs that go on by themselves: on this machine, or on any number that share one database."""
