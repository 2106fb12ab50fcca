"""Sentences of the pages about what is kept: the variables of tools, and the entries of the store."""

TEXTS = {
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
