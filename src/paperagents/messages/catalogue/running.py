"""What the command line says while tools run, are asked about, and are looked back at."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "which-approval": (
        "Which question? Give its id, 'last', --run RUN or --all, and just one of them.",
        "Welche Frage? Geben Sie ihre Kennung, „last“, --run RUN oder --all an, nur eines davon.",
        "要批准哪个请求？请给出标识、“last”、--run RUN 或 --all，四者只选其一。",
    ),
    "which-approval.hint": (
        "All open questions: paper approvals list",
        "Alle offenen Fragen: paper approvals list",
        "所有待批请求：paper approvals list",
    ),
    "edit-of-one": (
        "--edit belongs to one question; give its id.",
        "--edit gilt einer einzelnen Frage; geben Sie ihre Kennung an.",
        "--edit 只用于单个请求；请给出它的标识。",
    ),
    "nothing-to-answer": (
        "Run {id} asks nothing.",
        "Der Lauf {id} fragt nichts.",
        "运行 {id} 没有待批请求。",
    ),
    "nothing-to-answer.hint": (
        "All open questions: paper approvals list",
        "Alle offenen Fragen: paper approvals list",
        "所有待批请求：paper approvals list",
    ),
    # paper run
    "cli.run": (
        "Run a tool. Before anything is changed you are asked.",
        "Ein Tool ausführen. Bevor etwas geändert wird, werden Sie gefragt.",
        "运行工具。任何更改之前都会先询问您。",
    ),
    "cli.run.param": (
        "An argument, read as the type its parameter declares. Repeated for a list; -p may be left out.",
        "Ein Argument, gelesen als der Typ, den sein Parameter nennt. Für eine Liste wiederholbar; -p kann entfallen.",
        "一个参数，按其声明的类型读取。列表可重复给出；可省略 -p。",
    ),
    "cli.run.choices": (
        "One of: {choices}.",
        "Eines von: {choices}.",
        "可选：{choices}。",
    ),
    "cli.run.default": (
        "Enter: {default}",
        "Eingabetaste: {default}",
        "回车：{default}",
    ),
    "cli.run.optional": (
        "Enter: leave it out",
        "Eingabetaste: weglassen",
        "回车：跳过",
    ),
    "cli.run.hidden": (
        "Not shown while you type",
        "Wird beim Tippen nicht angezeigt",
        "输入时不显示",
    ),
    "cli.run.rounds": ("{done} of {rounds}", "{done} von {rounds}", "{done}/{rounds}"),
    "cli.run.rounds-failed": (", {count} failed", ", davon {count} fehlgeschlagen", "，{count} 个失败"),
    "cli.run.params": (
        "All arguments as JSON, from a file, or from standard input.",
        "Alle Argumente als JSON, aus einer Datei oder von der Standardeingabe.",
        "以 JSON、文件或标准输入给出全部参数。",
    ),
    "cli.run.dry": (
        "Show what would happen and be asked, and change nothing.",
        "Zeigen, was geschehen und gefragt würde, und nichts ändern.",
        "显示将会发生和询问的内容，不做任何更改。",
    ),
    "cli.run.log": (
        "Print the execution log instead of the result.",
        "Statt des Ergebnisses das Protokoll ausgeben.",
        "输出执行日志而不是结果。",
    ),
    "cli.run.not-an-object": ("not an object", "kein Objekt", "不是对象"),
    "cli.run.json-place": (
        "not valid JSON (line {line}, column {column})",
        "kein gültiges JSON (Zeile {line}, Spalte {column})",
        "不是有效的 JSON（第 {line} 行第 {column} 列）",
    ),
    "cli.run.not-utf-8": ("not UTF-8 text", "kein Text in UTF-8", "不是 UTF-8 文本"),
    "cli.run.no-json-value": (
        "a number that is not finite or too long, or lists and objects more than {limit} levels deep",
        "eine Zahl, die nicht endlich oder zu lang ist, oder Listen und Objekte mit mehr als {limit} Ebenen",
        "有不是有限的或过长的数，或列表和对象超过 {limit} 层",
    ),
    "cli.run.asks": ("asks first", "fragt vorher", "会先询问"),
    "cli.run.plan-empty": (
        "It would call no tool and change nothing.",
        "Es würde kein Werkzeug aufgerufen und nichts geändert.",
        "不会调用任何工具，也不会更改任何内容。",
    ),
    "cli.run.in-step": (
        " in step '{label}' ({tool})",
        " in Schritt „{label}“ ({tool})",
        "，步骤 “{label}”（{tool}）",
    ),
    "cli.run.in-number": (
        " in step {step} ({label})",
        " in Schritt {step} ({label})",
        "，步骤 {step}（{label}）",
    ),
    "cli.run.in-block": (
        " in {block}",
        " in {block}",
        "，{block}",
    ),
    "cli.run.in-block-of": (
        " in {block} of step '{label}'",
        " in {block} von Schritt „{label}“",
        "，步骤 “{label}” 的 {block}",
    ),
    "cli.run.failed": (
        "Failed",
        "Fehlgeschlagen",
        "失败",
    ),
    "cli.run.goes-on": (
        "The run goes on. See it: paper runs show {id}",
        "Der Lauf geht weiter. Ansehen: paper runs show {id}",
        "运行仍在继续。查看：paper runs show {id}",
    ),
    "cli.run.field": (
        "Print just this field of the result, as plain text: content, results.0.path",
        "Nur dieses Feld des Ergebnisses als Text ausgeben: content, results.0.path",
        "只以纯文本输出结果的这个字段：content、results.0.path",
    ),
    "no-such-field": (
        "The result has no '{field}'.",
        "Das Ergebnis hat kein „{field}“.",
        "结果中没有 “{field}”。",
    ),
    "no-such-field.near.hint": (
        "Did you mean '{near}'?",
        "Meinten Sie „{near}“?",
        "您是指 “{near}” 吗？",
    ),
    "no-such-field.names.hint": (
        "There is: {names}",
        "Es gibt: {names}",
        "可用的有：{names}",
    ),
    "cli.yes": (
        "Approve everything; the record says so.",
        "Alles genehmigen; im Protokoll steht das.",
        "全部批准；记录中会注明。",
    ),
    # paper runs
    "cli.runs": (
        "Look back at runs; do one again, or go on with one.",
        "Auf Läufe zurückblicken, einen wiederholen oder fortsetzen.",
        "查看历史运行，重新运行或继续运行。",
    ),
    "cli.runs.list": ("The newest first.", "Die neuesten zuerst.", "最新的在前。"),
    "cli.runs.tool": (
        "Only runs of this tool, also those that were steps of others.",
        "Nur Läufe dieses Tools, auch solche, die Schritte anderer waren.",
        "仅此工具的运行，包括作为其他工具步骤的运行。",
    ),
    "cli.runs.since": (
        "Only runs since then: a date such as 2026-11-16, or 2d, 3h, 30m ago.",
        "Nur Läufe seither: ein Datum wie 2026-11-16, oder vor 2d, 3h, 30m.",
        "仅此后的运行：日期如 2026-11-16，或多久以前如 2d、3h、30m。",
    ),
    "cli.runs.status": (
        "Only runs in this state.",
        "Nur Läufe in diesem Zustand.",
        "仅此状态的运行。",
    ),
    "cli.runs.limit": (
        "At most so many; 50 unless given.",
        "Höchstens so viele; ohne Angabe 50.",
        "最多这么多；默认 50 个。",
    ),
    "cli.runs.more": (
        "The newest {limit} are shown; more: --limit {more}",
        "Gezeigt sind die neuesten {limit}; mehr: --limit {more}",
        "显示最新的 {limit} 个；更多：--limit {more}",
    ),
    "cli.runs.none": (
        "No runs found.",
        "Keine Läufe gefunden.",
        "没有找到运行。",
    ),
    "cli.runs.none-to-resume": (
        "No run can go on without an answer. Open questions: paper approvals list",
        "Kein Lauf kann ohne Antwort weitergehen. Offene Fragen: paper approvals list",
        "没有无需答复即可继续的运行。待批请求：paper approvals list",
    ),
    "cli.runs.show": ("The record of a run.", "Das Protokoll eines Laufs.", "一次运行的记录。"),
    "cli.runs.rerun": (
        "The same tool with the same arguments, as a new run.",
        "Dasselbe Tool mit denselben Argumenten, als neuer Lauf.",
        "用相同的参数再次运行同一工具。",
    ),
    "cli.runs.resume": (
        "Go on with a run that waits or was interrupted.",
        "Einen wartenden oder unterbrochenen Lauf fortsetzen.",
        "继续等待中或被中断的运行。",
    ),
    "cli.runs.resume.done": (
        "The step that ended with outcome-unknown was done; its answer is this JSON, or null.",
        "Der Schritt, der mit outcome-unknown endete, ist geschehen; seine Antwort ist dieses JSON, sonst null.",
        "以 outcome-unknown 结束的步骤其实已完成；其结果为此 JSON，未给出则为 null。",
    ),
    "cli.runs.compare": (
        "What differs between two runs.",
        "Worin sich zwei Läufe unterscheiden.",
        "两次运行的差异。",
    ),
    "cli.runs.prune": (
        "Remove runs that are over: those older than DAYS, else what [history] in the settings does not keep.",
        "Beendete Läufe entfernen: die vor mehr als DAYS Tagen, sonst was [history] in den Einstellungen nicht hält.",
        "删除已结束的运行：早于 DAYS 天的，否则按设置中 [history] 的规定。",
    ),
    "cli.runs.prune.older-than": (
        "Remove what began so many days ago or earlier; 0 is everything that is over.",
        "Entfernen, was vor so vielen Tagen oder früher begann; 0 ist alles, was beendet ist.",
        "删除在这么多天以前开始的运行；0 表示全部已结束的运行。",
    ),
    "cli.runs.prune.undoable": (
        "Also remove runs whose changes could still be undone.",
        "Auch Läufe entfernen, deren Änderungen noch rückgängig gemacht werden könnten.",
        "同时删除其更改仍可撤销的运行。",
    ),
    "cli.runs.prune.dry-run": (
        "Only say what would be removed.",
        "Nur sagen, was entfernt würde.",
        "只说明将删除什么。",
    ),
    "cli.runs.prune.done": (
        "Removed runs: {count} (about {size}).",
        "Entfernte Läufe: {count} (etwa {size}).",
        "已删除 {count} 次运行（约 {size}）。",
    ),
    "cli.runs.prune.would": (
        "Would remove runs: {count} (about {size}).",
        "Würde Läufe entfernen: {count} (etwa {size}).",
        "将删除 {count} 次运行（约 {size}）。",
    ),
    "cli.runs.prune.no-limit": (
        "Every run is kept: [history] in the settings sets no limit. By age: paper runs prune --older-than DAYS",
        "Alle Läufe bleiben, weil [history] keine Grenze setzt. Nach Alter: paper runs prune --older-than DAYS",
        "所有运行都会保留：设置中的 [history] 未设限制。按时间删除：paper runs prune --older-than DAYS",
    ),
    "cli.runs.prune.unfinished": (
        "Kept because they are not over: {count}. They are listed by: paper runs list --status waiting",
        "Aufgehoben, weil nicht beendet: {count}. Auflisten: paper runs list --status waiting",
        "因尚未结束而保留：{count}。列出：paper runs list --status waiting",
    ),
    "cli.runs.prune.undoable-kept": (
        "Kept because their changes can be undone: {count}. To remove them as well: --undoable",
        "Aufgehoben, weil ihre Änderungen rückgängig gemacht werden können: {count}. Auch diese entfernen: --undoable",
        "因其更改可撤销而保留：{count}。若也要删除：--undoable",
    ),
    # paper approvals
    "cli.approvals": (
        "Answer open questions, and see what has been allowed from now on.",
        "Offene Fragen beantworten und sehen, was von nun an erlaubt ist.",
        "回答待批请求，并查看已长期允许的内容。",
    ),
    "cli.approvals.list": (
        "Every open question with exactly what would happen.",
        "Alle offenen Fragen mit genau dem, was geschehen würde.",
        "所有待批请求及其确切内容。",
    ),
    "cli.approvals.approve": (
        "Yes; the run goes on.",
        "Ja; der Lauf geht weiter.",
        "批准；运行继续。",
    ),
    "cli.approvals.edit": (
        "Yes to these arguments instead.",
        "Ja, aber zu diesen Argumenten.",
        "改为批准这些参数。",
    ),
    "cli.approvals.all": (
        "Yes to every question that is open now.",
        "Ja zu allen Fragen, die jetzt offen sind.",
        "批准当前所有待批请求。",
    ),
    "cli.approvals.run": (
        "Yes to every open question of this run.",
        "Ja zu allen offenen Fragen dieses Laufs.",
        "批准此次运行的所有待批请求。",
    ),
    "cli.approvals.for-run": (
        "And the same tool for the rest of this run.",
        "Und dasselbe Tool für den Rest dieses Laufs.",
        "并在本次运行余下部分允许同一工具。",
    ),
    "cli.approvals.show": (
        "One open question with exactly what would happen.",
        "Eine offene Frage mit genau dem, was geschehen würde.",
        "单个待批请求及其确切内容。",
    ),
    "cli.approvals.how": (
        "Say yes: paper approvals approve ID (or last, --run RUN, --all). Say no: paper approvals deny ID",
        "Ja sagen: paper approvals approve ID (oder last, --run RUN, --all). Nein sagen: paper approvals deny ID",
        "批准：paper approvals approve ID（或 last、--run RUN、--all）。拒绝：paper approvals deny ID",
    ),
    "cli.approvals.approved": (
        "Questions approved: {count}",
        "Genehmigte Fragen: {count}",
        "已批准 {count} 个请求",
    ),
    "cli.approvals.undo": (
        "Take one back: paper approvals revoke ID",
        "Eine widerrufen: paper approvals revoke ID",
        "撤销：paper approvals revoke ID",
    ),
    "cli.approvals.no-rules": (
        "No rules: every change is asked.",
        "Keine Regeln: Jede Änderung wird gefragt.",
        "没有规则：每次更改都会询问。",
    ),
    "cli.approvals.revoked": (
        "Asked again from now on: {rule}",
        "Von nun an wird wieder gefragt: {rule}",
        "今后将重新询问：{rule}",
    ),
    "cli.approvals.always": (
        "And exactly this from now on (90 days), by a rule that can be revoked.",
        "Und genau das von nun an (90 Tage), durch eine widerrufbare Regel.",
        "并通过可撤销的规则，从现在起（90 天）允许同样的操作。",
    ),
    "cli.approvals.always-path": (
        "The same for a wider place: a pattern with * and ** that covers this one.",
        "Dasselbe für einen größeren Bereich: ein Muster mit * und **, das diesen Ort einschließt.",
        "同上，但范围更大：包含此处的模式，可用 * 和 **。",
    ),
    "cli.approvals.deny": (
        "No; the reason reaches whoever called.",
        "Nein; der Grund erreicht den Aufrufer.",
        "拒绝；理由会传达给调用者。",
    ),
    "cli.approvals.reason": ("Why not.", "Warum nicht.", "理由。"),
    "cli.approvals.rules": (
        "What has been allowed from now on.",
        "Was von nun an erlaubt ist.",
        "已长期允许的内容。",
    ),
    "cli.approvals.revoke": ("Take a rule back.", "Eine Regel widerrufen.", "撤销规则。"),
    "cli.approvals.none": ("No open questions.", "Keine offenen Fragen.", "没有待批请求。"),
    # the question at a terminal
    "ask.wish.create": (
        "{who} wants to create {target}:",
        "{who} möchte {target} anlegen:",
        "{who} 想要新建 {target}：",
    ),
    "ask.wish.append": (
        "{who} wants to append to {target}:",
        "{who} möchte etwas an {target} anhängen:",
        "{who} 想要在 {target} 末尾追加内容：",
    ),
    "ask.wish.overwrite": (
        "{who} wants to change {target}:",
        "{who} möchte {target} ändern:",
        "{who} 想要修改 {target}：",
    ),
    "ask.wish.delete": (
        "{who} wants to delete {target}:",
        "{who} möchte {target} löschen:",
        "{who} 想要删除 {target}：",
    ),
    "ask.wish.send": (
        "{who} wants to send this request ({target}):",
        "{who} möchte diese Anfrage senden ({target}):",
        "{who} 想要发送此请求（{target}）：",
    ),
    "ask.wish.call": (
        "{who} wants to call {tool} ({target}):",
        "{who} möchte {tool} aufrufen ({target}):",
        "{who} 想要调用 {tool}（{target}）：",
    ),
    "ask.wish.run": (
        "{who} wants to run {tool} with this:",
        "{who} möchte {tool} damit ausführen:",
        "{who} 想要以此运行 {tool}：",
    ),
    "ask.place": (
        "{tool}, step {step} of run {run}",
        "{tool}, Schritt {step} von Lauf {run}",
        "{tool}，运行 {run} 的步骤 {step}",
    ),
    "ask.wish.log": (
        "{who} wants to keep its logs in a file:",
        "{who} möchte seine Protokolle in einer Datei ablegen:",
        "{who} 想要把日志写入文件：",
    ),
    "ask.always": ("[a]lways  ", "[i]mmer  ", "[a] 始终允许  "),
    "ask.rule": (
        "Always would mean: {rule}",
        "Immer hieße: {rule}",
        "“始终允许”的含义：{rule}",
    ),
    "ask.help.always": (
        "a  yes, and from now on without a question: {rule}",
        "i  ja, und künftig ohne Rückfrage: {rule}",
        "a  批准，今后不再询问：{rule}",
    ),
    "ask.help.wider": (
        "a {path}  the same for a wider place: * is any name, ** any folders",
        "i {path}  dasselbe für einen größeren Bereich: * ist jeder Name, ** beliebige Ordner",
        "a {path}  同上，但范围更大：* 为任意名称，** 为任意层文件夹",
    ),
    "ask.allowed": (
        "From now on without a question: {rule}.",
        "Von nun an ohne Frage: {rule}.",
        "今后不再询问：{rule}。",
    ),
    "ask.allowed.undo": (
        "Undo: paper approvals revoke {id}",
        "Rückgängig: paper approvals revoke {id}",
        "撤销：paper approvals revoke {id}",
    ),
    "ask.unchanged": (
        "Nothing was changed in the editor, so nothing is decided yet.",
        "Im Editor wurde nichts geändert; noch ist nichts entschieden.",
        "编辑器中没有任何改动，因此尚未作出决定。",
    ),
    "ask.question": (
        "[y]es  [n]o  [e]dit  [r]est of this run  [c]ollect the rest  {always}[?]",
        "[j]a  [n]ein  b[e]arbeiten  [r]est dieses Laufs  [s]ammeln  {always}[?]",
        "[y] 是  [n] 否  [e] 编辑  [r] 本次运行余下部分  [c] 收集其余更改  {always}[?]",
    ),
    "ask.help": (
        (
            "y  yes, this once\n"
            "n  no; you can say why\n"
            "e  change it in your editor, and approve that\n"
            "r  yes, and the same tool for the rest of this run\n"
            "c  yes, and collect what the run changes later, to ask once"
        ),
        (
            "j  ja, dieses eine Mal\n"
            "n  nein; Sie können sagen, warum\n"
            "e  im Editor ändern und das genehmigen\n"
            "r  ja, und dasselbe Tool für den Rest dieses Laufs\n"
            "s  ja, und sammeln, was der Lauf später ändert, um einmal zu fragen"
        ),
        (
            "y  仅批准这一次\n"
            "n  拒绝；可以说明理由\n"
            "e  在编辑器中修改，并批准修改后的内容\n"
            "r  批准，并在本次运行余下部分允许同一工具\n"
            "c  批准，并收集本次运行之后的更改，统一询问一次"
        ),
    ),
    "ask.reason": ("Why not? (may be empty)", "Warum nicht? (darf leer sein)", "为什么不？（可留空）"),
    "ask.try-again": ("[t]ry again or [q]uit?", "[w]iederholen oder [q] abbrechen?", "[t] 重试，[q] 放弃？"),
    # arguments on the command line
    "params-not-json": (
        "The arguments are not a JSON object: {reason}.",
        "Die Argumente sind kein JSON-Objekt: {reason}.",
        "参数不是 JSON 对象：{reason}。",
    ),
    "param-repeated": (
        "'{name}' is given more than once, and it takes one value.",
        "„{name}“ ist mehrfach angegeben und nimmt nur einen Wert.",
        "“{name}” 给出了多次，而它只接受一个值。",
    ),
    "param-without-value": (
        "'{pair}' is not NAME=VALUE.",
        "„{pair}“ ist nicht NAME=WERT.",
        "“{pair}” 不是 NAME=VALUE 的形式。",
    ),
    "param-without-value.example.hint": (
        "Example: paper run {tool} -p {name}={pair!q}",
        "Beispiel: paper run {tool} -p {name}={pair!q}",
        "示例：paper run {tool} -p {name}={pair!q}",
    ),
}
