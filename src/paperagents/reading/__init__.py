"""Text of files to definitions, with a position for everything."""
