"""The files of a vault: opened safely, written atomically."""
