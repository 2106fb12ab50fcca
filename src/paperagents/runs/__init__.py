"""The durable core: what happens between a call and its record."""
