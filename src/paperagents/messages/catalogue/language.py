"""Sentences of the language server and the editors that use it."""

TEXTS = {
    "cli.lsp": (
        "Serve an editor over standard input and output (Language Server Protocol).",
        "Einen Editor über Standardein- und -ausgabe bedienen (Language Server Protocol).",
        "通过标准输入输出为编辑器提供服务（Language Server Protocol）。",
    ),
    "language.step": (
        "Step **{label}** calls `{tool}`.",
        "Der Schritt **{label}** ruft `{tool}` auf.",
        "步骤 **{label}** 调用 `{tool}`。",
    ),
    "language.last-value": ("In the last recorded run:", "Im letzten aufgezeichneten Lauf:", "最近一次记录的运行中："),
    "language.example": ("Example {number}", "Beispiel {number}", "示例 {number}"),
    "language.run": ("Run", "Ausführen", "运行"),
    "language.dry-run": ("Dry run", "Probelauf", "试运行"),
    "language.fix.replace": ("Replace with '{text}'", "Ersetzen durch „{text}“", "替换为 “{text}”"),
    "language.fix.declare": (
        "Declare the parameter '{name}'",
        "Den Parameter „{name}“ deklarieren",
        "声明参数 “{name}”",
    ),
    "cannot-rename": (
        "'{name}' cannot be renamed here.",
        "„{name}“ lässt sich hier nicht umbenennen.",
        "此处无法重命名 “{name}”。",
    ),
    "cannot-rename.builtin": (
        "'{name}' belongs to the program or to another server, and no file of the vault says its name.",
        "„{name}“ gehört zum Programm oder zu einem anderen Server; keine Datei des Vaults legt den Namen fest.",
        "“{name}” 属于程序本身或其他服务器，仓库中没有文件定义该名称。",
    ),
    "cannot-rename.invalid": (
        "'{new}' cannot be a name in the place of '{name}'.",
        "„{new}“ kann nicht an die Stelle von „{name}“ treten.",
        "“{new}” 不能用作 “{name}” 的新名称。",
    ),
    "cannot-rename.invalid.hint": (
        "Use letters, digits, '_' and '-', begin with a letter, and avoid the words that references begin with.",
        "Buchstaben, Ziffern, „_“ und „-“, zuerst ein Buchstabe; keine Wörter, mit denen Verweise beginnen.",
        "请使用字母、数字、“_” 和 “-”，以字母开头，并避开引用的起始词。",
    ),
    "cannot-rename.taken": (
        "There is a '{new}' already.",
        "„{new}“ gibt es schon.",
        "“{new}” 已存在。",
    ),
    "cannot-rename.taken.hint": ("Choose another name.", "Bitte einen anderen Namen wählen.", "请选择其他名称。"),
    "cannot-rename.written": (
        "{file}:{line} writes '{name}' in a way that cannot be changed safely.",
        "{file}:{line} schreibt „{name}“ so, dass es sich nicht sicher ändern lässt.",
        "{file}:{line} 中 “{name}” 的写法无法安全更改。",
    ),
    "cannot-rename.written.hint": (
        "Change that line by hand, then rename again.",
        "Ändern Sie diese Zeile von Hand und benennen Sie dann erneut um.",
        "请先手动修改该行，然后重新重命名。",
    ),
    "cannot-rename.javascript": (
        "{file}:{line} uses '{name}' in JavaScript, where '{new}' is no name.",
        "{file}:{line} verwendet „{name}“ in JavaScript; dort ist „{new}“ kein Name.",
        "{file}:{line} 在 JavaScript 中使用了 “{name}”，而 “{new}” 不是合法的名称。",
    ),
    "cannot-rename.javascript.hint": (
        "Choose a name of letters, digits and '_'.",
        "Wählen Sie einen Namen aus Buchstaben, Ziffern und „_“.",
        "请选择由字母、数字和 “_” 组成的名称。",
    ),
    "lsp-unsaved": (
        "{file} has changes that are not saved. Save it first: what runs is the file on disk.",
        "{file} hat ungesicherte Änderungen. Bitte zuerst sichern: Ausgeführt wird die Datei auf der Festplatte.",
        "{file} 有未保存的更改。请先保存：运行的是磁盘上的文件。",
    ),
    "lsp.ended": (
        "{tool}: {status} after {duration} ms",
        "{tool}: {status} nach {duration} ms",
        "{tool}：{status}，用时 {duration} 毫秒",
    ),
    "lsp.waiting": (
        "{tool} waits for an answer. See it: paper approvals show {id}. Answer: paper approvals approve {id}",
        "{tool} wartet auf eine Antwort. Ansehen: paper approvals show {id}. Antworten: paper approvals approve {id}",
        "{tool} 正在等待答复。查看：paper approvals show {id}。答复：paper approvals approve {id}",
    ),
    "lsp.question": ("{tool} wants to do this:", "{tool} möchte Folgendes tun:", "{tool} 想要执行以下操作："),
    "lsp.yes": ("Approve", "Zustimmen", "批准"),
    "lsp.no": ("Deny", "Ablehnen", "拒绝"),
    "lsp.later": ("Later", "Später", "稍后"),
    "lsp-call": (
        "The command wants one object: uri, tool, and arguments as an object.",
        "Der Befehl erwartet ein Objekt: uri, tool und arguments als Objekt.",
        "该命令需要一个对象：uri、tool，以及作为对象的 arguments。",
    ),
}
