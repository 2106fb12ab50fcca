"""What the commands say that try a tool and keep its secrets."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "cli.test": (
        "Try the examples in tool files; nothing is touched.",
        "Die Beispiele in Tool-Dateien ausprobieren; nichts wird angerührt.",
        "试运行工具文件中的示例；不会改动任何内容。",
    ),
    "cli.test.summary": (
        "{passed} passed, {failed} failed",
        "{passed} bestanden, {failed} fehlgeschlagen",
        "{passed} 个通过，{failed} 个失败",
    ),
    "cli.test.none": (
        "No examples yet (tools: {count}). Add 'examples:' with 'input' and 'output' to a tool, then: paper test",
        "Noch keine Beispiele (Tools: {count}). „examples:“ mit „input“ und „output“ ergänzen, dann: paper test",
        "还没有示例（工具：{count} 个）。在工具中添加 “examples:”，写明 “input” 和 “output”，然后运行：paper test",
    ),
    "cli.test.broken": (
        "Cannot be used: {count}. All problems: paper check",
        "Nicht benutzbar: {count}. Alle Probleme: paper check",
        "无法使用的文件：{count} 个。所有问题：paper check",
    ),
    # paper env
    "cli.env": (
        "Settings and secrets of a tool: show which are set, or set them.",
        "Einstellungen und Geheimnisse eines Tools: zeigen, welche gesetzt sind, oder sie setzen.",
        "工具的设置和密钥：查看已设置的项，或进行设置。",
    ),
    "cli.env.service": (
        "A secret of a service, for every tool that declares it for this host.",
        "Ein Geheimnis eines Dienstes, für jedes Tool, das es für diesen Rechner angibt.",
        "某个服务的密钥，供所有为该主机声明它的工具使用。",
    ),
    "cli.env.ask": (
        "{name} for {owner} (not shown; empty changes nothing)",
        "{name} für {owner} (wird nicht angezeigt; leer ändert nichts)",
        "{owner} 的 {name}（不显示；留空则不更改）",
    ),
    "cli.env.kept": (
        "{name} was left as it is.",
        "{name} blieb, wie es war.",
        "{name} 保持不变。",
    ),
    "cli.env.how": (
        "Set it: paper env {target} {name}",
        "Setzen mit: paper env {target} {name}",
        "进行设置：paper env {target} {name}",
    ),
    "cli.env.none": (
        "{owner} declares no settings or secrets.",
        "{owner} verlangt keine Einstellungen oder Geheimnisse.",
        "{owner} 没有声明任何设置或密钥。",
    ),
    "service-unknown": (
        "No tool of this vault declares a variable for the service '{host}'.",
        "Kein Tool dieses Vaults gibt eine Variable für den Dienst „{host}“ an.",
        "此库中没有工具为服务 “{host}” 声明变量。",
    ),
    "service-unknown.hint": (
        "In a tool's 'environment', add to the variable: service: {host}",
        "In einem Tool unter „environment“ bei der Variable ergänzen: service: {host}",
        "请在工具的 “environment” 中为变量添加：service: {host}",
    ),
    "service-unknown.host": (
        "'{host}' is not the name of a host, such as api.example.com.",
        "„{host}“ ist kein Rechnername wie api.example.com.",
        "“{host}” 不是主机名，例如 api.example.com。",
    ),
    "service-unknown.host.hint": (
        "Write the host alone: paper env --service api.example.com KEY",
        "Nur den Rechner nennen: paper env --service api.example.com KEY",
        "只写主机：paper env --service api.example.com KEY",
    ),
    "cli.env.confirm": (
        "Give the values that are set to the tool's file as it is now.",
        "Die gesetzten Werte der Datei des Tools geben, wie sie jetzt ist.",
        "将已设置的值用于工具现在的文件。",
    ),
    "cli.env.set": ("set", "gesetzt", "已设置"),
    "cli.env.unset": ("not set", "nicht gesetzt", "未设置"),
    "cli.env.missing": ("missing", "fehlt", "缺失"),
    "unknown-variable": (
        "{tool} does not declare '{name}' in its environment.",
        "{tool} nennt „{name}“ nicht unter environment.",
        "{tool} 没有在 environment 中声明 “{name}”。",
    ),
    "unknown-variable.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    "variable-does-not-fit": (
        "This value cannot be used for '{name}', which must be: {rules}.",
        "Dieser Wert passt nicht zu „{name}“; verlangt ist: {rules}.",
        "该值不能用于 “{name}”，要求：{rules}。",
    ),
    "missing-variable": (
        "{tool} needs '{names}', which is not set.",
        "{tool} braucht „{names}“; das ist nicht gesetzt.",
        "{tool} 需要 “{names}”，但尚未设置。",
    ),
    "missing-variable.hint": (
        "Set it: paper env {tool} {name}",
        "Setzen mit: paper env {tool} {name}",
        "请设置：paper env {tool} {name}",
    ),
    "missing-variable.service.hint": (
        "Set it for every tool of this service: paper env --service {service} {name}",
        "Für alle Tools dieses Dienstes setzen: paper env --service {service} {name}",
        "为此服务的所有工具设置：paper env --service {service} {name}",
    ),
    "wrong-variable": (
        "What is set for '{names}' is not what {tool} asks for.",
        "Was für „{names}“ gesetzt ist, passt nicht zu dem, was {tool} verlangt.",
        "“{names}” 的设置不符合 {tool} 的要求。",
    ),
    "environment-changed": (
        "The file of {tool} has changed since you gave it '{names}'.",
        "Die Datei von {tool} hat sich geändert, seit Sie ihr „{names}“ gegeben haben.",
        "自您为 {tool} 设置 “{names}” 以来，它的文件已更改。",
    ),
    "environment-changed.hint": (
        "Look at the file, then: paper env {tool} --confirm",
        "Sehen Sie sich die Datei an, dann: paper env {tool} --confirm",
        "请查看该文件，然后：paper env {tool} --confirm",
    ),
    "ask.environment-changed": (
        "May the file as it is now have it? [y/N]",
        "Darf die Datei, wie sie jetzt ist, es bekommen? [j/N]",
        "是否允许现在的文件使用？[y/N]",
    ),
    "secret-elsewhere": (
        "A secret of {service} is not sent to {target}.",
        "Ein Geheimnis von {service} wird nicht an {target} gesendet.",
        "{service} 的密钥不会发送到 {target}。",
    ),
    "secret-elsewhere.hint": (
        "It goes to the host that the tool names as its service, and to no other.",
        "Es geht an den Rechner, den das Tool als Dienst nennt, und an keinen anderen.",
        "它只会发送到工具声明为服务的主机。",
    ),
    "environment-unreadable": (
        "{file} cannot be read and was left as it is: {reason}.",
        "{file} ist nicht lesbar und wurde nicht verändert: {reason}.",
        "无法读取 {file}，文件保持原样：{reason}。",
    ),
}
