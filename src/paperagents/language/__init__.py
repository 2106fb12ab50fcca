"""Help while a file is written: text in, answers out. Used by the language server and by the editor page."""
