"""Tools and language-model agents as plain text files in a folder of notes."""

from paperagents.version import __version__

__all__ = ["__version__"]
