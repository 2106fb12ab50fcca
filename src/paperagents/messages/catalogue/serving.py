"""Sentences of the server: REST, MCP, and who may come in."""

TEXTS = {
    # --- the guard
    "foreign-host": (
        "This server is not called '{host}'.",
        "Dieser Server heißt nicht „{host}“.",
        "此服务器的名称不是 “{host}”。",
    ),
    "foreign-host.hint": (
        "Names it answers to are set by serve.hosts.",
        "Auf welche Namen er hört, bestimmt die Einstellung serve.hosts.",
        "可用设置 serve.hosts 指定它应答的名称。",
    ),
    "foreign-origin": (
        "This request was sent by another site.",
        "Diese Anfrage kommt von einer fremden Seite.",
        "此请求来自其他网站。",
    ),
    # who may ask
    "token-missing": (
        "Only the owner of the vault may come in here.",
        "Hier darf nur herein, wem der Vault gehört.",
        "只有仓库的所有者可以访问。",
    ),
    "token-missing.hint": (
        "Open the link that paper serve prints, or send the header: Authorization: Bearer TOKEN",
        "Öffnen Sie den Link, den paper serve ausgibt, oder senden Sie die Kopfzeile: Authorization: Bearer TOKEN",
        "请打开 paper serve 显示的链接，或发送请求头：Authorization: Bearer TOKEN",
    ),
    "link-used": (
        "This link has already been used, or it is not from this server.",
        "Dieser Link wurde schon benutzt oder stammt nicht von diesem Server.",
        "此链接已被使用，或不是由此服务器发出的。",
    ),
    "link-used.hint": (
        "A link opens once. Start paper serve again for a new one.",
        "Ein Link öffnet einmal. Starten Sie paper serve neu, um einen neuen zu erhalten.",
        "每个链接只能打开一次。请重新启动 paper serve 以获取新链接。",
    ),
    "right-missing": (
        "The token '{name}' may not do this.",
        "Der Token „{name}“ darf das nicht.",
        "令牌 “{name}” 无权执行此操作。",
    ),
    "right-missing.call": (
        "The token '{name}' may not call tools.",
        "Der Token „{name}“ darf keine Werkzeuge aufrufen.",
        "令牌 “{name}” 无权调用工具。",
    ),
    "right-missing.answer": (
        "The token '{name}' may not answer questions.",
        "Der Token „{name}“ darf keine Fragen beantworten.",
        "令牌 “{name}” 无权回答问题。",
    ),
    "right-missing.edit": (
        "The token '{name}' may not edit files or settings.",
        "Der Token „{name}“ darf keine Dateien oder Einstellungen ändern.",
        "令牌 “{name}” 无权编辑文件或设置。",
    ),
    "right-missing.hint": (
        "Do it on the page, or make a token that may: paper serve token new NAME --may call,{right}",
        "Tun Sie es auf der Seite, oder erstellen Sie einen Token dafür: paper serve token new NAME --may call,{right}",
        "请在网页上操作，或创建有此权限的令牌：paper serve token new NAME --may call,{right}",
    ),
    "right-missing.call.hint": (
        "Make a token that may: paper serve token new NAME --may call",
        "Erstellen Sie einen Token dafür: paper serve token new NAME --may call",
        "请创建有此权限的令牌：paper serve token new NAME --may call",
    ),
    "invalid-token-name": (
        "'{name}' cannot be the name of a token.",
        "„{name}“ kann kein Token heißen.",
        "“{name}” 不能用作令牌名称。",
    ),
    "invalid-token-name.hint": (
        "Use letters, digits, '-', '_' and '.', at most 64.",
        "Erlaubt sind Buchstaben, Ziffern, „-“, „_“ und „.“, höchstens 64.",
        "请使用字母、数字、“-”、“_” 和 “.”，最多 64 个字符。",
    ),
    "token-exists": (
        "There is a token named '{name}' already.",
        "Es gibt schon einen Token namens „{name}“.",
        "已有名为 “{name}” 的令牌。",
    ),
    "token-exists.hint": (
        "Choose another name, or revoke it first: paper serve token revoke {name}",
        "Wählen Sie einen anderen Namen, oder widerrufen Sie ihn zuerst: paper serve token revoke {name}",
        "请换一个名称，或先将其撤销：paper serve token revoke {name}",
    ),
    "unknown-token": (
        "There is no token named '{name}'.",
        "Es gibt keinen Token namens „{name}“.",
        "没有名为 “{name}” 的令牌。",
    ),
    "unknown-token.hint": (
        "What there is: paper serve token list",
        "Welche es gibt: paper serve token list",
        "查看全部：paper serve token list",
    ),
    "unknown-right": (
        "There is no right '{name}'.",
        "Es gibt kein Recht „{name}“.",
        "没有名为 “{name}” 的权限。",
    ),
    "unknown-right.hint": (
        "A token may {rights}: --may call,answer",
        "Mögliche Rechte: {rights}, zum Beispiel --may call,answer",
        "可用权限：{rights}，例如 --may call,answer",
    ),
    "token-too-short": (
        "The setting serve.token needs at least {least} characters.",
        "Die Einstellung serve.token braucht mindestens {least} Zeichen.",
        "设置 serve.token 至少需要 {least} 个字符。",
    ),
    # how much may be asked
    "too-many-requests": (
        "Too many requests in a short time.",
        "Zu viele Anfragen in kurzer Zeit.",
        "短时间内请求过多。",
    ),
    "too-many-requests.hint": (
        "Try again in a few seconds.",
        "Versuchen Sie es in einigen Sekunden wieder.",
        "请几秒后再试。",
    ),
    "request-too-large": (
        "The request has more than {limit} bytes.",
        "Die Anfrage hat mehr als {limit} Bytes.",
        "请求超过 {limit} 字节。",
    ),
    "request-too-slow": (
        "The request took longer than {seconds} {seconds:second|seconds} to arrive.",
        "Die Anfrage ist nach {seconds} {seconds:Sekunde|Sekunden} noch nicht angekommen.",
        "请求在 {seconds} 秒内未能到达。",
    ),
    "request-not-json": (
        "The body of a request must be JSON, and say so.",
        "Der Inhalt einer Anfrage muss JSON sein und das auch sagen.",
        "请求正文必须是 JSON，并声明其类型。",
    ),
    "request-not-json.hint": (
        "Send the header: Content-Type: application/json",
        "Senden Sie die Kopfzeile: Content-Type: application/json",
        "请发送请求头：Content-Type: application/json",
    ),
    # --- REST
    "invalid-request": (
        "The request cannot be read: {problems}",
        "Die Anfrage ist nicht lesbar: {problems}",
        "无法读取请求：{problems}",
    ),
    "request.at": ("{at}: {problem}", "{at}: {problem}", "{at}：{problem}"),
    "request.missing": ("is missing", "fehlt", "缺失"),
    "request.unknown": ("is not known here", "gibt es nicht", "不存在"),
    "request.no-json": ("is not JSON", "ist kein JSON", "不是 JSON"),
    "request.text": ("must be text", "muss Text sein", "必须是文本"),
    "request.short": (
        "is too short, at least {min_length} {min_length:character|characters}",
        "ist zu kurz, mindestens {min_length} Zeichen",
        "太短，至少 {min_length} 个字符",
    ),
    "request.long": (
        "is too long, at most {max_length} {max_length:character|characters}",
        "ist zu lang, höchstens {max_length} Zeichen",
        "太长，最多 {max_length} 个字符",
    ),
    "request.object": ("must be an object", "muss ein Objekt sein", "必须是对象"),
    "request.boolean": ("must be true or false", "muss true oder false sein", "必须是 true 或 false"),
    "request.integer": ("must be a whole number", "muss eine ganze Zahl sein", "必须是整数"),
    "request.number": ("must be a number", "muss eine Zahl sein", "必须是数字"),
    "request.least": ("must be at least {ge}", "muss mindestens {ge} sein", "不能小于 {ge}"),
    "request.most": ("must be at most {le}", "darf höchstens {le} sein", "不能大于 {le}"),
    "request.choice": (
        "must be one of these: {choices}",
        "muss eines davon sein: {choices}",
        "必须是以下之一：{choices}",
    ),
    "request.wrong": ("has a value that is not allowed", "hat einen Wert, der nicht erlaubt ist", "不能是这个值"),
    "no-such-page": (
        "There is no page at {path}.",
        "Unter {path} gibt es keine Seite.",
        "{path} 处没有页面。",
    ),
    "no-such-page.hint": (
        "The note or tool may have been renamed or deleted. Search for it, or start from the tools.",
        "Notiz oder Tool wurde vielleicht umbenannt oder gelöscht. Suchen Sie danach, oder beginnen Sie bei den Tools.",
        "该笔记或工具可能已改名或删除。请搜索它，或从工具列表开始。",
    ),
    "no-such-route": (
        "There is nothing at {path}.",
        "Unter {path} gibt es nichts.",
        "{path} 处没有内容。",
    ),
    "no-such-route.hint": (
        "What there is stands in /api/openapi.json.",
        "Was es gibt, steht in /api/openapi.json.",
        "可用内容见 /api/openapi.json。",
    ),
    "wrong-method": (
        "{path} cannot be called with {method}.",
        "{path} lässt sich nicht mit {method} aufrufen.",
        "{path} 不能用 {method} 调用。",
    ),
    "too-many-runs": (
        "{limit} runs are already going on or waiting for their turn.",
        "{limit} Läufe sind schon im Gange oder warten, bis sie an der Reihe sind.",
        "已有 {limit} 个运行正在进行或排队。",
    ),
    "idempotency-key-reused": (
        "This Idempotency-Key belongs to another call (run {id}).",
        "Dieser Idempotency-Key gehört zu einem anderen Aufruf (Lauf {id}).",
        "此 Idempotency-Key 属于另一次调用（运行 {id}）。",
    ),
    "approval-changed": (
        "What is asked in '{id}' is no longer what was shown.",
        "In „{id}“ wird nicht mehr das gefragt, was gezeigt wurde.",
        "“{id}” 中请求的内容与所显示的已不一致。",
    ),
    "approval-changed.hint": (
        "Look at it again, and answer with the digest it has now.",
        "Sehen Sie es sich noch einmal an und antworten Sie mit dem jetzigen digest.",
        "请重新查看，并用当前的 digest 作答。",
    ),
    # --- paper serve
    "cli.serve": (
        "Serve the vault: pages, REST and MCP, on this machine.",
        "Den Vault bereitstellen: Seiten, REST und MCP, auf diesem Rechner.",
        "在本机上提供仓库服务：网页、REST 和 MCP。",
    ),
    "cli.serve.token": (
        "Tokens for programs, each with a name and its rights.",
        "Token für Programme, jeder mit Namen und eigenen Rechten.",
        "供程序使用的令牌，各有名称和权限。",
    ),
    "cli.serve.token.new": (
        "Make a token; it is shown once.",
        "Einen Token erstellen; er wird einmal gezeigt.",
        "创建令牌；只显示一次。",
    ),
    "cli.serve.token.list": ("List the tokens.", "Die Token auflisten.", "列出令牌。"),
    "cli.serve.token.revoke": (
        "Let nobody in with a token any more.",
        "Mit einem Token niemanden mehr hereinlassen.",
        "撤销令牌，使其不再可用。",
    ),
    "cli.serve.token.may": (
        "What it may do, separated by commas: call tools, answer questions, edit files and settings.",
        "Was er darf, durch Kommas getrennt: call (aufrufen), answer (antworten), edit (Dateien und Einstellungen).",
        "其权限，以逗号分隔：call（调用工具）、answer（回答问题）、edit（编辑文件和设置）。",
    ),
    "cli.serve.token.once": (
        "The token of '{name}', which may {rights}. Keep it now; it is not shown again:",
        "Der Token „{name}“ mit den Rechten {rights}. Heben Sie ihn jetzt auf; er wird nicht noch einmal gezeigt:",
        "令牌 “{name}”，权限：{rights}。请立即保存，之后不再显示：",
    ),
    "cli.serve.token.none": (
        "There are no tokens. Make one: paper serve token new NAME --may call,answer",
        "Es gibt keine Token. Einen erstellen: paper serve token new NAME --may call,answer",
        "没有令牌。创建：paper serve token new NAME --may call,answer",
    ),
    "cli.serve.token.revoked": ("Revoked: {name}", "Widerrufen: {name}", "已撤销：{name}"),
    "cli.serve.host": (
        "The address to listen on; 127.0.0.1 unless given.",
        "Die Adresse, unter der der Server erreichbar ist; ohne Angabe 127.0.0.1.",
        "监听的地址；默认 127.0.0.1。",
    ),
    "cli.serve.port": (
        "The port; 8765 unless given, 0 takes any free one.",
        "Der Port; ohne Angabe 8765, 0 nimmt irgendeinen freien.",
        "端口；默认 8765，0 表示任选一个空闲端口。",
    ),
    "cli.serve.open": (
        "Open the page in the browser.",
        "Die Seite im Browser öffnen.",
        "在浏览器中打开网页。",
    ),
    "cli.serve.ready": (
        "{vault} is served. The link opens once:",
        "{vault} ist bereit. Der Link öffnet einmal:",
        "{vault} 已开始服务。此链接只能打开一次：",
    ),
    "cli.serve.programs": (
        "For programs that call tools: {api} and {mcp}, with the header",
        "Für Programme, die Werkzeuge aufrufen: {api} und {mcp}, mit der Kopfzeile",
        "供调用工具的程序使用：{api} 和 {mcp}，请求头为",
    ),
    "cli.serve.reachable": (
        "Other machines can reach {host}. They need the token too; it is sent without encryption.",
        "Andere Rechner können {host} erreichen. Auch sie brauchen den Token; er wird unverschlüsselt übertragen.",
        "其他机器可以访问 {host}。它们也需要令牌；令牌以未加密方式传输。",
    ),
    "cannot-listen": (
        "{host}:{port} cannot be used: {reason}",
        "{host}:{port} ist nicht verwendbar: {reason}",
        "无法使用 {host}:{port}：{reason}",
    ),
    "cannot-listen.hint": (
        "Another port: paper serve --port 0",
        "Ein anderer Port: paper serve --port 0",
        "换一个端口：paper serve --port 0",
    ),
    # --- MCP
    "cli.mcp": (
        "Serve the vault to an MCP client over standard input and output.",
        "Den Vault einem MCP-Client über Standardein- und -ausgabe bereitstellen.",
        "通过标准输入输出向 MCP 客户端提供仓库。",
    ),
    "mcp.unreadable": (
        "This is no message that can be read: one JSON-RPC 2.0 object per line, in whole characters.",
        "Das ist keine lesbare Nachricht: ein JSON-RPC-2.0-Objekt je Zeile, aus ganzen Zeichen.",
        "这不是可读取的消息：每行一个 JSON-RPC 2.0 对象，且字符必须完整。",
    ),
    "mcp.instructions": (
        "The tools of a vault of notes. What changes something is shown to a person first and waits for their yes.",
        "Die Tools eines Vaults. Was etwas ändert, wird zuerst einem Menschen gezeigt und wartet auf sein Ja.",
        "笔记仓库的工具。凡是会更改内容的操作，都会先展示给人，并等待其同意。",
    ),
    "mcp.waits": (
        "Nothing has been done yet: run {run} waits for a person's yes. They can give it with: {command}",
        "Noch ist nichts geschehen: Lauf {run} wartet auf das Ja eines Menschen, zum Beispiel mit: {command}",
        "尚未执行任何操作：运行 {run} 正在等待人的同意。可用以下命令批准：{command}",
    ),
    "mcp.arguments": (
        "The arguments must fit this schema: {schema}",
        "Die Argumente müssen diesem Schema entsprechen: {schema}",
        "参数必须符合此模式：{schema}",
    ),
    "mcp.ask": (
        "{tool} wants to do this (step {step} of run {run}):",
        "{tool} will Folgendes tun (Schritt {step} des Laufs {run}):",
        "{tool} 要执行以下操作（运行 {run} 的第 {step} 步）：",
    ),
    "mcp.ask.cut": (
        "… {count} more characters. To approve it, see all of it on the page or with: paper approvals show {id}",
        "… noch {count} Zeichen. Für ein Ja sieh dir alles auf der Seite an oder mit: paper approvals show {id}",
        "……还有 {count} 个字符。要批准，请先在网页上查看全部内容，或运行：paper approvals show {id}",
    ),
    "mcp.ask.decision": ("Decision", "Entscheidung", "决定"),
    "mcp.ask.approve": ("Approve", "Genehmigen", "批准"),
    "mcp.ask.deny": ("Deny", "Ablehnen", "拒绝"),
    "mcp.ask.reason": ("Why not (for deny)", "Warum nicht (beim Ablehnen)", "拒绝的原因"),
    "mcp.ask.for-run": (
        "Also for the rest of this run",
        "Auch für den Rest dieses Laufs",
        "本次运行的其余部分也批准",
    ),
    "mcp.ask.always": (
        "Also from now on: {rule}",
        "Auch künftig: {rule}",
        "今后也批准：{rule}",
    ),
    "mcp.ask.edit": (
        "Other arguments instead, as JSON (leave empty to keep them)",
        "Stattdessen andere Argumente, als JSON (leer lassen, um sie zu behalten)",
        "改用其他参数（JSON；留空则保持不变）",
    ),
    "mcp.ask.argument": ("Change {name}", "{name} ändern", "修改 {name}"),
    "mcp.search-tools": (
        "Find tools of the vault by words; gives their names, descriptions and argument schemas.",
        "Tools des Vaults anhand von Wörtern finden; nennt Namen, Beschreibungen und Schemas der Argumente.",
        "按关键词查找仓库中的工具；返回名称、说明和参数模式。",
    ),
    "mcp.call-tool": (
        "Call a tool of the vault that search_tools has found.",
        "Ein Tool des Vaults aufrufen, das search_tools gefunden hat.",
        "调用由 search_tools 找到的仓库工具。",
    ),
    "mcp.note": ("A note of the vault", "Eine Notiz des Vaults", "仓库中的笔记"),
    "mcp.prompt.query": (
        "What the agent is to do",
        "Was der Agent tun soll",
        "智能体要做的事",
    ),
    "unknown-resource": (
        "There is no resource '{uri}'.",
        "Es gibt keine Ressource „{uri}“.",
        "没有资源 “{uri}”。",
    ),
    # --- tools of other MCP servers
    "unknown-remote-tool": (
        "The MCP server of '{name}' is known, but not this tool.",
        "Der MCP-Server von „{name}“ ist bekannt, dieses Tool aber nicht.",
        "“{name}” 的 MCP 服务器已知，但没有这个工具。",
    ),
    "unknown-remote-tool.suggestion": (
        "The MCP server of '{name}' does not offer this tool. Did you mean {suggestion}?",
        "Der MCP-Server von „{name}“ bietet dieses Tool nicht. Meinten Sie {suggestion}?",
        "“{name}” 的 MCP 服务器不提供此工具。您是指 {suggestion} 吗？",
    ),
    "unknown-remote-tool.hint": (
        "Ask the server what it offers: paper mcp connect NAME",
        "Den Server fragen, was er anbietet: paper mcp connect NAME",
        "询问服务器提供哪些工具：paper mcp connect NAME",
    ),
    "remote-not-agreed": (
        "Nobody has agreed yet that this vault may use the MCP server '{server}': {command}",
        "Noch hat niemand zugestimmt, dass dieser Vault den MCP-Server „{server}“ benutzt: {command}",
        "尚无人同意此仓库使用 MCP 服务器 “{server}”：{command}",
    ),
    "remote-not-agreed.hint": (
        "Look at the command, then: paper mcp connect {server}",
        "Sehen Sie sich den Befehl an, dann: paper mcp connect {server}",
        "请查看该命令，然后：paper mcp connect {server}",
    ),
    "remote-unreachable": (
        "The MCP server '{server}' does not answer: {reason}",
        "Der MCP-Server „{server}“ antwortet nicht: {reason}",
        "MCP 服务器 “{server}” 没有应答：{reason}",
    ),
    "remote-unreachable.hint": (
        "Look at command, url and token of [mcp_servers.{server}]; a vault's servers start outside of it, from copies.",
        "Prüfen Sie command, url und token von [mcp_servers.{server}]; sie starten außerhalb des Vaults, aus Kopien.",
        "请检查 [mcp_servers.{server}] 的 command、url 和 token；仓库自身设置的服务器在仓库之外用副本启动。",
    ),
    "remote-too-slow": (
        "The MCP server '{server}' has not answered within {seconds} {seconds:second|seconds}.",
        "Der MCP-Server „{server}“ hat nach {seconds} {seconds:Sekunde|Sekunden} noch nicht geantwortet.",
        "MCP 服务器 “{server}” 在 {seconds} 秒内没有应答。",
    ),
    "remote-tool-failed": (
        "{tool} failed: {reason}",
        "{tool} ist fehlgeschlagen: {reason}",
        "{tool} 失败：{reason}",
    ),
    "remote-answer-invalid": (
        "{tool} has given an answer that cannot be used: {reason}",
        "{tool} hat eine Antwort gegeben, die nicht brauchbar ist: {reason}",
        "{tool} 给出了无法使用的应答：{reason}",
    ),
    "schema-unusable": (
        "What {tool} says about its arguments cannot be used: {reason}",
        "Was {tool} über seine Argumente sagt, ist nicht brauchbar: {reason}",
        "{tool} 对其参数的描述无法使用：{reason}",
    ),
    "remote-answer-too-large": (
        "The answer of {tool} is larger than {limit} bytes.",
        "Die Antwort von {tool} ist größer als {limit} Bytes.",
        "{tool} 的应答超过 {limit} 字节。",
    ),
    "unknown-server": (
        "The settings name no MCP server '{name}'.",
        "Die Einstellungen nennen keinen MCP-Server „{name}“.",
        "设置中没有名为 “{name}” 的 MCP 服务器。",
    ),
    "unknown-server.suggestion": (
        "The settings name no MCP server '{name}'. Did you mean {suggestion}?",
        "Die Einstellungen nennen keinen MCP-Server „{name}“. Meinten Sie {suggestion}?",
        "设置中没有名为 “{name}” 的 MCP 服务器。您是指 {suggestion} 吗？",
    ),
    "unknown-server.hint": (
        "They stand in .paper/settings.toml as [mcp_servers.NAME].",
        "Sie stehen in .paper/settings.toml als [mcp_servers.NAME].",
        "它们写在 .paper/settings.toml 的 [mcp_servers.NAME] 中。",
    ),
    "cli.mcp.servers": (
        "List the MCP servers that the settings name.",
        "Die MCP-Server auflisten, die die Einstellungen nennen.",
        "列出设置中的 MCP 服务器。",
    ),
    "cli.mcp.connect": (
        "Agree to an MCP server of the settings, and ask it which tools it offers.",
        "Einem MCP-Server der Einstellungen zustimmen und fragen, welche Tools er anbietet.",
        "同意使用设置中的一个 MCP 服务器，并询问它提供哪些工具。",
    ),
    "cli.mcp.will-start": (
        "The MCP server '{server}' is this, and will run with your rights:",
        "Der MCP-Server „{server}“ ist dies und läuft mit Ihren Rechten:",
        "MCP 服务器 “{server}” 如下，将以您的权限运行：",
    ),
    "cli.mcp.outside": (
        "It is started outside the vault, from copies of the files that the command names.",
        "Er wird außerhalb des Vaults gestartet, mit Kopien der Dateien, die der Befehl nennt.",
        "它在仓库之外启动，使用命令中所列文件的副本。",
    ),
    "mcp.later-versions": (
        "It can load whatever is in '{folder}': your yes covers every later version of that.",
        "Er kann alles aus „{folder}“ laden: Ihr Ja gilt auch für jede spätere Version davon.",
        "它可以加载 “{folder}” 中的任何内容：您的同意也适用于其以后的所有版本。",
    ),
    "cli.mcp.agree": ("Use it in this vault?", "In diesem Vault benutzen?", "在此仓库中使用？"),
    "cli.mcp.reads": ("only reads", "liest nur", "只读"),
    "cli.mcp.asks": ("asks", "fragt", "需确认"),
    "cli.mcp.agreed": ("agreed", "zugestimmt", "已同意"),
    "cli.mcp.open": ("not agreed yet", "noch nicht zugestimmt", "尚未同意"),
}
