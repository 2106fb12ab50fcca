"""What can be wrong with a file: its text, its YAML, its fields and blocks."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # --- the file as a whole
    "not-utf8.definition": (
        "This is not UTF-8 text: byte {byte}.",
        "Das ist kein UTF-8-Text: Byte {byte}.",
        "这不是 UTF-8 文本：字节 {byte}。",
    ),
    "not-utf8.definition.hint": (
        "Save the file as UTF-8.",
        "Die Datei als UTF-8 speichern.",
        "请将文件另存为 UTF-8。",
    ),
    "file-too-large.definition": (
        "The file is too large; a tool file may have at most {limit} bytes.",
        "Die Datei ist zu groß; eine Tool-Datei darf höchstens {limit} Bytes haben.",
        "文件太大；工具文件最多允许 {limit} 字节。",
    ),
    "file-unreadable": (
        "The file cannot be read: {reason}.",
        "Die Datei kann nicht gelesen werden: {reason}.",
        "无法读取文件：{reason}。",
    ),
    "file-not-understood": (
        "The file cannot be understood: {reason}.",
        "Die Datei lässt sich nicht verstehen: {reason}.",
        "无法理解此文件：{reason}。",
    ),
    "file-not-understood.hint": (
        "This is a mistake of the program. All other files work as before; a simpler file may help.",
        "Das ist ein Fehler des Programms. Alle anderen Dateien bleiben nutzbar; eine einfachere Datei kann helfen.",
        "这是程序的错误。其他文件不受影响；可以尝试简化此文件。",
    ),
    "file-outside-vault": (
        "This link leads out of the vault and is not followed.",
        "Diese Verknüpfung führt aus dem Vault hinaus; ihr wird nicht gefolgt.",
        "此链接指向库之外，不予跟随。",
    ),
    "frontmatter-unclosed": (
        "The frontmatter is not closed.",
        "Der Frontmatter-Block ist nicht geschlossen.",
        "前置元数据没有结束。",
    ),
    "frontmatter-unclosed.hint": (
        "Write a line with just --- after the last property.",
        "Nach der letzten Eigenschaft eine Zeile nur mit --- schreiben.",
        "在最后一个属性之后写一行 ---。",
    ),
    "not-true": (
        "'{field}: {value}' is a text, not true, so this note is no {field}.",
        "„{field}: {value}“ ist ein Text und nicht wahr; diese Notiz ist daher kein {field}.",
        "“{field}: {value}” 是文本而不是 true，因此此笔记不是 {field}。",
    ),
    "not-true.hint": (
        "Write {field}: true",
        "{field}: true schreiben",
        "请写 {field}: true",
    ),
    # --- YAML
    "yaml-syntax": (
        "This is not valid YAML.",
        "Das ist kein gültiges YAML.",
        "这不是有效的 YAML。",
    ),
    "yaml-syntax.bracket.hint": (
        "A bracket is not closed, or a comma is missing.",
        "Eine Klammer ist nicht geschlossen, oder ein Komma fehlt.",
        "括号没有闭合，或缺少逗号。",
    ),
    "yaml-syntax.quote.hint": (
        "A quotation mark is not closed.",
        "Ein Anführungszeichen ist nicht geschlossen.",
        "引号没有闭合。",
    ),
    "yaml-syntax.escape.hint": (
        "In double quotes a backslash is written twice; in single quotes it stands for itself.",
        "In doppelten Anführungszeichen wird ein Backslash doppelt geschrieben; in einfachen steht er für sich selbst.",
        "在双引号中，反斜杠要写两个；在单引号中，它就是它本身。",
    ),
    "yaml-syntax.character.hint": (
        "A text that starts with this sign needs quotes.",
        "Ein Text, der mit diesem Zeichen beginnt, braucht Anführungszeichen.",
        "以此符号开头的文本需要加引号。",
    ),
    "yaml-syntax.indent.hint": (
        "What belongs together begins in the same column, and a name has just one value.",
        "Was zusammengehört, beginnt in derselben Spalte, und ein Name hat genau einen Wert.",
        "同一层的内容要从同一列开始，每个名称只能有一个值。",
    ),
    "yaml-syntax.control.hint": (
        "This character is invisible and not allowed here.",
        "Dieses Zeichen ist unsichtbar und hier nicht erlaubt.",
        "此字符不可见，不允许出现在这里。",
    ),
    "yaml-syntax.choice.hint": (
        "These are the values to choose from: write one of them.",
        "Das sind die Werte zur Auswahl: einen davon schreiben.",
        "这里列出的是可选的值：请只写其中一个。",
    ),
    "yaml-syntax.tab.hint": (
        "YAML is indented with spaces, never with tabs.",
        "YAML wird mit Leerzeichen eingerückt, nie mit Tabulatoren.",
        "YAML 用空格缩进，不能用制表符。",
    ),
    "yaml-syntax.placeholder.hint": (
        'A value that starts with {{{{ needs quotes: "{{{{name}}}}".',
        'Ein Wert, der mit {{{{ beginnt, braucht Anführungszeichen: "{{{{name}}}}".',
        '以 {{{{ 开头的值需要引号："{{{{name}}}}"。',
    ),
    "yaml-syntax.colon.hint": (
        "A text with a colon and a blank in it needs quotes.",
        "Ein Text mit Doppelpunkt und Leerzeichen darin braucht Anführungszeichen.",
        "含有冒号加空格的文本需要加引号。",
    ),
    "yaml-syntax.code.hint": (
        "Write {field}: | and put the code on the next line, indented.",
        "{field}: | schreiben und den Code eingerückt in die nächste Zeile setzen.",
        "写成 {field}: |，并把代码缩进写在下一行。",
    ),
    "yaml-syntax.star.hint": (
        "A text that starts with * or & needs quotes.",
        "Ein Text, der mit * oder & beginnt, braucht Anführungszeichen.",
        "以 * 或 & 开头的文本需要加引号。",
    ),
    "yaml-syntax.blank.hint": (
        "A name is followed by a colon and a blank: name: value.",
        "Auf einen Namen folgen ein Doppelpunkt und ein Leerzeichen: name: Wert.",
        "名称后面要有冒号和空格：name: 值。",
    ),
    "yaml-unquoted-placeholder": (
        "A placeholder without quotes is read by YAML as a mapping.",
        "Einen Platzhalter ohne Anführungszeichen liest YAML als Zuordnung.",
        "没有引号的占位符会被 YAML 当作映射。",
    ),
    "yaml-unquoted-placeholder.hint": (
        'Put the whole value in quotes: "{{{{name}}}}".',
        'Den ganzen Wert in Anführungszeichen setzen: "{{{{name}}}}".',
        '请将整个值放入引号："{{{{name}}}}"。',
    ),
    "yaml-duplicate-key": (
        "'{key}' stands here a second time; the first is in line {line}.",
        "„{key}“ steht hier ein zweites Mal; das erste Mal in Zeile {line}.",
        "“{key}” 在此重复出现；第一次在第 {line} 行。",
    ),
    "yaml-too-deep": (
        "The YAML is nested more than {limit} levels deep.",
        "Das YAML ist mehr als {limit} Ebenen tief verschachtelt.",
        "YAML 嵌套超过 {limit} 层。",
    ),
    "yaml-too-large": (
        "Written out, the YAML has more than {limit} values.",
        "Ausgeschrieben hat das YAML mehr als {limit} Werte.",
        "展开后 YAML 超过 {limit} 个值。",
    ),
    "yaml-recursive-alias": (
        "'*{name}' contains itself.",
        "„*{name}“ enthält sich selbst.",
        "“*{name}” 包含自身。",
    ),
    "yaml-unknown-alias": (
        "There is no anchor '&{name}' before this alias.",
        "Vor diesem Alias gibt es keinen Anker „&{name}“.",
        "此别名之前没有锚点 “&{name}”。",
    ),
    "yaml-complex-key": (
        "A key must be a plain text.",
        "Ein Schlüssel muss ein einfacher Text sein.",
        "键必须是纯文本。",
    ),
    "yaml-tag": (
        "The YAML tag '{tag}' is not supported or does not fit its value.",
        "Der YAML-Tag „{tag}“ wird nicht unterstützt oder passt nicht zu seinem Wert.",
        "YAML 标签 “{tag}” 不受支持或与其值不符。",
    ),
    "yaml-several-documents": (
        "A second YAML document starts here; only one is possible.",
        "Hier beginnt ein zweites YAML-Dokument; nur eines ist möglich.",
        "此处开始第二个 YAML 文档；只能有一个。",
    ),
    # --- fields
    "missing-field": (
        "'{field}' is missing.",
        "„{field}“ fehlt.",
        "缺少 “{field}”。",
    ),
    "missing-field.hint": (
        "Add a line: {field}: …",
        "Eine Zeile ergänzen: {field}: …",
        "请添加一行：{field}: …",
    ),
    "missing-field.parameter": (
        "This parameter has no name.",
        "Dieser Parameter hat keinen Namen.",
        "此参数没有名称。",
    ),
    "missing-field.type": (
        "Parameter '{name}' has no type.",
        "Parameter „{name}“ hat keinen Typ.",
        "参数 “{name}” 没有类型。",
    ),
    "missing-field.type.hint": (
        "Add type: string, number, integer, boolean, array or object.",
        "type ergänzen: string, number, integer, boolean, array oder object.",
        "请添加 type：string、number、integer、boolean、array 或 object。",
    ),
    "missing-field.step": (
        "This step does not say which tool it calls.",
        "Dieser Schritt sagt nicht, welches Tool er aufruft.",
        "此步骤没有说明调用哪个工具。",
    ),
    "missing-field.step.hint": (
        "Add tool: or name: with the name of a tool.",
        "tool: oder name: mit dem Namen eines Tools ergänzen.",
        "请添加 tool: 或 name:，值为工具名称。",
    ),
    "missing-description": (
        "There is no description; people and models choose tools by it.",
        "Die Beschreibung fehlt; Menschen und Modelle wählen Tools danach aus.",
        "缺少描述；人和模型都靠它选择工具。",
    ),
    "missing-description.parameter": (
        "Parameter '{name}' has no description.",
        "Parameter „{name}“ hat keine Beschreibung.",
        "参数 “{name}” 没有描述。",
    ),
    "missing-description.javascript.hint": (
        "Add to what getMetadata() returns: description: '…'",
        "In der Antwort von getMetadata() ergänzen: description: '…'",
        "请在 getMetadata() 的返回值中添加：description: '…'",
    ),
    "missing-description.hint": (
        "Add a line: description: …",
        "Eine Zeile ergänzen: description: …",
        "请添加一行：description: …",
    ),
    "wrong-type": (
        "'{field}' has the wrong type.",
        "„{field}“ hat den falschen Typ.",
        "“{field}” 的类型不对。",
    ),
    "wrong-type.text": (
        "'{field}' must be a text.",
        "„{field}“ muss ein Text sein.",
        "“{field}” 必须是文本。",
    ),
    "wrong-type.text.hint": (
        "Put the value in quotes.",
        "Den Wert in Anführungszeichen setzen.",
        "请给值加上引号。",
    ),
    "wrong-type.texts": (
        "'{field}' must be a list of texts.",
        "„{field}“ muss eine Liste von Texten sein.",
        "“{field}” 必须是文本列表。",
    ),
    "wrong-type.boolean": (
        "'{field}' must be true or false.",
        "„{field}“ muss true oder false sein.",
        "“{field}” 必须是 true 或 false。",
    ),
    "wrong-type.boolean.hint": (
        "Without quotes; yes, no, on and off are texts.",
        "Ohne Anführungszeichen; yes, no, on und off sind Texte.",
        "不要加引号；yes、no、on、off 是文本。",
    ),
    "wrong-type.number": (
        "'{field}' must be a number.",
        "„{field}“ muss eine Zahl sein.",
        "“{field}” 必须是数字。",
    ),
    "wrong-type.integer": (
        "'{field}' must be a whole number.",
        "„{field}“ muss eine ganze Zahl sein.",
        "“{field}” 必须是整数。",
    ),
    "wrong-type.list": (
        "'{field}' must be a list.",
        "„{field}“ muss eine Liste sein.",
        "“{field}” 必须是列表。",
    ),
    "wrong-type.list.hint": (
        "Start each entry on its own line with '- '.",
        "Jeden Eintrag in einer eigenen Zeile mit „- “ beginnen.",
        "每个条目单独一行，以 “- ” 开头。",
    ),
    "wrong-type.mapping": (
        "'{field}' must be a mapping of names to values.",
        "„{field}“ muss eine Zuordnung von Namen zu Werten sein.",
        "“{field}” 必须是名称到值的映射。",
    ),
    "wrong-type.mappings": (
        "Every entry of '{field}' must be a mapping of names to values.",
        "Jeder Eintrag von „{field}“ muss eine Zuordnung von Namen zu Werten sein.",
        "“{field}” 的每个条目必须是名称到值的映射。",
    ),
    "wrong-type.list-or-reference": (
        "'{field}' must be a list, or one reference that gives a list.",
        "„{field}“ muss eine Liste sein oder ein Verweis, der eine Liste ergibt.",
        "“{field}” 必须是列表，或一个得到列表的引用。",
    ),
    "wrong-type.condition": (
        "'{field}' must be a reference, a small JavaScript expression, true or false.",
        "„{field}“ muss ein Verweis, ein kleiner JavaScript-Ausdruck, true oder false sein.",
        "“{field}” 必须是引用、简短的 JavaScript 表达式、true 或 false。",
    ),
    "wrong-type.retry": (
        "'{field}' must be a number of attempts, at least 1, or a mapping with attempts, delay and backoff.",
        "„{field}“ muss eine Zahl von Versuchen ab 1 sein oder eine Zuordnung mit attempts, delay und backoff.",
        "“{field}” 必须是尝试次数（至少为 1），或包含 attempts、delay 和 backoff 的映射。",
    ),
    "wrong-type.function": (
        "'{field}' must be a function.",
        "„{field}“ muss eine Funktion sein.",
        "“{field}” 必须是函数。",
    ),
    "invalid-value": (
        "'{value}' is not possible for '{field}': {options}.",
        "„{value}“ ist für „{field}“ nicht möglich: {options}.",
        "“{field}” 不能是 “{value}”：{options}。",
    ),
    "invalid-value.suggestion.hint": (
        "Did you mean '{suggestion}'?",
        "Meinten Sie „{suggestion}“?",
        "您是指 “{suggestion}” 吗？",
    ),
    "invalid-id": (
        "'{id}' cannot be an id.",
        "„{id}“ kann keine Id sein.",
        "“{id}” 不能用作 id。",
    ),
    "invalid-id.hint": (
        "An id has 1 to 200 letters, digits, _ or -.",
        "Eine Id hat 1 bis 200 Buchstaben, Ziffern, _ oder -.",
        "id 由 1 到 200 个字母、数字、_ 或 - 组成。",
    ),
    "invalid-log": (
        "A log cannot be written to '{path}'.",
        "Ein Protokoll kann nicht nach „{path}“ geschrieben werden.",
        "日志不能写入 “{path}”。",
    ),
    "invalid-log.hint": (
        "Write log: file, or the path of a note, a .txt, .log, .yaml or .json file in the vault.",
        "log: file schreiben, oder den Pfad einer Notiz, einer .txt-, .log-, .yaml- oder .json-Datei im Vault.",
        "请写 log: file，或库中笔记、.txt、.log、.yaml 或 .json 文件的路径。",
    ),
    "invalid-log.tool": (
        "No log is written to '{path}': that file is a tool, an agent or a tag itself.",
        "Nach „{path}“ wird kein Protokoll geschrieben: Diese Datei ist selbst ein Tool, ein Agent oder ein Tag.",
        "日志不会写入 “{path}”：该文件本身是工具、智能体或标签。",
    ),
    "unknown-field": (
        "'{field}' is not a known field.",
        "„{field}“ ist kein bekanntes Feld.",
        "“{field}” 不是已知字段。",
    ),
    "unknown-field.hint": (
        "Did you mean '{suggestion}'?",
        "Meinten Sie „{suggestion}“?",
        "您是指 “{suggestion}” 吗？",
    ),
    # --- parameters
    "duplicate-parameter": (
        "There are two parameters named '{name}'; the first is in line {line}.",
        "Es gibt zwei Parameter namens „{name}“; der erste steht in Zeile {line}.",
        "有两个名为 “{name}” 的参数；第一个在第 {line} 行。",
    ),
    "shadowed-placeholder": (
        "A parameter named '{name}' hides the built-in placeholder of that name.",
        "Ein Parameter namens „{name}“ verdeckt den eingebauten Platzhalter dieses Namens.",
        "名为 “{name}” 的参数会遮蔽同名的内置占位符。",
    ),
    "shadowed-placeholder.hint": (
        "Choose another name unless you mean it so.",
        "Einen anderen Namen wählen, wenn das nicht so gemeint ist.",
        "若非有意，请换一个名称。",
    ),
    "invalid-schema.field": (
        "'{name}' is not a valid JSON Schema: {reason}.",
        "„{name}“ ist kein gültiges JSON Schema: {reason}.",
        "“{name}” 不是有效的 JSON Schema：{reason}。",
    ),
    "invalid-schema": (
        "Parameter '{name}' is not a valid JSON Schema: {reason}.",
        "Parameter „{name}“ ist kein gültiges JSON Schema: {reason}.",
        "参数 “{name}” 不是有效的 JSON Schema：{reason}。",
    ),
    "invalid-default": (
        "The default of '{name}' does not fit its own description: {reason}.",
        "Der Standardwert von „{name}“ passt nicht zu seiner eigenen Beschreibung: {reason}.",
        "“{name}” 的默认值不符合它自己的说明：{reason}。",
    ),
    # --- blocks and steps
    "nothing-to-run": (
        "There is nothing to run: no tool block, no custom_function, no JavaScript block.",
        "Es gibt nichts auszuführen: kein Tool-Block, keine custom_function, kein JavaScript-Block.",
        "没有可执行的内容：没有工具块、custom_function 或 JavaScript 块。",
    ),
    "nothing-to-run.hint": (
        "Add a ```yaml block with tool:, or a ```javascript block whose first line is // @preprocess.",
        "Einen ```yaml-Block mit tool: ergänzen oder einen ```javascript-Block, der mit // @preprocess beginnt.",
        "请添加含 tool: 的 ```yaml 块，或首行为 // @preprocess 的 ```javascript 块。",
    ),
    "missing-steps": (
        "A chain needs steps.",
        "Eine Kette braucht steps.",
        "链式工具需要 steps。",
    ),
    "missing-steps.hint": (
        "Write steps: in the frontmatter or in a ```yaml block.",
        "steps: in das Frontmatter oder in einen ```yaml-Block schreiben.",
        "请在前置元数据或 ```yaml 块中写 steps:。",
    ),
    "empty-steps": (
        "'{field}' is empty.",
        "„{field}“ ist leer.",
        "“{field}” 为空。",
    ),
    "steps-twice": (
        "There are steps in the frontmatter (line {line}) and here.",
        "Es gibt steps im Frontmatter (Zeile {line}) und hier.",
        "前置元数据（第 {line} 行）和此处都有 steps。",
    ),
    "steps-twice.hint": (
        "Keep one of them.",
        "Nur eines von beiden behalten.",
        "只保留其中一个。",
    ),
    "steps-in-single": (
        "A tool of type single has no steps.",
        "Ein Tool vom Typ single hat keine steps.",
        "single 类型的工具没有 steps。",
    ),
    "steps-in-single.hint": (
        "Write type: chain, or leave the type out.",
        "type: chain schreiben oder den Typ weglassen.",
        "请写 type: chain，或省略 type。",
    ),
    "custom-function-in-chain": (
        "A chain cannot have a custom_function.",
        "Eine Kette kann keine custom_function haben.",
        "链式工具不能有 custom_function。",
    ),
    "custom-function-in-chain.hint": (
        "Put it into a tool of its own and call that in a step.",
        "Sie in ein eigenes Tool legen und dieses in einem Schritt aufrufen.",
        "请将其放入单独的工具，并在步骤中调用。",
    ),
    "tool-and-custom-function": (
        "A custom_function and a tool block (line {line}) exclude each other.",
        "Eine custom_function und ein Tool-Block (Zeile {line}) schließen einander aus.",
        "custom_function 与工具块（第 {line} 行）不能同时存在。",
    ),
    "duplicate-block": (
        "There are two @{marker} blocks; the first starts in line {line}.",
        "Es gibt zwei @{marker}-Blöcke; der erste beginnt in Zeile {line}.",
        "有两个 @{marker} 块；第一个从第 {line} 行开始。",
    ),
    "unknown-marker": (
        "'@{marker}' is not a marker, so this block is only documentation.",
        "„@{marker}“ ist kein Marker; dieser Block ist daher nur Dokumentation.",
        "“@{marker}” 不是标记，因此此块只是文档。",
    ),
    "unknown-marker.hint": (
        "Did you mean '@{suggestion}'?",
        "Meinten Sie „@{suggestion}“?",
        "您是指 “@{suggestion}” 吗？",
    ),
    "step-with-both": (
        "A step either calls a tool or has parallel steps.",
        "Ein Schritt ruft entweder ein Tool auf oder hat parallele Schritte.",
        "一个步骤要么调用工具，要么包含并行步骤。",
    ),
}
