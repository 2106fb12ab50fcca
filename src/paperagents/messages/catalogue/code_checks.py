"""What can be wrong with the code of a file, with its references, and between files."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # --- JavaScript
    "javascript-syntax": (
        "SyntaxError: {reason}",
        "SyntaxError: {reason}",
        "语法错误 SyntaxError: {reason}",
    ),
    "javascript-syntax.unclosed.hint": (
        "A '{missing}' is missing.",
        "Es fehlt ein „{missing}“.",
        "缺少 “{missing}”。",
    ),
    "javascript-too-long": (
        "This JavaScript has {size} characters; a block may have at most {limit}.",
        "Dieses JavaScript hat {size} Zeichen; ein Block darf höchstens {limit} haben.",
        "这段 JavaScript 有 {size} 个字符；一个代码块最多 {limit} 个。",
    ),
    "javascript-too-long.hint": (
        "Put data into a note of its own and read it with a step, or write several tools.",
        "Daten in eine eigene Notiz legen und mit einem Schritt lesen, oder mehrere Tools schreiben.",
        "请把数据放进单独的笔记并用步骤读取，或拆成多个工具。",
    ),
    "missing-return": (
        "This block has no return statement.",
        "Dieser Block hat keine return-Anweisung.",
        "此代码块没有 return 语句。",
    ),
    "missing-return.hint": (
        "End it with return …; a return inside a function of its own does not count.",
        "Mit return … beenden; ein return in einer inneren Funktion zählt nicht.",
        "请以 return … 结尾；内部函数中的 return 不算。",
    ),
    "forbidden-javascript": (
        "'{name}' does not exist in the sandbox.",
        "„{name}“ gibt es in der Sandbox nicht.",
        "沙箱中没有 “{name}”。",
    ),
    "forbidden-javascript.hint": (
        "Blocks only compute. Files and requests go through tools such as read_file and rest_request.",
        "Blöcke rechnen nur. Dateien und Anfragen gehen über Tools wie read_file und rest_request.",
        "代码块只做计算。文件和请求请通过 read_file、rest_request 等工具。",
    ),
    "endless-loop": (
        "This loop never ends.",
        "Diese Schleife endet nie.",
        "此循环永不结束。",
    ),
    "endless-loop.hint": (
        "Give it a condition, or leave it with break or return.",
        "Ihr eine Bedingung geben oder sie mit break oder return verlassen.",
        "请加上条件，或用 break 或 return 退出。",
    ),
    "argument-in-javascript": (
        "'{name}' is filled in as text here.",
        "„{name}“ wird hier als Text eingesetzt.",
        "“{name}” 在此作为文本填入。",
    ),
    "argument-in-javascript.hint": (
        "input.{name} keeps its type and needs no quotes.",
        "input.{name} behält seinen Typ und braucht keine Anführungszeichen.",
        "input.{name} 保留类型且无需引号。",
    ),
    "undefined-name": (
        "Nothing here defines '{name}'.",
        "„{name}“ ist hier nirgends definiert.",
        "这里没有定义 “{name}”。",
    ),
    "undefined-name.hint": (
        "Declare it with const or let before it is used.",
        "Vor der Verwendung mit const oder let deklarieren.",
        "请在使用前用 const 或 let 声明。",
    ),
    "undefined-name.suggestion.hint": (
        "Did you mean '{suggestion}'?",
        "Meinten Sie „{suggestion}“?",
        "您是指 “{suggestion}” 吗？",
    ),
    "undefined-name.argument.hint": (
        "Arguments are fields of input: input.{name}",
        "Argumente sind Felder von input: input.{name}",
        "参数是 input 的字段：input.{name}",
    ),
    "undefined-name.context.hint": (
        "It is a field of context: context.{name}",
        "Es ist ein Feld von context: context.{name}",
        "它是 context 的字段：context.{name}",
    ),
    "undefined-name.condition.hint": (
        "A condition sees input, output, prev_step, steps, context, and arguments and labels by their names.",
        "Eine Bedingung kennt input, output, prev_step, steps, context sowie Argumente und Schritte mit ihren Namen.",
        "条件中可以使用 input、output、prev_step、steps、context，以及参数和步骤的名称。",
    ),
    "undefined-name.elsewhere": (
        "'{name}' does not exist in the sandbox.",
        "„{name}“ gibt es in der Sandbox nicht.",
        "沙箱中没有 “{name}”。",
    ),
    "undefined-name.elsewhere.hint": (
        "Use a step with read_file or rest_request; in a .tool.js file, this.api.callTool(…).",
        "Einen Schritt mit read_file oder rest_request nehmen; in einer .tool.js-Datei this.api.callTool(…).",
        "请使用 read_file 或 rest_request 步骤；在 .tool.js 文件中使用 this.api.callTool(…)。",
    ),
    # --- references
    "invalid-reference": (
        "'{reference}' between the braces is not a reference.",
        "„{reference}“ zwischen den Klammern ist kein Verweis.",
        "花括号中的 “{reference}” 不是引用。",
    ),
    "invalid-reference.hint": (
        "Write \\{{{{ for two literal braces.",
        "Für zwei wörtliche Klammern \\{{{{ schreiben.",
        "要写两个字面花括号，请用 \\{{{{。",
    ),
    "undeclared-input": (
        "'{reference}': there is no parameter '{name}'.",
        "„{reference}“: Einen Parameter „{name}“ gibt es nicht.",
        "“{reference}”：没有名为 “{name}” 的参数。",
    ),
    "undeclared-input.hint": (
        "Declare it under parameters; until then it is only there where a caller gives it all the same.",
        "Unter parameters deklarieren; bis dahin gibt es ihn nur, wenn ein Aufrufer ihn trotzdem mitgibt.",
        "请在 parameters 中声明；在此之前，只有调用者自行传入时它才存在。",
    ),
    "undeclared-input.file.hint": (
        "If it is the name of a file, write \\{reference}; otherwise declare '{name}' under parameters.",
        "Wenn es der Name einer Datei ist, \\{reference} schreiben; sonst „{name}“ unter parameters deklarieren.",
        "如果是文件名，请写 \\{reference}；否则请在 parameters 中声明 “{name}”。",
    ),
    "undeclared-input.suggestion.hint": (
        "Did you mean '{suggestion}'? Otherwise declare '{name}' under parameters.",
        "Meinten Sie „{suggestion}“? Sonst „{name}“ unter parameters deklarieren.",
        "您是指 “{suggestion}” 吗？否则请在 parameters 中声明 “{name}”。",
    ),
    # a reference to something that cannot exist, by what is known about it
    "unknown-reference": (
        "'{reference}' refers to something that does not exist.",
        "„{reference}“ verweist auf etwas, das es nicht gibt.",
        "“{reference}” 引用了不存在的内容。",
    ),
    "unknown-reference.suggestion": (
        "'{reference}': there is no '{wanted}' here.",
        "„{reference}“: „{wanted}“ gibt es hier nicht.",
        "“{reference}”：这里没有 “{wanted}”。",
    ),
    "unknown-reference.suggestion.hint": (
        "Did you mean {suggestion}? There is: {names}.",
        "Meinten Sie {suggestion}? Vorhanden: {names}.",
        "您是指 {suggestion} 吗？可用：{names}。",
    ),
    "unknown-reference.names": (
        "'{reference}': there is no '{wanted}' here.",
        "„{reference}“: „{wanted}“ gibt es hier nicht.",
        "“{reference}”：这里没有 “{wanted}”。",
    ),
    "unknown-reference.names.hint": (
        "There is: {names}.",
        "Vorhanden: {names}.",
        "可用：{names}。",
    ),
    "unknown-reference.label": (
        "'{reference}': no earlier step is named '{wanted}'.",
        "„{reference}“: Kein früherer Schritt heißt „{wanted}“.",
        "“{reference}”：之前没有名为 “{wanted}” 的步骤。",
    ),
    "unknown-reference.label.hint": (
        "There is: {names}.",
        "Vorhanden: {names}.",
        "可用：{names}。",
    ),
    "unknown-reference.output": (
        "'{reference}': of a step there is only its output.",
        "„{reference}“: Von einem Schritt gibt es nur seine Ausgabe.",
        "“{reference}”：步骤只有它的输出。",
    ),
    "unknown-reference.output.hint": (
        "Begin with '{wanted}.output'.",
        "Mit „{wanted}.output“ beginnen.",
        "请以 “{wanted}.output” 开头。",
    ),
    "unknown-reference.env": (
        "'{reference}': the tool does not declare '{wanted}' in its environment.",
        "„{reference}“: Das Tool nennt „{wanted}“ nicht unter environment.",
        "“{reference}”：工具没有在 environment 中声明 “{wanted}”。",
    ),
    "unknown-reference.list": (
        "'{reference}': this is a list; it has numbers, not '{wanted}'.",
        "„{reference}“: Das ist eine Liste; sie hat Nummern, nicht „{wanted}“.",
        "“{reference}”：这是列表，只能用序号，没有 “{wanted}”。",
    ),
    "unknown-reference.list.hint": (
        "Take one entry, for example [0].",
        "Einen Eintrag nehmen, zum Beispiel [0].",
        "请取一个条目，例如 [0]。",
    ),
    "unknown-reference.index": (
        "'{reference}': the list has {count} {count:entry|entries}, counted from 0; there is no entry {wanted}.",
        "„{reference}“: Die Liste hat {count} {count:Eintrag|Einträge}, gezählt ab 0; {wanted} gibt es nicht.",
        "“{reference}”：列表有 {count} 个条目（从 0 开始计数），没有条目 {wanted}。",
    ),
    "unknown-reference.value": (
        "'{reference}': this is a single value; it has no '{wanted}'.",
        "„{reference}“: Das ist ein einzelner Wert; er hat kein „{wanted}“.",
        "“{reference}”：这是单个值，没有 “{wanted}”。",
    ),
    "unknown-reference.file": (
        "'{reference}' is read as a reference, and there is no '{wanted}' here.",
        "„{reference}“ wird als Verweis gelesen, und „{wanted}“ gibt es hier nicht.",
        "“{reference}” 被当作引用，而这里没有 “{wanted}”。",
    ),
    "unknown-reference.file.hint": (
        "If it is the name of a file, write \\{reference}.",
        "Wenn es der Name einer Datei ist, \\{reference} schreiben.",
        "如果是文件名，请写 \\{reference}。",
    ),
    "unknown-reference.null": (
        "'{reference}': there is nothing here (null), so no '{wanted}' either.",
        "„{reference}“: Hier ist nichts (null), also auch kein „{wanted}“.",
        "“{reference}”：这里为空（null），因此没有 “{wanted}”。",
    ),
    "unknown-reference.null.hint": (
        "With if: the step can be left out where there is nothing.",
        "Mit if: lässt sich der Schritt auslassen, wenn nichts da ist.",
        "可用 if: 在没有值时跳过此步骤。",
    ),
    "unknown-reference.first-step": (
        "'{reference}': there is no step before this one.",
        "„{reference}“: Vor diesem Schritt gibt es keinen anderen.",
        "“{reference}”：此步骤之前没有其他步骤。",
    ),
    "unknown-reference.first-step-bare": (
        "'{reference}' is read as a reference, and there is no step before this one.",
        "„{reference}“ wird als Verweis gelesen, und vor diesem Schritt gibt es keinen anderen.",
        "“{reference}” 被当作引用，而此步骤之前没有其他步骤。",
    ),
    "unknown-reference.first-step-bare.hint": (
        "If it is meant as plain text, write \\{reference}.",
        "Wenn es einfacher Text sein soll, \\{reference} schreiben.",
        "如果只是普通文本，请写 \\{reference}。",
    ),
    # --- tools in one JavaScript file
    "tool-not-evaluated": (
        "The file cannot be evaluated: {reason}",
        "Die Datei lässt sich nicht auswerten: {reason}",
        "无法求值此文件：{reason}",
    ),
    "tool-not-read": (
        "The file has not been read yet: other .tool.js files took too long.",
        "Die Datei ist noch nicht gelesen: andere .tool.js-Dateien haben zu lange gebraucht.",
        "此文件尚未读取：其他 .tool.js 文件耗时过长。",
    ),
    "tool-not-read.hint": (
        "It is read as soon as it is used, or listed once more.",
        "Sie wird gelesen, sobald sie gebraucht oder noch einmal aufgelistet wird.",
        "使用它或再次列出时会读取。",
    ),
    "missing-method": (
        "The method {name}() is missing.",
        "Die Methode {name}() fehlt.",
        "缺少方法 {name}()。",
    ),
    "missing-method.hint": (
        "A tool exports getMetadata, getSchema and execute.",
        "Ein Tool exportiert getMetadata, getSchema und execute.",
        "工具需要导出 getMetadata、getSchema 和 execute。",
    ),
    "method-failed": (
        "{name}() failed: {reason}",
        "{name}() ist fehlgeschlagen: {reason}",
        "{name}() 执行失败：{reason}",
    ),
    "method-wrong-answer": (
        "{name}() must return an object.",
        "{name}() muss ein Objekt zurückgeben.",
        "{name}() 必须返回一个对象。",
    ),
    "method-wrong-answer.objects": (
        "{name}() must return a list of objects.",
        "{name}() muss eine Liste von Objekten zurückgeben.",
        "{name}() 必须返回对象列表。",
    ),
    "method-wrong-answer.codes": (
        "{name}() must return a list of objects, each with a code.",
        "{name}() muss eine Liste von Objekten zurückgeben, jedes mit einem code.",
        "{name}() 必须返回对象列表，且每个对象都有 code。",
    ),
    "undeclared-dependency": (
        "'{name}' is loaded but not declared.",
        "„{name}“ wird geladen, ist aber nicht angegeben.",
        "加载了 “{name}”，但没有声明。",
    ),
    "undeclared-dependency.hint": (
        "Add it to getDependencies().",
        "In getDependencies() ergänzen.",
        "请将其加入 getDependencies()。",
    ),
    "undeclared-dependency.process.hint": (
        "A tool may not start processes or threads.",
        "Ein Tool darf keine Prozesse oder Threads starten.",
        "工具不能启动进程或线程。",
    ),
    # --- between files
    "duplicate-name": (
        "The name '{name}' is also that of {other}.",
        "Den Namen „{name}“ hat auch {other}.",
        "名称 “{name}” 也被 {other} 使用。",
    ),
    "duplicate-name.hint": (
        "By this name the first of them is called; give one of them another name, or call them by their ids.",
        "Unter diesem Namen wird die erste Datei aufgerufen; einer einen anderen Namen geben oder die Ids verwenden.",
        "用此名称会调用其中第一个；请给其中一个换名称，或用 id 调用。",
    ),
    "duplicate-id": (
        "The id '{id}' is also used by {other}.",
        "Die Id „{id}“ wird auch von {other} benutzt.",
        "id “{id}” 也被 {other} 使用。",
    ),
    "duplicate-id.files": (
        "The id '{id}' is used by several files: {files}.",
        "Die Id „{id}“ wird von mehreren Dateien benutzt: {files}.",
        "id “{id}” 被多个文件使用：{files}。",
    ),
    "duplicate-id.hint": (
        "Give one of them another id: or name:.",
        "Einem von beiden eine andere id: oder einen anderen name: geben.",
        "请给其中一个换一个 id: 或 name:。",
    ),
    "duplicate-id.new.hint": (
        "Choose another name.",
        "Einen anderen Namen wählen.",
        "请换一个名称。",
    ),
    "duplicate-id.builtin.hint": (
        "Choose another name or id.",
        "Einen anderen Namen oder eine andere Id wählen.",
        "请换一个名称或 id。",
    ),
    "duplicate-id.builtin": (
        "'{id}' is the id of a built-in tool.",
        "„{id}“ ist die Id eines eingebauten Tools.",
        "“{id}” 是内置工具的 id。",
    ),
    "unknown-tool": (
        "There is no tool named '{name}'.",
        "Es gibt kein Tool namens „{name}“.",
        "没有名为 “{name}” 的工具。",
    ),
    "unknown-tool.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    "endless-chain": (
        "This chain calls itself without end: {path}.",
        "Diese Kette ruft sich endlos selbst auf: {path}.",
        "此链无休止地调用自身：{path}。",
    ),
    "endless-chain.hint": (
        "Give one of these steps an if: that can be false.",
        "Einem dieser Schritte ein if: geben, das falsch sein kann.",
        "请给其中一个步骤加上可能为假的 if:。",
    ),
    "missing-argument": (
        "The step does not give '{name}', which {tool} requires.",
        "Der Schritt gibt „{name}“ nicht an; {tool} verlangt es.",
        "此步骤没有给出 {tool} 必需的 “{name}”。",
    ),
    "invalid-argument": (
        "{tool}: {reason}",
        "{tool}: {reason}",
        "{tool}：{reason}",
    ),
    "invalid-argument.hint": (
        "What {tool} wants: paper show {tool}",
        "Was {tool} verlangt: paper show {tool}",
        "{tool} 需要什么：paper show {tool}",
    ),
    "invalid-argument.suggestion.hint": (
        "Did you mean '{suggestion}'?",
        "Meinten Sie „{suggestion}“?",
        "您是指 “{suggestion}” 吗？",
    ),
    "looks-like-a-reference": (
        "'{text}' is plain text here, not a reference.",
        "„{text}“ ist hier einfacher Text, kein Verweis.",
        "“{text}” 在这里是普通文本，不是引用。",
    ),
    "looks-like-a-reference.hint": (
        'Did you mean "{suggestion}"?',
        'Meinten Sie "{suggestion}"?',
        '您是指 "{suggestion}" 吗？',
    ),
    "unknown-argument": (
        "{tool} has no parameter '{name}'.",
        "{tool} hat keinen Parameter „{name}“.",
        "{tool} 没有参数 “{name}”。",
    ),
    "unknown-argument.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
}
