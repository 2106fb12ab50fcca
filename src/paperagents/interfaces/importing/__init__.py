"""Tool notes made from descriptions of other systems."""
