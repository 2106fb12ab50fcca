"""A program that is killed while it gives many files their names: the rest of the program follows."""

KILLED_COMMIT = """
import os, sys
import paperagents
from paperagents.approval.question import Approved
from paperagents.files import commit
real, left = commit.take_name, int(sys.argv[2])
def take_name(*given):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    real(*given)
commit.take_name = take_name
"""
"""Takes the vault and how many files get their name before the kill."""
