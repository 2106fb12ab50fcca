"""Rules: what is allowed from now on, in words."""

TEXTS = {
    # paper approvals allow
    "cli.approvals.allow": (
        "Allow something from now on, or confirm a rule that sleeps.",
        "Etwas von nun an erlauben oder eine ruhende Regel bestätigen.",
        "从现在起允许某项操作，或确认已休眠的规则。",
    ),
    "cli.approvals.allow.by": (
        "Only for calls of this tool or agent, with its file as it is now; otherwise for all.",
        "Nur für Aufrufe dieses Tools oder Agenten, mit seiner Datei, wie sie jetzt ist; sonst für alle.",
        "仅限此工具或代理（以其文件的当前内容为准）的调用；否则对所有调用有效。",
    ),
    "cli.approvals.allow.mode": (
        "Only this way of changing; otherwise every way of the tool.",
        "Nur diese Art der Änderung; sonst jede, die das Tool kennt.",
        "仅限这种更改方式；否则为该工具的所有方式。",
    ),
    "cli.approvals.allow.path": (
        "Where: * is anything within one name, ** any number of folders.",
        "Wo: * steht für alles innerhalb eines Namens, ** für beliebig viele Ordner.",
        "位置：* 匹配名称中的任意部分，** 匹配任意层文件夹。",
    ),
    "cli.approvals.allow.host": (
        "Requests to this host, with its port where that is not the usual one.",
        "Anfragen an diesen Host, mit Port, falls es nicht der übliche ist.",
        "发往此主机的请求；非默认端口须写明。",
    ),
    "cli.approvals.allow.method": ("Requests with this method.", "Anfragen mit dieser Methode.", "使用此方法的请求。"),
    "cli.approvals.allow.until": (
        "The last day; otherwise 90 days.",
        "Der letzte Tag; sonst 90 Tage.",
        "最后一天；默认 90 天。",
    ),
    # rules in words
    "rule.anyone": ("any tool", "jedes Tool", "任何工具"),
    "rule.create": ("{who} may create {path}", "{who} darf {path} anlegen", "{who} 可以新建 {path}"),
    "rule.append": ("{who} may append to {path}", "{who} darf an {path} anhängen", "{who} 可以在 {path} 末尾追加内容"),
    "rule.overwrite": ("{who} may overwrite {path}", "{who} darf {path} überschreiben", "{who} 可以覆盖 {path}"),
    "rule.delete": ("{who} may delete {path}", "{who} darf {path} löschen", "{who} 可以删除 {path}"),
    "rule.write": (
        "{who} may create, append to and overwrite {path}",
        "{who} darf {path} anlegen, ergänzen und überschreiben",
        "{who} 可以新建、追加和覆盖 {path}",
    ),
    "rule.send": (
        "{who} may send {method} requests to {host}",
        "{who} darf {method}-Anfragen an {host} senden",
        "{who} 可以向 {host} 发送 {method} 请求",
    ),
    "rule.log": (
        "{who} may append its logs to {path}",
        "{who} darf seine Protokolle an {path} anhängen",
        "{who} 可以把日志追加到 {path}",
    ),
    "rule.grants": ("{who} may use: {mode}", "{who} darf nutzen: {mode}", "{who} 可以使用：{mode}"),
    "rule.use": (
        "{who} may use {tool} on {path}",
        "{who} darf {tool} auf {path} anwenden",
        "{who} 可以对 {path} 使用 {tool}",
    ),
    "rule.call": ("{who} may call {tool}", "{who} darf {tool} aufrufen", "{who} 可以调用 {tool}"),
    "rule.until": ("{rule}, until {until}", "{rule}, bis {until}", "{rule}，有效期至 {until}"),
    "rule.sleeping": (
        "sleeps: {tool} has changed. Confirm: paper approvals allow {id}",
        "ruht: {tool} wurde geändert. Bestätigen: paper approvals allow {id}",
        "已休眠：{tool} 已更改。确认：paper approvals allow {id}",
    ),
    "rule.expired": ("expired", "abgelaufen", "已过期"),
    "rule-covers-nothing": (
        "'{path}' does not cover {target}.",
        "„{path}“ schließt {target} nicht ein.",
        "“{path}” 不包含 {target}。",
    ),
    "rule-of-no-tool": (
        "The rule {id} names '{tool}', which is not there any more.",
        "Die Regel {id} nennt „{tool}“, das es nicht mehr gibt.",
        "规则 {id} 所指的 “{tool}” 已不存在。",
    ),
    "rule-of-no-tool.hint": (
        "Take it back: paper approvals revoke {id}",
        "Widerrufen: paper approvals revoke {id}",
        "撤销：paper approvals revoke {id}",
    ),
    "rule-of-own-tool": (
        "No rule can be about '{tool}' itself, only about what it does.",
        "Eine Regel kann nicht „{tool}“ selbst betreffen, nur was es tut.",
        "规则不能针对 “{tool}” 本身，只能针对它所做的操作。",
    ),
    "rule-of-own-tool.hint": (
        "For example: paper approvals allow write_file --by {tool} --mode append --path 'notes/*'",
        "Zum Beispiel: paper approvals allow write_file --by {tool} --mode append --path 'notes/*'",
        "例如：paper approvals allow write_file --by {tool} --mode append --path 'notes/*'",
    ),
    "rule-place": (
        "A rule for '{tool}' needs --path GLOB, and no host.",
        "Eine Regel für „{tool}“ braucht --path GLOB und keinen Host.",
        "“{tool}” 的规则需要 --path GLOB，且不能有主机。",
    ),
    "rule-place.host": (
        "A rule for '{tool}' needs --host HOST and --method METHOD, and no path.",
        "Eine Regel für „{tool}“ braucht --host HOST und --method METHOD und keinen Pfad.",
        "“{tool}” 的规则需要 --host HOST 和 --method METHOD，且不能有路径。",
    ),
    "rule-place.nothing": (
        "A rule for '{tool}' has no path, host or method.",
        "Eine Regel für „{tool}“ hat weder Pfad noch Host noch Methode.",
        "“{tool}” 的规则没有路径、主机或方法。",
    ),
    "rule-path": (
        "'{path}' is no pattern of paths in the vault.",
        "„{path}“ ist kein Muster für Pfade im Vault.",
        "“{path}” 不是仓库内路径的模式。",
    ),
    "rule-host": (
        "'{host}' is not the name of one host.",
        "„{host}“ ist nicht der Name eines Hosts.",
        "“{host}” 不是一个主机名。",
    ),
    "rule-mode": (
        "'{tool}' has no mode '{mode}'. There is: {modes}.",
        "„{tool}“ kennt keinen Modus „{mode}“. Es gibt: {modes}.",
        "“{tool}” 没有 “{mode}” 这种方式。可用：{modes}。",
    ),
    "rule-until": (
        "'{until}' is no date to come; write it as 2027-01-31.",
        "„{until}“ ist kein kommendes Datum; schreiben Sie es wie 2027-01-31.",
        "“{until}” 不是将来的日期；请写成 2027-01-31 的形式。",
    ),
}
