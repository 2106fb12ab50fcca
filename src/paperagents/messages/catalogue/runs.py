"""What a run says about itself, and the command line about tests, figures, settings and variables."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # --- what a run says
    "run.done": ("Done.", "Erledigt.", "完成。"),
    "run.done-below": ("Done in run {run}.", "Erledigt in Lauf {run}.", "已在运行 {run} 中完成。"),
    "notify.waits": (
        "{name} waits for your decision.",
        "{name} wartet auf Ihre Entscheidung.",
        "{name} 正在等待您的决定。",
    ),
    "notify.failed": (
        "The notification was not delivered ({reason}); the question waits all the same.",
        "Die Benachrichtigung kam nicht an ({reason}); die Frage wartet trotzdem.",
        "通知未能送达（{reason}）；问题仍在等待。",
    ),
    "run.skipped": (
        "Left out: its condition is false.",
        "Ausgelassen: Die Bedingung ist nicht erfüllt.",
        "已跳过：条件不成立。",
    ),
    "run.cut-results": (
        "{tool} gave {shown} of {count} found files. For all: limit: {count}.",
        "{tool} hat {shown} von {count} gefundenen Dateien geliefert. Für alle: limit: {count}.",
        "{tool} 找到 {count} 个文件，只返回了 {shown} 个。要全部返回：limit: {count}。",
    ),
    "run.log-not-written": (
        "The log of a run of '{tool}' was not written. {reason}",
        "Das Protokoll eines Laufs von „{tool}“ wurde nicht geschrieben. {reason}",
        "“{tool}” 的一次运行的日志未能写入。{reason}",
    ),
    "run.log-question": (
        "Add the log of each run of '{tool}' ({file}) to the end of: {path}\nA yes is kept for this file and path.",
        "Das Protokoll jedes Laufs von „{tool}“ ({file}) anhängen an: {path}\nEin Ja gilt weiter für Datei und Pfad.",
        "把 “{tool}”（{file}）每次运行的日志追加到：{path}\n同意后，对此文件和此路径持续有效。",
    ),
    "run.approved": ("Approved by: {by} ({way}).", "Genehmigt durch: {by} ({way}).", "批准者：{by}（{way}）。"),
    "run.edited": (
        "Approved with changed arguments by: {by} ({way}).",
        "Mit geänderten Argumenten genehmigt durch: {by} ({way}).",
        "修改参数后批准：{by}（{way}）。",
    ),
    "run.asked-again": (
        "{target} is no longer as it was shown, so it is asked again.",
        "{target} ist nicht mehr so, wie es gezeigt wurde; es wird noch einmal gefragt.",
        "{target} 与当时所示内容已不一致，因此再次询问。",
    ),
    "run.by-rule": ("rule {id}", "Regel {id}", "规则 {id}"),
    "run.done-before": (
        "Was done before the interruption.",
        "War vor der Unterbrechung schon erledigt.",
        "中断之前已完成。",
    ),
    "run.said-done": (
        "Interrupted; it was done, says {by}.",
        "Unterbrochen; es ist geschehen, sagt {by}.",
        "曾被中断；{by} 确认已完成。",
    ),
    # how a run ends
    "denied": ("{tool} was not allowed.", "{tool} wurde nicht erlaubt.", "未允许 {tool}。"),
    "denied.reason": (
        "{tool} was not allowed: {reason}",
        "{tool} wurde nicht erlaubt: {reason}",
        "未允许 {tool}：{reason}",
    ),
    "approver-failed": (
        "The approver of this program failed, so {tool} was not allowed: {reason}",
        "Der Approver dieses Programms ist fehlgeschlagen, deshalb wurde {tool} nicht erlaubt: {reason}",
        "此程序的审批函数出错，因此未允许 {tool}：{reason}",
    ),
    "approver-answer": (
        "The approver of this program gave no decision about {tool}: {answer}.",
        "Der Approver dieses Programms hat über {tool} nicht entschieden: {answer}.",
        "此程序的审批函数未就 {tool} 作出决定：{answer}。",
    ),
    "approver-answer.hint": (
        "Return paperagents.Approved(), paperagents.Denied(reason=…) or paperagents.Pending().",
        "Geben Sie paperagents.Approved(), paperagents.Denied(reason=…) oder paperagents.Pending() zurück.",
        "请返回 paperagents.Approved()、paperagents.Denied(reason=…) 或 paperagents.Pending()。",
    ),
    "waiting-for-approval": (
        "{tool} waits for a yes.",
        "{tool} wartet auf ein Ja.",
        "{tool} 正在等待批准。",
    ),
    "waiting-for-approval.repeated": (
        "{tool} waits for another yes: what was agreed to has changed since. Nothing was done.",
        "{tool} wartet auf ein weiteres Ja: Was genehmigt war, hat sich seither geändert. Nichts wurde ausgeführt.",
        "{tool} 需要再次批准：所批准的内容此后已发生变化，尚未执行。",
    ),
    "waiting-for-approval.hint": (
        "See it: paper approvals list. Say yes: paper approvals approve {id}",
        "Ansehen: paper approvals list. Ja sagen: paper approvals approve {id}",
        "查看：paper approvals list。批准：paper approvals approve {id}",
    ),
    "cancelled": ("The run was stopped.", "Der Lauf wurde abgebrochen.", "运行已被停止。"),
    "plan-ends": (
        "The plan ends here: what follows depends on what really happens.",
        "Der Plan endet hier: Was folgt, hängt davon ab, was wirklich geschieht.",
        "计划到此为止：后续取决于实际结果。",
    ),
    # looking a run up
    "unknown-run": ("There is no run '{id}'.", "Es gibt keinen Lauf „{id}“.", "没有运行 “{id}”。"),
    "unknown-run.last": (
        "There is no run yet.",
        "Es gibt noch keinen Lauf.",
        "还没有任何运行。",
    ),
    "unknown-run.hint": (
        "All runs: paper runs list",
        "Alle Läufe: paper runs list",
        "所有运行：paper runs list",
    ),
    "invalid-date": (
        "'{date}' is no date or time.",
        "„{date}“ ist kein Datum und keine Zeit.",
        "“{date}” 不是日期或时间。",
    ),
    "invalid-date.hint": (
        "For example 2026-11-16, 2026-11-16T08:30:00Z, or 2d, 3h, 30m for so long ago.",
        "Zum Beispiel 2026-11-16, 2026-11-16T08:30:00Z, oder 2d, 3h, 30m für so lange her.",
        "例如 2026-11-16、2026-11-16T08:30:00Z，或用 2d、3h、30m 表示多久以前。",
    ),
    "run-is-over": (
        "Run {id} is over ({status}).",
        "Der Lauf {id} ist beendet ({status}).",
        "运行 {id} 已结束（{status}）。",
    ),
    "run-is-over.hint": (
        "To do it again: paper runs rerun {id}",
        "Noch einmal: paper runs rerun {id}",
        "重新运行：paper runs rerun {id}",
    ),
    # resuming and editing
    "secrets-not-kept": (
        "Run {id} had secrets among its arguments, and they were not kept.",
        "Der Lauf {id} hatte Geheimnisse unter seinen Argumenten; sie wurden nicht aufbewahrt.",
        "运行 {id} 的参数中含有密钥，密钥未被保存。",
    ),
    "secrets-not-kept.hint": (
        "Start the tool anew: paper run {tool}",
        "Das Tool neu starten: paper run {tool}",
        "请重新启动该工具：paper run {tool}",
    ),
    "mask-in-edit": (
        "The edit leaves a *** of which it is not clear what secret it stands for.",
        "In den bearbeiteten Argumenten steht ein ***, bei dem unklar ist, für welches Geheimnis es steht.",
        "编辑后的参数中有一个 ***，无法确定它代表哪个密钥。",
    ),
    "mask-in-edit.hint": (
        "Leave every *** where it was, or write the whole value.",
        "Lassen Sie jedes *** stehen, wo es war, oder schreiben Sie den ganzen Wert.",
        "请保留每个 *** 的原位置，或写出完整的值。",
    ),
    "unknown-approval": (
        "There is no open question '{id}'.",
        "Es gibt keine offene Frage „{id}“.",
        "没有待批请求 “{id}”。",
    ),
    "unknown-approval.last": (
        "No question is open.",
        "Es ist keine Frage offen.",
        "没有待批请求。",
    ),
    "unknown-approval.hint": (
        "All open questions: paper approvals list",
        "Alle offenen Fragen: paper approvals list",
        "所有待批请求：paper approvals list",
    ),
    "ambiguous-id": (
        "'{id}' is the beginning of several ids: {ids}",
        "„{id}“ ist der Anfang mehrerer Kennungen: {ids}",
        "多个标识以 “{id}” 开头：{ids}",
    ),
    "ambiguous-id.hint": (
        "Give more of it.",
        "Geben Sie mehr davon an.",
        "请多写几个字符。",
    ),
    "unknown-rule": (
        "There is no rule '{id}'.",
        "Es gibt keine Regel „{id}“.",
        "没有规则 “{id}”。",
    ),
    "unknown-rule.hint": (
        "All rules: paper approvals rules",
        "Alle Regeln: paper approvals rules",
        "所有规则：paper approvals rules",
    ),
    # what ends a step
    "outcome-unknown": (
        "The program was interrupted while {tool} was under way; nobody knows whether it was done.",
        "Das Programm wurde unterbrochen, während {tool} lief; niemand weiß, ob es geschehen ist.",
        "程序在执行 {tool} 时被中断；无法得知是否已完成。",
    ),
    "outcome-unknown.hint": (
        "If it was done: paper runs resume RUN --done. If it was not: paper runs resume RUN asks for it again.",
        "Ist es geschehen: paper runs resume LAUF --done. Wenn nicht: paper runs resume LAUF fragt erneut.",
        "若已完成：paper runs resume 运行ID --done；若未完成：paper runs resume 运行ID 会再次询问。",
    ),
    "nothing-unknown": (
        "Run {id} has no step of which it is unknown whether it was done.",
        "Lauf {id} hat keinen Schritt, von dem unbekannt ist, ob er geschehen ist.",
        "运行 {id} 中没有结果不明的步骤。",
    ),
    "nothing-unknown.hint": (
        "--done is for a run that ended with outcome-unknown.",
        "--done ist für einen Lauf, der mit outcome-unknown geendet hat.",
        "--done 用于以 outcome-unknown 结束的运行。",
    ),
    "too-deep": (
        "Tools call each other more than {limit} levels deep; {tool} would be one more.",
        "Tools rufen einander mehr als {limit} Ebenen tief auf; {tool} wäre eine weitere.",
        "工具互相调用超过 {limit} 层；{tool} 还要再深一层。",
    ),
    "preprocess-not-an-object": (
        "The preprocess block must return an object.",
        "Der Preprocess-Block muss ein Objekt zurückgeben.",
        "preprocess 块必须返回一个对象。",
    ),
    "preprocess-not-an-object.hint": (
        "End it with: return input;",
        "Mit return input; beenden.",
        "请以 return input; 结尾。",
    ),
    "for-each-not-a-list": (
        "'for_each' did not give a list.",
        "„for_each“ ergab keine Liste.",
        "“for_each” 没有得到列表。",
    ),
    "for-each-not-a-list.hint": (
        "Refer to a list, for example: for_each: steps.find.output.results",
        "Auf eine Liste verweisen, zum Beispiel: for_each: steps.find.output.results",
        "请引用一个列表，例如：for_each: steps.find.output.results",
    ),
    "for-each-too-long": (
        "'for_each' has {count} entries; at most {limit} are possible.",
        "„for_each“ hat {count} Einträge; höchstens {limit} sind möglich.",
        "“for_each” 有 {count} 个条目；最多 {limit} 个。",
    ),
    "step-timeout": (
        "The step took longer than {seconds} s.",
        "Der Schritt dauerte länger als {seconds} s.",
        "该步骤超过了 {seconds} 秒。",
    ),
    "step-timeout.hint": (
        "More time: a larger timeout in the step.",
        "Mehr Zeit: ein größeres timeout im Schritt.",
        "如需更多时间：加大该步骤的 timeout。",
    ),
    "tool-timeout": (
        "The tool took longer than {seconds} s.",
        "Das Tool brauchte länger als {seconds} s.",
        "该工具超过了 {seconds} 秒。",
    ),
    "tool-timeout.hint": (
        "More time: a larger timeout in the tool's file.",
        "Mehr Zeit: ein größeres timeout in der Datei des Tools.",
        "如需更多时间：加大该工具文件中的 timeout。",
    ),
    "run-is-running": (
        "Somebody is already working on run {id}.",
        "An dem Lauf {id} wird schon gearbeitet.",
        "运行 {id} 正在进行中。",
    ),
    "run-is-running.hint": (
        "How far it is: paper runs show {id}",
        "Wie weit er ist: paper runs show {id}",
        "查看进度：paper runs show {id}",
    ),
    "example-needs-response": (
        "The example needs an answer for {tool} under 'responses'.",
        "Das Beispiel braucht unter „responses“ eine Antwort für {tool}.",
        "示例需要在 “responses” 中给出 {tool} 的答复。",
    ),
    # paper test and paper stats
    "cli.stats": (
        "Per tool: how often, how well, how long.",
        "Pro Tool: wie oft, wie gut, wie lange.",
        "按工具统计：次数、成功率、耗时。",
    ),
    "cli.stats.runs": ("runs", "Läufe", "运行"),
    "cli.stats.succeeded": ("succeeded", "gelungen", "成功"),
    "cli.stats.failed": ("failed", "fehlgeschlagen", "失败"),
    "cli.stats.denied": ("denied", "abgelehnt", "已拒绝"),
    "cli.stats.waiting": ("waiting", "wartet", "等待"),
    "cli.stats.success_rate": ("success", "Erfolg", "成功率"),
    "cli.stats.median_ms": ("median", "Median", "中位数"),
    "cli.stats.p95_ms": ("p95", "p95", "95% 分位"),
    "cli.stats.calls": ("calls", "Aufrufe", "调用"),
    "cli.stats.valid": ("valid", "gültig", "有效"),
    "cli.stats.invalid": ("invalid", "ungültig", "无效"),
    "cli.stats.mean_ms": ("mean", "Mittel", "平均"),
    "cli.stats.tokens": ("tokens", "Tokens", "词元"),
    "cli.stats.cost": ("cost", "Kosten", "费用"),
    "cli.stats.tool": ("tool", "Tool", "工具"),
    "cli.stats.tag": ("tag", "Tag", "标签"),
    # paper search, paper config, paper doctor
    "cli.search": (
        "Search the notes of the vault.",
        "Die Notizen des Vaults durchsuchen.",
        "搜索库中的笔记。",
    ),
    "cli.search.path": ("Only below this folder.", "Nur unterhalb dieses Ordners.", "仅限此文件夹之下。"),
    "cli.search.limit": (
        "At most so many; 20 unless given, 100 with --json.",
        "Höchstens so viele; ohne Angabe 20, mit --json 100.",
        "最多这么多；默认 20 个，使用 --json 时为 100 个。",
    ),
    "cli.search.count": ("{count} found", "{count} gefunden", "找到 {count} 个"),
    "cli.config": (
        "The settings in force, each with its origin.",
        "Die geltenden Einstellungen, jede mit ihrer Herkunft.",
        "当前生效的设置及其来源。",
    ),
    "cli.config.get": ("One setting.", "Eine Einstellung.", "单个设置。"),
    "cli.config.set": (
        "Write a setting into the vault's settings.toml.",
        "Eine Einstellung in die settings.toml des Vaults schreiben.",
        "将设置写入库的 settings.toml。",
    ),
    "diff.expected": ("expected", "erwartet", "期望"),
    "diff.found": ("found", "gefunden", "实际"),
    "status.queued": ("queued", "eingereiht", "排队中"),
    "status.running": ("running", "läuft", "运行中"),
    "status.waiting": ("waiting", "wartet", "等待中"),
    "status.planned": ("planned", "geplant", "已规划"),
    "status.succeeded": ("succeeded", "gelungen", "成功"),
    "status.success": ("success", "gelungen", "成功"),
    "status.failed": ("failed", "fehlgeschlagen", "失败"),
    "status.error": ("error", "fehlgeschlagen", "失败"),
    "status.denied": ("denied", "abgelehnt", "已拒绝"),
    "status.cancelled": ("cancelled", "abgebrochen", "已取消"),
    "status.skipped": ("skipped", "übersprungen", "已跳过"),
    "cli.config.empty": ("(not set)", "(nicht gesetzt)", "（未设置）"),
    "cli.config.ask": ("{name} (not shown)", "{name} (wird nicht angezeigt)", "{name}（不显示）"),
    "cli.config.unset": (
        "Remove a setting from the vault's settings.toml.",
        "Eine Einstellung aus der settings.toml des Vaults entfernen.",
        "从库的 settings.toml 中移除设置。",
    ),
    "cli.config.unset.done": (
        "{name} is not set any more.",
        "{name} ist nicht mehr gesetzt.",
        "{name} 已不再设置。",
    ),
    "cli.config.unset.elsewhere": (
        "{name} is not set in this vault; it still comes from {origin}.",
        "{name} ist in diesem Vault nicht gesetzt; der Wert kommt noch aus {origin}.",
        "{name} 在此库中未设置；其值仍来自 {origin}。",
    ),
    "cli.doctor": (
        "Check that everything is in order: the sandbox, the files, the database.",
        "Prüft, ob alles in Ordnung ist: Sandbox, Dateien und Datenbank.",
        "检查一切是否正常：沙箱、文件和数据库。",
    ),
    "cli.doctor.files": (
        "Files of the vault that cannot be used: {count}",
        "Dateien des Vaults, die nicht benutzbar sind: {count}",
        "库中有 {count} 个文件无法使用",
    ),
    "module-answer": (
        "The tool's file has tampered with its own execution.",
        "Die Datei des Tools hat in ihre eigene Ausführung eingegriffen.",
        "工具文件干扰了自身的执行。",
    ),
    "answer-invalid": (
        "The answer of {tool} is not what it promises: {reason}.",
        "Die Antwort von {tool} ist nicht, was versprochen ist: {reason}.",
        "{tool} 的回答与其声明不符：{reason}。",
    ),
    "answer-invalid.hint": (
        "Either the answer must change, or the schema under returns.",
        "Entweder muss sich die Antwort ändern oder das Schema unter returns.",
        "请修改回答，或修改 returns 下的模式。",
    ),
}
