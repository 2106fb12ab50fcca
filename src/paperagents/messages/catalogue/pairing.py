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
    "cli.serve.pair.url": (
        "Address at which the device reaches the server, for the QR code.",
        "Adresse, unter der das Gerät den Server erreicht, für den QR-Code.",
        "设备访问服务所用的地址，用于二维码。",
    ),
    "cli.serve.pair.scan": (
        "Or scan this with the phone's camera, and its browser is paired:",
        "Oder das hier mit der Kamera des Telefons scannen, dann ist dessen Browser gekoppelt:",
        "或用手机相机扫描下面的二维码，即可配对手机浏览器：",
    ),
    "cli.serve.pair.unreachable": (
        "No QR code: no server answers other devices at {address}. Try paper serve --host 0.0.0.0, or --url here.",
        "Kein QR-Code: Unter {address} antwortet kein Server. Entweder paper serve --host 0.0.0.0 oder hier --url.",
        "没有二维码：{address} 上没有可供其他设备访问的服务。请用 paper serve --host 0.0.0.0，或在此用 --url。",
    ),
    "pairing-address": (
        "'{address}' is not the address of a server.",
        "„{address}“ ist keine Adresse eines Servers.",
        "“{address}” 不是服务的地址。",
    ),
    "pairing-address.hint": (
        "Write it as http://192.168.1.20:8765 or https://notes.example.com",
        "Zum Beispiel http://192.168.1.20:8765 oder https://notes.example.com",
        "例如 http://192.168.1.20:8765 或 https://notes.example.com",
    ),
    "web.devices": ("Phones and programs", "Telefone und Programme", "手机与程序"),
    "web.devices.about": (
        "A paired phone can run tools and answer questions. It cannot edit files or change settings.",
        "Ein gekoppeltes Telefon kann Tools ausführen und Fragen beantworten, aber nichts bearbeiten oder einstellen.",
        "已配对的手机可以运行工具并回答问题，但不能编辑文件或更改设置。",
    ),
    "web.pair": ("Pair a phone", "Telefon koppeln", "配对手机"),
    "web.pair.qr": ("QR code that pairs a phone", "QR-Code, der ein Telefon koppelt", "用于配对手机的二维码"),
    "web.pair.scan": (
        "Scan this with the phone's camera, or type the code in Obsidian on the phone:",
        "Mit der Kamera des Telefons scannen, oder den Code auf dem Telefon in Obsidian eingeben:",
        "用手机相机扫描，或在手机上的 Obsidian 中输入配对码：",
    ),
    "web.pair.type": (
        "Type this code in Obsidian:",
        "Diesen Code in Obsidian eingeben:",
        "请在 Obsidian 中输入此配对码：",
    ),
    "web.pair.limits": (
        "It works once, for {minutes} minutes.",
        "Er gilt einmal, {minutes} Minuten lang.",
        "{minutes} 分钟内有效，只能用一次。",
    ),
    "web.pair.link": ("Show the address", "Adresse zeigen", "显示地址"),
    "web.pair.unreachable": (
        "A phone cannot reach this server: it answers this computer alone. In a network you trust, start it with",
        "Der Server antwortet nur diesem Computer. Damit ihn ein Telefon erreicht, in einem vertrauten Netz:",
        "手机无法访问此服务：它只响应本机。在您信任的网络中，请这样启动：",
    ),
    "web.right.call": ("run tools", "Tools ausführen", "运行工具"),
    "web.right.answer": ("answer questions", "Fragen beantworten", "回答问题"),
    "web.right.edit": ("edit", "bearbeiten", "编辑"),
    "web.js.pair-again": ("New code", "Neuer Code", "新配对码"),
    "web.js.paired": ("{name} is paired.", "{name} ist gekoppelt.", "{name} 已配对。"),
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
