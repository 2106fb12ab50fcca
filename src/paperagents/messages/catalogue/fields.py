"""What the fields of tool, agent and tag notes mean, as an editor explains them."""

TEXTS = {
    # --- wherever they stand
    "field.id": (
        "How it is called: letters, digits, `_` and `-`. Without it, a short form of `name`.",
        "So wird es aufgerufen: Buchstaben, Ziffern, `_` und `-`. Ohne Angabe eine Kurzform von `name`.",
        "调用时使用的名称：字母、数字、`_` 和 `-`。缺省时由 `name` 生成。",
    ),
    "field.name": ("The name that people see.", "Der Name, den Menschen sehen.", "显示给人看的名称。"),
    "field.description": (
        "What it does, for lists and for language models.",
        "Was es tut, für Listen und für Sprachmodelle.",
        "它的作用，显示在列表中并提供给语言模型。",
    ),
    "field.parameters": (
        "What a caller gives: a list with `name`, `type`, `description`, `required`, `default` and JSON Schema.",
        "Was der Aufrufer angibt: eine Liste mit `name`, `type`, `description`, `required`, `default` und JSON Schema.",
        "调用方提供的参数：由 `name`、`type`、`description`、`required`、`default` 及 JSON Schema 关键字组成的列表。",
    ),
    "field.version": ("Any text.", "Ein beliebiger Text.", "任意文本。"),
    "field.author": (
        "A text or a list of texts.",
        "Ein Text oder eine Liste von Texten.",
        "一个文本，或文本列表。",
    ),
    "field.category": ("Where it stands in lists.", "Wo es in Listen steht.", "在列表中的分组。"),
    "field.tags": (
        "A text or a list of texts: ordinary tags of the note.",
        "Ein Text oder eine Liste von Texten: gewöhnliche Tags der Notiz.",
        "一个文本或文本列表：笔记的普通标签。",
    ),
    "field.approval": (
        "`always` asks a person before anything runs; `together` collects the changes and asks once, at the end.",
        "`always` fragt vor jeder Ausführung; `together` sammelt die Änderungen und fragt einmal am Ende.",
        "`always` 在运行前先询问；`together` 收集更改，最后一次性询问。",
    ),
    "field.timeout": ("Seconds at most.", "Höchstens so viele Sekunden.", "最多多少秒。"),
    "field.output": (
        "Exactly what must come out.",
        "Genau das muss herauskommen.",
        "必须得到的确切结果。",
    ),
    "field.output_contains": (
        "What must at least be there: a piece of a text, some fields, some entries.",
        "Was mindestens enthalten sein muss: ein Stück Text, einige Felder, einige Einträge.",
        "至少要包含的内容：一段文本、若干字段或若干条目。",
    ),
    "field.responses": (
        "Answers that stand in for tools, by the label of a step or by the id of a tool.",
        "Antworten, die Tools ersetzen, nach der Bezeichnung eines Schritts oder der Id eines Tools.",
        "代替工具的回答，按步骤标签或工具标识列出。",
    ),
    "field.keyword": (
        "A keyword of JSON Schema 2020-12.",
        "Ein Schlüsselwort von JSON Schema 2020-12.",
        "JSON Schema 2020-12 的关键字。",
    ),
    # --- tools
    "field.tool": (
        "`true` makes the note a tool.",
        "`true` macht die Notiz zu einem Tool.",
        "`true` 使该笔记成为工具。",
    ),
    "field.tool.type": (
        "`single` or `chain`; found out from the rest of the file where it is missing.",
        "`single` oder `chain`; ohne Angabe ergibt es sich aus dem Rest der Datei.",
        "`single` 或 `chain`；缺省时由文件的其余部分推断。",
    ),
    "field.custom_function": (
        "JavaScript that gets `input` and returns the result.",
        "JavaScript, das `input` bekommt und das Ergebnis zurückgibt.",
        "接收 `input` 并返回结果的 JavaScript。",
    ),
    "field.steps": (
        "The steps of a chain, here or in a fenced `yaml` block.",
        "Die Schritte einer Kette, hier oder in einem umzäunten `yaml`-Block.",
        "链的步骤，写在此处或 `yaml` 代码块中。",
    ),
    "field.log": (
        "`store` (the default), `file` (appended to this note) or the path of another file.",
        "`store` (Voreinstellung), `file` (an diese Notiz angehängt) oder der Pfad einer anderen Datei.",
        "`store`（默认）、`file`（追加到本笔记）或另一个文件的路径。",
    ),
    "field.strict": (
        "`true` refuses arguments that are not declared.",
        "`true` weist nicht deklarierte Argumente zurück.",
        "`true` 表示拒绝未声明的参数。",
    ),
    "field.examples": (
        "Inputs and what must come of them; `paper test` tries them.",
        "Eingaben und was daraus werden muss; `paper test` probiert sie aus.",
        "输入及其应得的结果；由 `paper test` 检验。",
    ),
    "field.environment": (
        "Settings and secrets that the tool needs, used as `{{{{env.NAME}}}}` and set with `paper env`.",
        "Einstellungen und Geheimnisse, die das Tool braucht: als `{{{{env.NAME}}}}`, gesetzt mit `paper env`.",
        "工具所需的设置和机密，以 `{{{{env.NAME}}}}` 使用，用 `paper env` 设置。",
    ),
    "field.schedule": (
        "A cron expression: when the tool runs by itself.",
        "Ein Cron-Ausdruck: wann das Tool von selbst läuft.",
        "Cron 表达式：工具自动运行的时间。",
    ),
    "field.returns": ("JSON Schema of the answer.", "JSON Schema der Antwort.", "回答的 JSON Schema。"),
    # --- parameters
    "field.parameters.name": ("How the argument is called.", "Wie das Argument heißt.", "参数的名称。"),
    "field.parameters.type": (
        "`string`, `number`, `integer`, `boolean`, `array` or `object`.",
        "`string`, `number`, `integer`, `boolean`, `array` oder `object`.",
        "`string`、`number`、`integer`、`boolean`、`array` 或 `object`。",
    ),
    "field.parameters.description": (
        "What to give, for forms and for language models.",
        "Was anzugeben ist, für Formulare und für Sprachmodelle.",
        "应提供的内容，用于表单和语言模型。",
    ),
    "field.required": (
        "`true` unless it says `false`.",
        "`true`, wenn nicht `false` dasteht.",
        "除非写明 `false`，否则为 `true`。",
    ),
    "field.default": (
        "Taken where nothing is given.",
        "Gilt, wo nichts angegeben ist.",
        "未提供时采用的值。",
    ),
    "field.service": (
        "The host whose value this variable takes.",
        "Der Host, dessen Wert diese Variable übernimmt.",
        "该变量取用其值的主机。",
    ),
    # --- steps
    "field.steps.tool": (
        "The tool to call: a built-in one or any tool of the vault.",
        "Das Tool, das aufgerufen wird: ein eingebautes oder eines des Vaults.",
        "要调用的工具：内置工具或仓库中的任意工具。",
    ),
    "field.steps.name": (
        "The label by which later steps refer to the output: `steps.NAME.output`.",
        "Die Bezeichnung, mit der spätere Schritte auf die Ausgabe verweisen: `steps.NAME.output`.",
        "后续步骤引用其输出时使用的标签：`steps.NAME.output`。",
    ),
    "field.steps.parameters": (
        "The arguments; every text in them may contain references.",
        "Die Argumente; jeder Text darin darf Verweise enthalten.",
        "参数；其中的任何文本都可以包含引用。",
    ),
    "field.post_processing": (
        "JavaScript that gets `output` and returns what takes its place.",
        "JavaScript, das `output` bekommt und zurückgibt, was an dessen Stelle tritt.",
        "接收 `output` 并返回其替代值的 JavaScript。",
    ),
    "field.if": (
        "A reference or a small JavaScript expression. Where it does not hold, the step is skipped.",
        "Ein Verweis oder ein kleiner JavaScript-Ausdruck. Trifft er nicht zu, wird der Schritt übersprungen.",
        "引用或简短的 JavaScript 表达式。不成立时跳过该步骤。",
    ),
    "field.for_each": (
        "A list, or a reference to one. The step runs once for each entry, named `item` and `index`.",
        "Eine Liste oder ein Verweis darauf. Der Schritt läuft für jeden Eintrag einmal, mit `item` und `index`.",
        "列表或对列表的引用。对每个条目运行一次，名称为 `item` 和 `index`。",
    ),
    "field.max_parallel": (
        "How many run at the same time.",
        "Wie viele zugleich laufen.",
        "同时运行的数量。",
    ),
    "field.retry": (
        "A number of attempts, or `attempts`, `delay` and `backoff`. Only failures are tried again, never a no.",
        "Die Zahl der Versuche, oder `attempts`, `delay` und `backoff`. Nur Fehler werden wiederholt, nie ein Nein.",
        "尝试次数，或 `attempts`、`delay` 和 `backoff`。只重试失败，从不重试拒绝。",
    ),
    "field.continue_on_error": (
        "`true`: a failure is recorded, the output is null, and the chain goes on.",
        "`true`: Ein Fehler wird aufgezeichnet, die Ausgabe ist null, und die Kette läuft weiter.",
        "`true`：记录失败，输出为 null，链继续运行。",
    ),
    "field.parallel": (
        "Steps that do not need each other; the output is the list of their outputs.",
        "Schritte, die einander nicht brauchen; die Ausgabe ist die Liste ihrer Ausgaben.",
        "互不依赖的步骤；输出是它们输出的列表。",
    ),
    "field.attempts": ("How often it is tried at most.", "Wie oft es höchstens versucht wird.", "最多尝试的次数。"),
    "field.delay": (
        "Seconds before the second attempt.",
        "Sekunden vor dem zweiten Versuch.",
        "第二次尝试前等待的秒数。",
    ),
    "field.backoff": (
        "The factor by which the delay grows from one attempt to the next.",
        "Der Faktor, um den die Wartezeit von Versuch zu Versuch wächst.",
        "每次尝试之间等待时间增长的倍数。",
    ),
    # --- examples
    "field.examples.name": (
        "Shown by `paper test` and as a button in forms.",
        "Erscheint bei `paper test` und als Schaltfläche in Formularen.",
        "显示在 `paper test` 中，并作为表单中的按钮。",
    ),
    "field.input": ("The arguments.", "Die Argumente.", "参数。"),
    "field.error": (
        "The code of the error that must happen, or a piece of its message; `true` is any error.",
        "Der Code des Fehlers, der auftreten muss, oder ein Stück seiner Meldung; `true` ist jeder Fehler.",
        "必须出现的错误的代码或其消息片段；`true` 表示任意错误。",
    ),
    "field.examples.environment": (
        "Values that stand in for the variables that the tool declares.",
        "Werte, die für die deklarierten Variablen des Tools einspringen.",
        "代替工具所声明变量的值。",
    ),
    # --- tags
    "field.tag": (
        "`true` makes the note a definition of a tag.",
        "`true` macht die Notiz zur Definition eines Tags.",
        "`true` 使该笔记成为标签的定义。",
    ),
    "field.tag.type": (
        "`block` (with content), `self_closing` or `hybrid` (both).",
        "`block` (mit Inhalt), `self_closing` oder `hybrid` (beides).",
        "`block`（带内容）、`self_closing` 或 `hybrid`（两者皆可）。",
    ),
    "field.tag.category": (
        "`reasoning`, `storage`, `execution` or `output`.",
        "`reasoning`, `storage`, `execution` oder `output`.",
        "`reasoning`、`storage`、`execution` 或 `output`。",
    ),
    "field.schema": (
        "What attributes and content may be.",
        "Was Attribute und Inhalt sein dürfen.",
        "属性和内容的规则。",
    ),
    "field.storage": (
        "The kind of entry that it stores: `memory`, `task`, `goal`, `datavault`, or one of your own.",
        "Die Art von Eintrag, die es speichert: `memory`, `task`, `goal`, `datavault` oder eine eigene.",
        "它保存的条目种类：`memory`、`task`、`goal`、`datavault` 或自定义种类。",
    ),
    "field.words": (
        "The words behind `{{{{<` that mean this tag, where it is not its id.",
        "Die Wörter hinter `{{{{<`, die dieses Tag bedeuten, wenn es nicht seine Id ist.",
        "`{{{{<` 后表示该标签的词，若不是其标识。",
    ),
    "field.patterns": (
        "Regular expressions of your own that begin with `{{{{<word`.",
        "Eigene reguläre Ausdrücke, die mit `{{{{<Wort` beginnen.",
        "以 `{{{{<词` 开头的自定义正则表达式。",
    ),
}
