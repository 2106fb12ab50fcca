"""Sentences about what a vault brings along, and whether the user trusts it."""

TEXTS = {
    "cli.trust": (
        "Decide what of the things a vault brings along counts here",
        "Entscheiden, was von dem zählt, das ein Vault mitbringt",
        "决定仓库带来的内容中哪些生效",
    ),
    "cli.trust.show": ("List what the vault brings along", "Auflisten, was der Vault mitbringt", "列出仓库带来的内容"),
    "cli.trust.give": ("Trust things of the vault", "Dingen aus dem Vault vertrauen", "信任仓库带来的内容"),
    "cli.trust.take": (
        "Trust things of the vault no more",
        "Dingen aus dem Vault nicht mehr vertrauen",
        "不再信任仓库带来的内容",
    ),
    "cli.trust.kind": ("All things of this kind", "Alle Dinge dieser Art", "所有此类内容"),
    "cli.trust.all": ("Everything", "Alles", "全部"),
    "cli.trust.yes": ("Do not ask", "Nicht nachfragen", "不再询问"),
    "cli.trust.nothing": (
        "This vault brings nothing along that would need your trust.",
        "Dieser Vault bringt nichts mit, dem zu vertrauen wäre.",
        "此仓库没有带来任何需要您信任的内容。",
    ),
    "cli.trust.unchanged": ("Nothing to change.", "Nichts zu ändern.", "无需更改。"),
    "cli.trust.given": ("Trusted: {what}", "Vertraut: {what}", "已信任：{what}"),
    "cli.trust.taken": ("No longer trusted: {what}", "Nicht mehr vertraut: {what}", "不再信任：{what}"),
    "trust.state.trusted": ("trusted", "vertraut", "已信任"),
    "trust.state.untrusted": ("not trusted", "nicht vertraut", "未信任"),
    "trust.state.changed": ("changed since you trusted it", "seit Ihrem Ja geändert", "信任之后已更改"),
    "trust.question": (
        "This vault brings along what was not set on this computer:",
        "Dieser Vault bringt mit, was nicht auf diesem Rechner eingestellt wurde:",
        "此仓库带来了并非在本机设置的内容：",
    ),
    "trust.ask": ("Do you trust all of this?", "Vertrauen Sie all dem?", "是否信任以上全部内容？"),
    "trust.left-out": (
        "Left out, not trusted: {what} ({where})",
        "Weggelassen, nicht vertraut: {what} ({where})",
        "未信任，已忽略：{what}（{where}）",
    ),
    "trust.left-out.hint": (
        "See it: paper trust show. Trust it: paper trust give DIGEST",
        "Ansehen: paper trust show. Vertrauen: paper trust give DIGEST",
        "查看：paper trust show。信任：paper trust give DIGEST",
    ),
    # what each kind of thing could do
    "trust.could.schedule": (
        "Runs by itself while paper serve or paper worker is running.",
        "Läuft von selbst, solange paper serve oder paper worker läuft.",
        "在 paper serve 或 paper worker 运行时自动执行。",
    ),
    "trust.could.run": (
        "Was not started here. Trusted, you can go on with it by hand; it asks as always.",
        "Wurde nicht hier gestartet. Mit Ihrem Ja können Sie ihn von Hand fortsetzen; er fragt wie immer.",
        "并非在此启动。信任后您可以手动继续运行，它仍会照常询问。",
    ),
    "trust.could.answer": (
        "Somebody else's key. Trusted, what they start and answer here counts as if you had.",
        "Der Schlüssel eines anderen. Mit Ihrem Ja zählt, was er hier startet und beantwortet, als wären Sie es.",
        "他人的密钥。信任后，其在此启动的运行和给出的回答等同于您本人。",
    ),
    "trust.could.rule": (
        "Lets a tool change something without asking.",
        "Lässt ein Werkzeug etwas ändern, ohne zu fragen.",
        "允许工具不经询问进行更改。",
    ),
    "trust.could.host": (
        "Lets tools send requests to this host, even in your own network.",
        "Lässt Werkzeuge Anfragen an diesen Rechner senden, auch in Ihrem eigenen Netz.",
        "允许工具向此主机发送请求，包括您的内部网络。",
    ),
    "trust.could.database": (
        "Keeps runs, arguments and entries on this server.",
        "Speichert Läufe, Argumente und Einträge auf diesem Server.",
        "将运行、参数和条目保存在此服务器上。",
    ),
    "trust.could.mcp_server": (
        "Starts this program, or calls this address, with your rights. Your yes is for it as it is now.",
        "Startet dieses Programm oder ruft diese Adresse mit Ihren Rechten auf. Ihr Ja gilt für den jetzigen Stand.",
        "以您的权限启动此程序或访问此地址。您的同意仅对其当前状态有效。",
    ),
    "trust.could.npm_grant": (
        "Lets a tool with npm packages touch this.",
        "Lässt ein Werkzeug mit npm-Paketen darauf zugreifen.",
        "允许使用 npm 包的工具访问此内容。",
    ),
    "trust.could.model": (
        "Sends what agents read, also your notes, to this language model.",
        "Sendet, was Agenten lesen, auch Ihre Notizen, an dieses Sprachmodell.",
        "将智能体读取的内容（包括您的笔记）发送给此语言模型。",
    ),
    "trust.could.notify": (
        "Sends a word to this address, or starts this command, when a question waits.",
        "Sendet ein Wort an diese Adresse oder startet diesen Befehl, wenn eine Frage wartet.",
        "有问题等待时向此地址发送通知或启动此命令。",
    ),
    "trust.could.serve": (
        "Lets others in to paper serve.",
        "Lässt andere zu paper serve herein.",
        "允许他人访问 paper serve。",
    ),
    # --- the pages
    "web.trust": ("Trust", "Vertrauen", "信任"),
    "web.trust.bar": (
        "Not trusted and left out: {count}",
        "Nicht vertraut und ausgelassen: {count}",
        "未受信任、已略过的内容：{count} 项",
    ),
    "web.trust.more": ("And {count} more.", "Und {count} weitere.", "还有 {count} 项。"),
    "web.trust.decide": ("Look and decide", "Ansehen und entscheiden", "查看并决定"),
    "web.trust.about": (
        "What this vault brings along that opens or starts something. It counts once you trust it, as it is now.",
        "Was dieser Vault mitbringt und was etwas öffnet oder startet. Es zählt, sobald Sie ihm vertrauen.",
        "此仓库带来的、会开放或启动某些功能的内容。在您信任后生效，且仅对其当前状态有效。",
    ),
    "web.trust.give": ("Trust", "Vertrauen", "信任"),
    "web.trust.give-all": ("Trust all of this", "All dem vertrauen", "信任以上全部内容"),
    "web.trust.take": ("Trust no more", "Nicht mehr vertrauen", "不再信任"),
    "web.trust.nothing": (
        "This vault brings nothing along that has to be trusted.",
        "Dieser Vault bringt nichts mit, dem Sie vertrauen müssten.",
        "此仓库没有带来需要信任的内容。",
    ),
    "web.run.foreign": ("came along", "mitgebracht", "随仓库而来"),
    "web.run.foreign.about": (
        "Was not started here. It came with the vault.",
        "Wurde nicht hier gestartet. Er kam mit dem Vault.",
        "并非在此启动，随仓库而来。",
    ),
    # --- mistakes
    "trust-needs-yes": (
        "Nobody is here to look at what is to be trusted.",
        "Niemand ist da, der ansehen könnte, wem vertraut werden soll.",
        "没有人查看要信任的内容。",
    ),
    "trust-needs-yes.hint": (
        "Name single things by their digest (paper trust show), or add --yes.",
        "Nennen Sie einzelne Dinge mit ihrer Prüfsumme (paper trust show), oder ergänzen Sie --yes.",
        "请用摘要指定单项内容（paper trust show），或加上 --yes。",
    ),
    "trust-names-nothing": (
        "Say which things: DIGEST…, --kind KIND or --all.",
        "Sagen Sie, welche Dinge: DIGEST…, --kind ART oder --all.",
        "请指定内容：DIGEST…、--kind 类别 或 --all。",
    ),
    "trust-names-nothing.hint": (
        "What there is: paper trust show",
        "Was es gibt: paper trust show",
        "查看全部：paper trust show",
    ),
    "trust-unknown": (
        "This vault brings along nothing with the digest '{digest}'.",
        "Dieser Vault bringt nichts mit der Prüfsumme „{digest}“ mit.",
        "此仓库没有摘要为 “{digest}” 的内容。",
    ),
    "trust-unknown.hint": (
        "What there is: paper trust show",
        "Was es gibt: paper trust show",
        "查看全部：paper trust show",
    ),
}
