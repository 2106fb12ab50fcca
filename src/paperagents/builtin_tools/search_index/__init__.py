"""The index of the vault's notes: it finds what a query asks for without reading the notes again."""
