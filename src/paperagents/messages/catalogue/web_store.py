"""Sentences of the pages about lists, failed requests, the variables of tools, and the entries of the store."""

TEXTS = {
    # --- lists in a form
    "web.js.one-per-line": (
        "One entry per line, or JSON.",
        "Ein Eintrag je Zeile, oder JSON.",
        "每行一项，或填写 JSON。",
    ),
    # --- a request that failed
    "web.js.request-failed": (
        "The request failed. Send it again?",
        "Die Anfrage ist fehlgeschlagen. Noch einmal senden?",
        "请求失败。要重新发送吗？",
    ),
    "web.js.retry": ("Retry", "Noch einmal versuchen", "重试"),
    "web.js.abort": ("Abort", "Abbrechen", "中止"),
    # --- variables of a tool
    "web.environment": ("Settings and secrets", "Einstellungen und Geheimnisse", "设置与密钥"),
    "web.environment.about": (
        "Kept with you, outside of the vault, and never shown again.",
        "Liegen bei Ihnen, außerhalb des Vaults, und werden nie wieder angezeigt.",
        "仅由您本人保管，不存入仓库，也不再显示。",
    ),
    "web.variable-set": ("set", "gesetzt", "已设置"),
    "web.variable-default": ("Otherwise: {value}", "Sonst: {value}", "默认：{value}"),
    "web.remove": ("Remove", "Entfernen", "移除"),
    "web.js.removed": ("Removed.", "Entfernt.", "已移除。"),
    # --- entries of the store
    "web.entries": ("Entries", "Einträge", "条目"),
    "web.entries.about": (
        "What agents and tools have kept: memories, tasks, goals, and the data vault.",
        "Was Agenten und Tools sich merken: Erinnerungen, Aufgaben, Ziele und der Datenspeicher.",
        "智能体和工具保存的内容：记忆、任务、目标与数据保险库。",
    ),
    "web.kind.memory": ("Memories", "Erinnerungen", "记忆"),
    "web.kind.task": ("Tasks", "Aufgaben", "任务"),
    "web.kind.goal": ("Goals", "Ziele", "目标"),
    "web.kind.datavault": ("Data vault", "Datenspeicher", "数据保险库"),
    "web.search-entries": ("Search entries", "Einträge suchen", "搜索条目"),
    "web.new-entry": ("New entry", "Neuer Eintrag", "新建条目"),
    "web.no-entries": ("No entries yet.", "Noch keine Einträge.", "还没有条目。"),
    "web.entry.identifier": ("Identifier", "Kennung", "标识符"),
    "web.entry.heading": ("Heading", "Überschrift", "标题"),
    "web.entry.content": ("Content", "Inhalt", "内容"),
    "web.entry.notes": ("Notes", "Anmerkungen", "备注"),
    "web.entry.status": ("Status", "Status", "状态"),
    "web.entry.type": ("Type", "Typ", "类型"),
    "web.entry.description": ("Description", "Beschreibung", "说明"),
    "web.entry-deleted": (
        "This entry was deleted. A version below brings it back.",
        "Dieser Eintrag wurde gelöscht. Eine Fassung unten holt ihn zurück.",
        "此条目已删除。可用下方的版本恢复。",
    ),
    "web.no-content": ("No content.", "Kein Inhalt.", "没有内容。"),
    "web.delete": ("Delete", "Löschen", "删除"),
    "web.versions": ("Versions", "Fassungen", "版本"),
    "web.version": ("Version {number}", "Fassung {number}", "版本 {number}"),
    "web.version-current": ("now", "jetzt", "当前"),
    "web.version-deleted": ("deleted", "gelöscht", "已删除"),
    "web.restore": ("Bring this version back", "Diese Fassung zurückholen", "恢复此版本"),
    "web.js.save": ("Save", "Speichern", "保存"),
    "web.js.entry-exists": (
        "There is an entry '{id}' already.",
        "Einen Eintrag „{id}“ gibt es schon.",
        "已有条目 “{id}”。",
    ),
    "web.js.identifier-first": (
        "Give the entry an identifier first.",
        "Geben Sie dem Eintrag zuerst eine Kennung.",
        "请先填写标识符。",
    ),
}
