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
}
