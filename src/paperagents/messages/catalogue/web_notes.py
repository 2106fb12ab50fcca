"""Sentences of the pages about notes."""

TEXTS = {
    "web.notes": ("Notes", "Notizen", "笔记"),
    "web.search-notes": ("Search notes", "Notizen durchsuchen", "搜索笔记"),
    "web.note.blame": ("Whose lines", "Wessen Zeilen", "逐行来源"),
    "web.note.read": ("Read", "Lesen", "阅读"),
    "web.note.outside": ("from outside", "von außerhalb", "来自外部"),
    "web.note.backlinks": ("Linked from", "Verlinkt in", "被引用于"),
    "web.note.changes": ("Changed by runs", "Von Läufen geändert", "由运行更改"),
    "web.note.tools": ("Tools for this note", "Tools für diese Notiz", "适用于此笔记的工具"),
}
