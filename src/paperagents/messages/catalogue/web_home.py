"""Sentences of the first page, of the palette, and of the editor beside its text."""

TEXTS = {
    "web.problem-files": ("Files with problems: {count}", "Dateien mit Problemen: {count}", "有问题的文件：{count} 个"),
    "web.show": ("show", "anzeigen", "显示"),
    "web.home.waiting": ("Waiting for you", "Wartet auf Sie", "等待您处理"),
    "web.home.answer": ("Look and decide", "Ansehen und entscheiden", "查看并决定"),
    "web.home.recent": ("Pinned and recent", "Angeheftet und zuletzt benutzt", "已固定与最近使用"),
    "web.pin": ("Pin", "Anheften", "固定"),
    "web.pinned": ("pinned", "angeheftet", "已固定"),
    "web.save-and-run": ("Save and run", "Speichern und ausführen", "保存并运行"),
    "web.editor.keys": (
        "Tab indents; Esc, then Tab leaves the text.",
        "Tab rückt ein; Esc, dann Tab verlässt den Text.",
        "Tab 缩进；先按 Esc 再按 Tab 离开文本。",
    ),
    "web.js.palette": ("Go to …", "Gehe zu …", "转到…"),
    "web.js.palette-none": ("Nothing found.", "Nichts gefunden.", "未找到。"),
    "web.js.palette-keys": (
        "Enter opens · Ctrl Enter runs with the last values",
        "Enter öffnet · Strg Enter führt mit den letzten Werten aus",
        "Enter 打开 · Ctrl Enter 用上次的值运行",
    ),
    "web.js.palette.tool": ("Tool", "Tool", "工具"),
    "web.js.palette.agent": ("Agent", "Agent", "智能体"),
    "web.js.palette.note": ("Note", "Notiz", "笔记"),
    "web.js.palette.run": ("Run", "Lauf", "运行"),
    "web.js.palette.place": ("Page", "Seite", "页面"),
}
