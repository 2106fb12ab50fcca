"""The language server: the language service over the Language Server Protocol, for the editor people have open."""
