"""What can be wrong with a call, and what a run says about itself."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "invalid-arguments": ("{problems}", "{problems}", "{problems}"),
    "invalid-arguments.hint": (
        "What {tool} wants: paper show {tool}",
        "Was {tool} verlangt: paper show {tool}",
        "{tool} 需要什么：paper show {tool}",
    ),
    "argument-missing": (
        "Parameter '{parameter}' is required.",
        "Parameter '{parameter}' ist Pflichtfeld",
        "参数 “{parameter}” 为必填项。",
    ),
    "argument-missing.slip": (
        "Parameter '{parameter}' is required; '{given}' was given.",
        "Parameter „{parameter}“ ist Pflichtfeld; angegeben wurde „{given}“.",
        "参数 “{parameter}” 为必填项；给出的是 “{given}”。",
    ),
    "argument-unknown": (
        "There is no parameter '{parameter}'.",
        "Es gibt keinen Parameter „{parameter}“.",
        "没有参数 “{parameter}”。",
    ),
    "argument-type": (
        "Parameter '{parameter}' must be of type {kind}.",
        "Parameter „{parameter}“ muss vom Typ {kind} sein.",
        "参数 “{parameter}” 的类型必须是 {kind}。",
    ),
    "argument-not-json": (
        "Parameter '{parameter}' is no JSON value, or nested more than {limit} levels deep.",
        "Parameter „{parameter}“ ist kein JSON-Wert oder mehr als {limit} Ebenen tief verschachtelt.",
        "参数 “{parameter}” 不是 JSON 值，或嵌套超过 {limit} 层。",
    ),
    "argument-rule": (
        "Parameter '{parameter}': {reason}.",
        "Parameter „{parameter}“: {reason}.",
        "参数 “{parameter}”：{reason}。",
    ),
    "argument-rule.enum": (
        "Parameter '{parameter}' must be one of: {limit}.",
        "Parameter „{parameter}“ muss eines davon sein: {limit}.",
        "参数 “{parameter}” 必须是以下之一：{limit}。",
    ),
    "argument-rule.minimum": (
        "Parameter '{parameter}' must be at least {limit}.",
        "Parameter „{parameter}“ muss mindestens {limit} sein.",
        "参数 “{parameter}” 不得小于 {limit}。",
    ),
    "argument-rule.maximum": (
        "Parameter '{parameter}' must be at most {limit}.",
        "Parameter „{parameter}“ darf höchstens {limit} sein.",
        "参数 “{parameter}” 不得大于 {limit}。",
    ),
    "argument-rule.minLength": (
        "Parameter '{parameter}' must have a length of at least {limit}.",
        "Parameter „{parameter}“ muss mindestens {limit} Zeichen haben.",
        "参数 “{parameter}” 至少需要 {limit} 个字符。",
    ),
    "argument-rule.maxLength": (
        "Parameter '{parameter}' may have a length of at most {limit}.",
        "Parameter „{parameter}“ darf höchstens {limit} Zeichen haben.",
        "参数 “{parameter}” 最多 {limit} 个字符。",
    ),
    "argument-rule.pattern": (
        "Parameter '{parameter}' does not match the pattern {limit}.",
        "Parameter „{parameter}“ passt nicht zum Muster {limit}.",
        "参数 “{parameter}” 不符合模式 {limit}。",
    ),
    "argument-rule.format": (
        "Parameter '{parameter}' is not a valid {limit}.",
        "Parameter „{parameter}“ ist kein gültiger Wert der Form {limit}.",
        "参数 “{parameter}” 不是有效的 {limit}。",
    ),
    "argument-rule.exclusiveMinimum": (
        "Parameter '{parameter}' must be greater than {limit}.",
        "Parameter „{parameter}“ muss größer als {limit} sein.",
        "参数 “{parameter}” 必须大于 {limit}。",
    ),
    "argument-rule.exclusiveMaximum": (
        "Parameter '{parameter}' must be less than {limit}.",
        "Parameter „{parameter}“ muss kleiner als {limit} sein.",
        "参数 “{parameter}” 必须小于 {limit}。",
    ),
    "argument-rule.multipleOf": (
        "Parameter '{parameter}' must be a multiple of {limit}.",
        "Parameter „{parameter}“ muss ein Vielfaches von {limit} sein.",
        "参数 “{parameter}” 必须是 {limit} 的倍数。",
    ),
    "argument-rule.const": (
        "Parameter '{parameter}' can only be: {limit}.",
        "Parameter „{parameter}“ kann nur dies sein: {limit}.",
        "参数 “{parameter}” 只能是：{limit}。",
    ),
    "argument-rule.minItems": (
        "Parameter '{parameter}' has too few elements; at least: {limit}.",
        "Parameter „{parameter}“ hat zu wenige Elemente; mindestens: {limit}.",
        "参数 “{parameter}” 的元素太少；至少：{limit}。",
    ),
    "argument-rule.maxItems": (
        "Parameter '{parameter}' has too many elements; at most: {limit}.",
        "Parameter „{parameter}“ hat zu viele Elemente; höchstens: {limit}.",
        "参数 “{parameter}” 的元素太多；最多：{limit}。",
    ),
    "argument-rule.uniqueItems": (
        "Parameter '{parameter}' has the same element twice.",
        "Parameter „{parameter}“ enthält ein Element doppelt.",
        "参数 “{parameter}” 含有重复的元素。",
    ),
    "argument-rule.minProperties": (
        "Parameter '{parameter}' has too few members; at least: {limit}.",
        "Parameter „{parameter}“ hat zu wenige Felder; mindestens: {limit}.",
        "参数 “{parameter}” 的字段太少；至少：{limit}。",
    ),
    "argument-rule.maxProperties": (
        "Parameter '{parameter}' has too many members; at most: {limit}.",
        "Parameter „{parameter}“ hat zu viele Felder; höchstens: {limit}.",
        "参数 “{parameter}” 的字段太多；最多：{limit}。",
    ),
    "argument-rule.additionalProperties": (
        "Parameter '{parameter}' may not have these members: {names}.",
        "Parameter „{parameter}“ darf diese Felder nicht haben: {names}.",
        "参数 “{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.no-members": (
        "Parameter '{parameter}' may not have any members.",
        "Parameter „{parameter}“ darf keine Felder haben.",
        "参数 “{parameter}” 不能有任何字段。",
    ),
    "argument-rule.unevaluatedProperties": (
        "Parameter '{parameter}' may not have these members: {names}.",
        "Parameter „{parameter}“ darf diese Felder nicht haben: {names}.",
        "参数 “{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.oneOf": (
        "Parameter '{parameter}' has none of the forms it may have.",
        "Parameter „{parameter}“ entspricht keiner der möglichen Formen.",
        "参数 “{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.anyOf": (
        "Parameter '{parameter}' has none of the forms it may have.",
        "Parameter „{parameter}“ entspricht keiner der möglichen Formen.",
        "参数 “{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.oneOf-several": (
        "Parameter '{parameter}' has several of the forms of which it may have just one.",
        "Parameter „{parameter}“ entspricht mehreren Formen, von denen nur eine zutreffen darf.",
        "参数 “{parameter}” 同时符合多种形式，而只能符合其中一种。",
    ),
    "argument-rule.not": (
        "Parameter '{parameter}' has a value that is not allowed.",
        "Parameter „{parameter}“ hat einen Wert, der nicht erlaubt ist.",
        "参数 “{parameter}” 的值不被允许。",
    ),
    "argument-rule.contains": (
        "Parameter '{parameter}' lacks an element of the kind that must be in it.",
        "Parameter „{parameter}“ fehlt ein Element der verlangten Art.",
        "参数 “{parameter}” 缺少所要求的元素。",
    ),
    # --- what a run says
    "run.done": ("Done.", "Erledigt.", "完成。"),
    "run.done-below": ("Done in run {run}.", "Erledigt in Lauf {run}.", "已在运行 {run} 中完成。"),
    "run.skipped": (
        "Left out: its condition is false.",
        "Ausgelassen: Die Bedingung ist nicht erfüllt.",
        "已跳过：条件不成立。",
    ),
    "run.log-not-written": (
        "The log of a run of '{tool}' was not written. {reason}",
        "Das Protokoll eines Laufs von „{tool}“ wurde nicht geschrieben. {reason}",
        "“{tool}” 的一次运行的日志未能写入。{reason}",
    ),
    "run.approved": ("Approved by: {by}.", "Genehmigt durch: {by}.", "批准者：{by}。"),
    "run.edited": (
        "Approved with changed arguments by: {by}.",
        "Mit geänderten Argumenten genehmigt durch: {by}.",
        "修改参数后批准：{by}。",
    ),
    "run.by-run": ("this run", "diesen Lauf", "本次运行"),
    "run.by-rule": ("rule {id}", "Regel {id}", "规则 {id}"),
    "run.done-before": (
        "Was done before the interruption.",
        "War vor der Unterbrechung schon erledigt.",
        "中断之前已完成。",
    ),
    "denied": ("{tool} was not allowed.", "{tool} wurde nicht erlaubt.", "未允许 {tool}。"),
    "denied.reason": (
        "{tool} was not allowed: {reason}",
        "{tool} wurde nicht erlaubt: {reason}",
        "未允许 {tool}：{reason}",
    ),
    "waiting-for-approval": (
        "{tool} waits for somebody's yes.",
        "{tool} wartet auf eine Genehmigung.",
        "{tool} 正在等待批准。",
    ),
    "waiting-for-approval.hint": (
        "paper approvals list, then: paper approvals approve ID",
        "paper approvals list, dann: paper approvals approve ID",
        "先 paper approvals list，再 paper approvals approve ID",
    ),
    "cancelled": ("The run was stopped.", "Der Lauf wurde abgebrochen.", "运行已被停止。"),
    "plan-ends": (
        "The plan ends here: what follows depends on what really happens.",
        "Der Plan endet hier: Was folgt, hängt davon ab, was wirklich geschieht.",
        "计划到此为止：后续取决于实际结果。",
    ),
    "unknown-run": ("There is no run '{id}'.", "Es gibt keinen Lauf „{id}“.", "没有运行 “{id}”。"),
    "unknown-run.hint": ("All runs: paper runs list", "Alle Läufe: paper runs list", "所有运行：paper runs list"),
    "invalid-date": (
        "'{date}' is no date or time.",
        "„{date}“ ist kein Datum und keine Zeit.",
        "“{date}” 不是日期或时间。",
    ),
    "invalid-date.hint": (
        "For example 2026-11-16 or 2026-11-16T08:30:00Z.",
        "Zum Beispiel 2026-11-16 oder 2026-11-16T08:30:00Z.",
        "例如 2026-11-16 或 2026-11-16T08:30:00Z。",
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
    "secrets-not-kept": (
        "Run {id} had secrets among its arguments, and they were not kept.",
        "Der Lauf {id} hatte Geheimnisse unter seinen Argumenten; sie wurden nicht aufbewahrt.",
        "运行 {id} 的参数中含有密钥，密钥未被保存。",
    ),
    "secrets-not-kept.hint": (
        "Start the tool anew: paper run …",
        "Das Tool neu starten: paper run …",
        "请重新启动该工具：paper run …",
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
        "没有待答的请求 “{id}”。",
    ),
    "unknown-approval.hint": (
        "All open questions: paper approvals list",
        "Alle offenen Fragen: paper approvals list",
        "所有待答请求：paper approvals list",
    ),
    "unknown-rule": ("There is no rule '{id}'.", "Es gibt keine Regel „{id}“.", "没有规则 “{id}”。"),
    "outcome-unknown": (
        "The program was interrupted while {tool} was under way; nobody knows whether it was done.",
        "Das Programm wurde unterbrochen, während {tool} lief; niemand weiß, ob es geschehen ist.",
        "程序在执行 {tool} 时被中断；无法得知是否已完成。",
    ),
    "outcome-unknown.hint": (
        "Look for yourself; then start the tool again if it was not done.",
        "Selbst nachsehen und das Tool neu starten, wenn es nicht geschehen ist.",
        "请自行确认；若未完成，请重新运行该工具。",
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
    "tool-timeout": (
        "The tool took longer than {seconds} s.",
        "Das Tool brauchte länger als {seconds} s.",
        "该工具超过了 {seconds} 秒。",
    ),
    "run-is-running": (
        "Somebody is already working on run {id}.",
        "An dem Lauf {id} wird schon gearbeitet.",
        "运行 {id} 正在进行中。",
    ),
    "example-needs-response": (
        "The example needs an answer for {tool} under 'responses'.",
        "Das Beispiel braucht unter „responses“ eine Antwort für {tool}.",
        "示例需要在 “responses” 中给出 {tool} 的答复。",
    ),
}
