"""JavaScript: JSON in, JSON out, within limits."""
