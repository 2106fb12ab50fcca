"""Sentences about other MCP servers: what they get, how they fail, what they ask."""

TEXTS = {
    "remote-secret-missing": (
        "The MCP server '{server}' needs {name}, which is not set.",
        "Der MCP-Server „{server}“ braucht {name}; es ist nicht gesetzt.",
        "MCP 服务器 “{server}” 需要 {name}，但尚未设置。",
    ),
    "remote-secret-missing.hint": (
        "Set it: paper env --service {service!q} {name}",
        "Setzen: paper env --service {service!q} {name}",
        "请设置：paper env --service {service!q} {name}",
    ),
    "remote-unreachable.told": (
        "The MCP server '{server}' does not answer: {reason}. It said last: {told}",
        "Der MCP-Server „{server}“ antwortet nicht: {reason}. Zuletzt schrieb er: {told}",
        "MCP 服务器 “{server}” 没有应答：{reason}。它最后的输出：{told}",
    ),
    "remote-unauthorized": (
        "The MCP server '{server}' wants a login (HTTP {status}).",
        "Der MCP-Server „{server}“ verlangt eine Anmeldung (HTTP {status}).",
        "MCP 服务器 “{server}” 要求登录（HTTP {status}）。",
    ),
    "remote-unauthorized.hint": (
        "Log in with the browser: paper mcp login {server!q}; or give a token or headers under [mcp_servers.{server}].",
        "Im Browser anmelden: paper mcp login {server!q}; oder token oder headers in [mcp_servers.{server}] angeben.",
        "用浏览器登录：paper mcp login {server!q}；或在 [mcp_servers.{server}] 下设置 token 或 headers。",
    ),
    "mcp.gets-variables": (
        "It gets the variables {names}.",
        "Er bekommt die Variablen {names}.",
        "它会得到变量 {names}。",
    ),
    "mcp.gets-headers": (
        "It is sent the headers {names}.",
        "Ihm werden die Kopfzeilen {names} gesendet.",
        "会向它发送请求头 {names}。",
    ),
    "mcp.gets-secret": (
        "At a login it gets the secret {name}.",
        "Bei einer Anmeldung bekommt er das Geheimnis {name}.",
        "登录时它会得到机密 {name}。",
    ),
    "mcp.gets-token": (
        "It is sent the token that is set for it.",
        "Ihm wird der Token gesendet, der für ihn gesetzt ist.",
        "会向它发送为它设置的令牌。",
    ),
    "mcp.is-trusted": (
        "What it answers counts as yours.",
        "Was er antwortet, gilt als Ihr Eigenes.",
        "它的回答会被当作您自己的内容。",
    ),
    "remote-login-failed": (
        "The login at the MCP server '{server}' did not succeed: {reason}",
        "Die Anmeldung beim MCP-Server „{server}“ ist nicht gelungen: {reason}",
        "登录 MCP 服务器 “{server}” 失败：{reason}",
    ),
    "mcp.login.open": (
        "Log in with your browser: {address}",
        "Melden Sie sich im Browser an: {address}",
        "请在浏览器中登录：{address}",
    ),
    "mcp.login.done": (
        "You are logged in and can close this window.",
        "Sie sind angemeldet und können dieses Fenster schließen.",
        "您已登录，可以关闭此窗口。",
    ),
    "cli.mcp.login": (
        "Log in to an MCP server with the browser; the login is kept in the system's keyring.",
        "Sich bei einem MCP-Server im Browser anmelden; die Anmeldung bleibt im Schlüsselbund des Systems.",
        "用浏览器登录 MCP 服务器；登录信息保存在系统密钥环中。",
    ),
    "cli.mcp.logged-in": (
        "Logged in to {server}.",
        "Bei {server} angemeldet.",
        "已登录 {server}。",
    ),
    "login-not-kept": (
        "The system's keyring has not kept the login at '{server}'.",
        "Der Schlüsselbund des Systems hat die Anmeldung bei „{server}“ nicht behalten.",
        "系统密钥环未能保存 “{server}” 的登录信息。",
    ),
    "login-needs-address": (
        "'{server}' is started by a command; there is nothing to log in to.",
        "„{server}“ wird durch einen Befehl gestartet; eine Anmeldung gibt es dort nicht.",
        "“{server}” 由命令启动，无需登录。",
    ),
    "mcp.form": (
        "The MCP server '{server}' asks you:",
        "Der MCP-Server „{server}“ fragt Sie:",
        "MCP 服务器 “{server}” 询问您：",
    ),
    "mcp.form.fields": (
        "Your answer, as the arguments of this question:",
        "Ihre Antwort, als Argumente dieser Frage:",
        "您的回答（即此问题的参数）：",
    ),
    "mcp.form.address": (
        "It asks you to open this page: {address}",
        "Er bittet Sie, diese Seite zu öffnen: {address}",
        "它请您打开此页面：{address}",
    ),
    "mcp.resources": (
        "Read a resource of this server by its address (uri); without one, list them all. For example: {names}",
        "Eine Ressource dieses Servers nach ihrer Adresse (uri) lesen; ohne Adresse alle auflisten. Etwa: {names}",
        "按地址（uri）读取此服务器的资源；不给地址则列出全部。例如：{names}",
    ),
    "mcp.prompts": (
        "Get a prompt of this server by its name, with arguments; without a name, list them all. For example: {names}",
        "Eine Vorlage dieses Servers nach Namen abrufen, mit Argumenten; ohne Namen alle auflisten. Etwa: {names}",
        "按名称获取此服务器的提示模板（可带参数）；不给名称则列出全部。例如：{names}",
    ),
    "mcp.sample": (
        "The MCP server '{server}' wants to ask your language model, at your cost:",
        "Der MCP-Server „{server}“ möchte Ihr Sprachmodell befragen, auf Ihre Kosten:",
        "MCP 服务器 “{server}” 想使用您的语言模型提问（费用由您承担）：",
    ),
    "mcp.sample.denied": (
        "The person has not allowed this.",
        "Das wurde nicht erlaubt.",
        "用户未允许此操作。",
    ),
    "cli.doctor.server-errors": (
        "MCP server {server}, its last lines:",
        "MCP-Server {server}, seine letzten Zeilen:",
        "MCP 服务器 {server} 的最后几行输出：",
    ),
}
