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
    "token-too-short": (
        "The setting serve.token needs at least {least} characters.",
        "Die Einstellung serve.token braucht mindestens {least} Zeichen.",
        "设置 serve.token 至少需要 {least} 个字符。",
    ),
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
        "The request took longer than {seconds} seconds to arrive.",
        "Die Anfrage ist nach {seconds} Sekunden noch nicht angekommen.",
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
    "users-own-setting": (
        "{origin}: {name} cannot be set in a vault; whoever sends you a folder could let themselves in.",
        "{origin}: {name} lässt sich nicht in einem Vault festlegen; sonst könnte sich einlassen, wer Ihnen den Ordner "
        "schickt.",
        "{origin}：不能在仓库中设置 {name}；否则发送文件夹的人可以让自己进入。",
    ),
    "users-own-setting.hint": (
        "Set it in {file}, or as a variable.",
        "Legen Sie es in {file} fest oder als Variable.",
        "请在 {file} 中设置，或使用环境变量。",
    ),
    # --- REST
    "invalid-request": (
        "The request cannot be read: {problems}",
        "Die Anfrage ist nicht lesbar: {problems}",
        "无法读取请求：{problems}",
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
    "cli.serve.host": (
        "The address to listen on.",
        "Die Adresse, unter der der Server erreichbar ist.",
        "监听的地址。",
    ),
    "cli.serve.port": (
        "The port; 0 takes any free one.",
        "Der Port; 0 nimmt irgendeinen freien.",
        "端口；0 表示任选一个空闲端口。",
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
        "For programs: {api} and {mcp}, with the header",
        "Für Programme: {api} und {mcp}, mit der Kopfzeile",
        "供程序使用：{api} 和 {mcp}，请求头为",
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
}
