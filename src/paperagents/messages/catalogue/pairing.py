"""Sentences of pairing, and of the plugin for Obsidian."""

TEXTS = {
    "cli.serve.pairing": (
        "To pair Obsidian or a phone, type this code there; it works once, for ten minutes: {code}",
        "Um Obsidian oder ein Telefon zu koppeln, dort diesen Code eingeben; er gilt einmal, zehn Minuten lang: {code}",
        "要配对 Obsidian 或手机，请在那里输入此配对码（十分钟内有效，只能用一次）：{code}",
    ),
    "cli.serve.pair": (
        "Show a code that pairs Obsidian or a phone with a running server.",
        "Einen Code zeigen, der Obsidian oder ein Telefon mit einem laufenden Server koppelt.",
        "显示配对码，用来将 Obsidian 或手机与运行中的服务配对。",
    ),
    "cli.serve.pair.once": (
        "The code works once, for ten minutes. The device may then call tools and answer questions:",
        "Der Code gilt einmal, zehn Minuten lang. Das Gerät darf dann Tools aufrufen und Fragen beantworten:",
        "配对码十分钟内有效，只能用一次。配对后设备可以调用工具并回答问题：",
    ),
    "pairing-refused": (
        "This pairing code is wrong, was used, or has expired.",
        "Dieser Kopplungscode ist falsch, schon benutzt oder abgelaufen.",
        "配对码错误、已被使用或已过期。",
    ),
    "pairing-refused.hint": (
        "Get a new one: paper serve pair",
        "Einen neuen holen: paper serve pair",
        "获取新的配对码：paper serve pair",
    ),
    "cli.obsidian": (
        "The plugin for Obsidian.",
        "Das Plugin für Obsidian.",
        "Obsidian 插件。",
    ),
    "cli.obsidian.install": (
        "Copy the plugin into a vault of Obsidian; again after an update.",
        "Das Plugin in einen Vault von Obsidian kopieren; nach einer Aktualisierung noch einmal.",
        "将插件复制到 Obsidian 仓库；更新后请再次执行。",
    ),
    "cli.obsidian.installed": (
        "The plugin is in {folder}.",
        "Das Plugin ist in {folder}.",
        "插件已放入 {folder}。",
    ),
    "cli.obsidian.next": (
        "Now in Obsidian: Settings → Community plugins → turn them on, reload the list, enable Paper Agents.",
        "Nun in Obsidian: Einstellungen → Community-Plugins → einschalten, Liste neu laden, Paper Agents aktivieren.",
        "接下来在 Obsidian 中：设置 → 第三方插件 → 启用第三方插件，刷新列表，启用 Paper Agents。",
    ),
    "not-obsidian": (
        "{path} is no vault of Obsidian: there is no folder .obsidian in it.",
        "{path} ist kein Vault von Obsidian: Es enthält keinen Ordner .obsidian.",
        "{path} 不是 Obsidian 仓库：其中没有 .obsidian 文件夹。",
    ),
    "not-obsidian.hint": (
        "Open the folder once in Obsidian, or name another one: paper obsidian install VAULT",
        "Öffnen Sie den Ordner einmal in Obsidian, oder nennen Sie einen anderen: paper obsidian install VAULT",
        "请先在 Obsidian 中打开一次该文件夹，或指定其他文件夹：paper obsidian install VAULT",
    ),
    "obsidian-foreign-files": (
        "{path} has files of another plugin; nothing was changed.",
        "{path} enthält Dateien eines anderen Plugins; es wurde nichts geändert.",
        "{path} 中有其他插件的文件；未做任何更改。",
    ),
    "obsidian-foreign-files.hint": (
        "Move them elsewhere, then try again.",
        "Verschieben Sie sie und versuchen Sie es dann noch einmal.",
        "请先移走这些文件，然后重试。",
    ),
}
