"""What the built-in tools say about themselves, to people and to models."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # search_files
    "builtin.search_files": (
        "Search the notes of the vault by words, phrases, tags, paths and properties.",
        "Durchsucht die Notizen des Vaults nach Wörtern, Phrasen, Tags, Pfaden und Eigenschaften.",
        "按词语、短语、标签、路径和属性搜索库中的笔记。",
    ),
    "builtin.search_files.query": (
        'Words, "phrases", AND, OR, -word, #tag, path:, file:, [property:value], /expression/, parentheses.',
        'Wörter, "Phrasen", AND, OR, -Wort, #tag, path:, file:, [Eigenschaft:Wert], /Ausdruck/, Klammern.',
        '词语、"短语"、AND、OR、-词、#标签、path:、file:、[属性:值]、/正则表达式/、括号。',
    ),
    "builtin.search_files.path": (
        "Only below this folder.",
        "Nur unterhalb dieses Ordners.",
        "仅限此文件夹之下。",
    ),
    "builtin.search_files.limit": (
        "At most so many results.",
        "Höchstens so viele Treffer.",
        "最多返回的结果数。",
    ),
    "builtin.search_files.sort": (
        "What comes first: the best answers, the newest notes, or the alphabet of names or paths.",
        "Was zuerst kommt: die besten Treffer, die neuesten Notizen oder das Alphabet der Namen oder Pfade.",
        "排列顺序：最相关、最近修改、按名称或按路径。",
    ),
    "builtin.search_files.must_find": (
        "Fail where nothing is found.",
        "Ein Fehler, wenn nichts gefunden wird.",
        "找不到任何文件时视为错误。",
    ),
    # read_file
    "builtin.read_file": (
        "Read a text file of the vault.",
        "Liest eine Textdatei des Vaults.",
        "读取库中的文本文件。",
    ),
    "builtin.read_file.filePath": (
        "The path in the vault, for example notes/today.md.",
        "Der Pfad im Vault, zum Beispiel notes/today.md.",
        "库中的路径，例如 notes/today.md。",
    ),
    # write_file
    "builtin.write_file": (
        "Write a text file of the vault. A person is asked first.",
        "Schreibt eine Textdatei des Vaults. Vorher wird ein Mensch gefragt.",
        "写入库中的文本文件。写入前会征求人的同意。",
    ),
    "builtin.write_file.filePath": (
        "The path in the vault, for example notes/today.md.",
        "Der Pfad im Vault, zum Beispiel notes/today.md.",
        "库中的路径，例如 notes/today.md。",
    ),
    "builtin.write_file.content": (
        "The new text.",
        "Der neue Text.",
        "新的文本。",
    ),
    "builtin.write_file.overwrite": (
        "Replace the file if it exists.",
        "Die Datei ersetzen, wenn es sie gibt.",
        "如果文件已存在则替换。",
    ),
    "builtin.write_file.append": (
        "Add the text to the end of the file.",
        "Den Text am Ende der Datei anfügen.",
        "将文本追加到文件末尾。",
    ),
    # rest_request
    "builtin.rest_request": (
        "Send an HTTP request. A person is asked first unless it only reads.",
        "Sendet eine HTTP-Anfrage. Wenn sie nicht nur liest, wird vorher ein Mensch gefragt.",
        "发送 HTTP 请求。除只读请求外，会先征求人的同意。",
    ),
    "builtin.rest_request.url": (
        "The address, http or https.",
        "Die Adresse, http oder https.",
        "地址，http 或 https。",
    ),
    "builtin.rest_request.method": (
        "GET, HEAD, POST, PUT, PATCH, DELETE, …",
        "GET, HEAD, POST, PUT, PATCH, DELETE, …",
        "GET、HEAD、POST、PUT、PATCH、DELETE 等。",
    ),
    "builtin.rest_request.headers": (
        "Header names and values.",
        "Namen und Werte der Kopfzeilen.",
        "请求头的名称和值。",
    ),
    "builtin.rest_request.body": (
        "Text, or a value that is sent as JSON.",
        "Text, oder ein Wert, der als JSON gesendet wird.",
        "文本，或以 JSON 发送的值。",
    ),
    "builtin.rest_request.timeout": (
        "Seconds to wait at most.",
        "Höchstens so viele Sekunden warten.",
        "最长等待秒数。",
    ),
    # web_search
    "builtin.web_search": (
        "Fetch a JSON answer from a web address.",
        "Holt eine JSON-Antwort von einer Web-Adresse.",
        "从网址获取 JSON 答复。",
    ),
    "builtin.web_search.url": (
        "The address, http or https.",
        "Die Adresse, http oder https.",
        "地址，http 或 https。",
    ),
    "builtin.web_search.method": (
        "The HTTP method.",
        "Die HTTP-Methode.",
        "HTTP 方法。",
    ),
    # memory, task, goal and datavault
    "builtin.memory": (
        "Remember something: create, change or delete a memory.",
        "Merkt sich etwas: eine Erinnerung anlegen, ändern oder löschen.",
        "记住某事：创建、修改或删除记忆。",
    ),
    "builtin.task": (
        "Create, change or delete a task.",
        "Legt eine Aufgabe an, ändert oder löscht sie.",
        "创建、修改或删除任务。",
    ),
    "builtin.goal": (
        "Create, change or delete a goal.",
        "Legt ein Ziel an, ändert oder löscht es.",
        "创建、修改或删除目标。",
    ),
    "builtin.datavault": (
        "Create, change, delete or read an entry of the data vault.",
        "Legt einen Eintrag des Datenspeichers an, ändert, löscht oder liest ihn.",
        "创建、修改、删除或读取数据保险库的条目。",
    ),
    # js_execute
    "builtin.js_execute": (
        "Run JavaScript in the sandbox.",
        "Führt JavaScript in der Sandbox aus.",
        "在沙箱中运行 JavaScript。",
    ),
    "builtin.js_execute.code": (
        "The code; what it returns is the answer.",
        "Der Code; was er zurückgibt, ist die Antwort.",
        "代码；其返回值即为答复。",
    ),
    # attributes that only some entries have
    "builtin.datavault.action": (
        "create, update, delete or request_read; without it an entry is created or changed.",
        "create, update, delete oder request_read; ohne Angabe wird angelegt oder geändert.",
        "create、update、delete 或 request_read；省略时创建或修改。",
    ),
    "builtin.datavault.type": (
        "text, code or data.",
        "text, code oder data.",
        "text、code 或 data。",
    ),
    "builtin.datavault.description": (
        "What the entry is about.",
        "Wovon der Eintrag handelt.",
        "条目的说明。",
    ),
    "builtin.datavault.limit": (
        "How many characters to read, or full-length.",
        "Wie viele Zeichen gelesen werden, oder full-length.",
        "读取的字符数，或 full-length。",
    ),
    "builtin.datavault.id": (
        "Its short name: letters, digits, _ and -.",
        "Der kurze Name: Buchstaben, Ziffern, _ und -.",
        "短名称：字母、数字、_ 和 -。",
    ),
    "builtin.task.status": (
        "pending, ongoing, finished or paused.",
        "pending, ongoing, finished oder paused.",
        "pending、ongoing、finished 或 paused。",
    ),
    **{
        f"builtin.{tool}.identifier": (
            "Its short name: letters, digits, _ and -.",
            "Der kurze Name: Buchstaben, Ziffern, _ und -.",
            "短名称：字母、数字、_ 和 -。",
        )
        for tool in ("memory", "task", "goal")
    },
    **{f"builtin.{tool}.heading": ("Its title.", "Der Titel.", "标题。") for tool in ("memory", "task", "goal")},
    **{
        f"builtin.{tool}.content": ("Its text.", "Der Text.", "正文。")
        for tool in ("memory", "task", "goal", "datavault")
    },
    **{f"builtin.{tool}.notes": ("Remarks.", "Anmerkungen.", "备注。") for tool in ("memory", "task", "goal")},
    **{
        f"builtin.{tool}.definition_version": (
            "The version of the tag definition that stores it.",
            "Die Version der Tag-Definition, die ihn speichert.",
            "存储它的标签定义的版本。",
        )
        for tool in ("memory", "task", "goal", "datavault")
    },
    **{
        f"builtin.{tool}.delete": ("Delete it.", "Ihn löschen.", "删除它。")
        for tool in ("memory", "task", "goal", "datavault")
    },
}
