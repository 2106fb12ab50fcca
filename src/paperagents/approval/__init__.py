"""A person's yes or no to exactly one change."""
