"""What happened, kept: runs, their journal, and what tools store."""
