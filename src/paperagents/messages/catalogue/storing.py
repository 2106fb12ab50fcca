"""What is said about entries, and about calls in a model's text."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "entry-exists": (
        "There is already a {kind} entry named '{id}'.",
        "Es gibt schon einen {kind}-Eintrag namens „{id}“.",
        "已有名为 “{id}” 的 {kind} 条目。",
    ),
    "entry-not-found": (
        "There is no {kind} entry named '{id}'.",
        "Es gibt keinen {kind}-Eintrag namens „{id}“.",
        "没有名为 “{id}” 的 {kind} 条目。",
    ),
    "entry-version-not-found": (
        "The {kind} entry '{id}' has no version {version} that could be brought back.",
        "Der {kind}-Eintrag „{id}“ hat keine Version {version}, die sich zurückholen ließe.",
        "{kind} 条目 “{id}” 没有可恢复的版本 {version}。",
    ),
    "taken-back": (
        "Not done, because another operation of the text was not possible.",
        "Nicht ausgeführt, weil eine andere Operation des Textes nicht möglich war.",
        "未执行，因为文本中的另一个操作无法完成。",
    ),
    "nobody-to-ask": (
        "A person must agree to this first, and nobody is there to ask; nothing of the text was stored.",
        "Dem muss erst jemand zustimmen, und niemand ist da; nichts aus dem Text wurde gespeichert.",
        "此操作须先由人批准，但无人应答；该文本的任何内容均未保存。",
    ),
    "tag-handler-failed": (
        "The handler of '{tag}' failed: {reason}",
        "Der Handler von „{tag}“ ist fehlgeschlagen: {reason}",
        "“{tag}” 的处理函数失败：{reason}",
    ),
    "script-reference": (
        "The script refers to something that is not there: {reason}",
        "Das Skript verweist auf etwas, das es nicht gibt: {reason}",
        "脚本引用了不存在的内容：{reason}",
    ),
    "script-call": (
        "callTool wants the name of a tool and an object with its arguments.",
        "callTool braucht den Namen eines Tools und ein Objekt mit seinen Argumenten.",
        "callTool 需要工具名称和一个参数对象。",
    ),
    "cli.extract": (
        "Find the calls in a model's text, and carry them out.",
        "Die Aufrufe im Text eines Modells finden und ausführen.",
        "找出模型文本中的调用并执行。",
    ),
    "cli.extract.apply": (
        "Carry the calls out; deletes and writes are asked first.",
        "Die Aufrufe ausführen; vor Löschen und Schreiben wird gefragt.",
        "执行这些调用；删除和写入会先询问。",
    ),
    "cli.extract.tool": ("Only calls of this tool.", "Nur Aufrufe dieses Tools.", "仅此工具的调用。"),
    "cli.extract.all": (
        "Store nothing of the text where one operation fails.",
        "Nichts aus dem Text speichern, wenn eine Operation fehlschlägt.",
        "若有一个操作失败，则不保存该文本的任何内容。",
    ),
    "cli.resolve": (
        "Put entries of the data vault where a text refers to them.",
        "Einträge des Datenspeichers dort einsetzen, wo ein Text auf sie verweist.",
        "将数据库条目填入文本的引用处。",
    ),
    "cli.resolve.missing": ("Missing: {id}", "Fehlt: {id}", "缺失：{id}"),
    "cli.store": (
        "Memories, tasks, goals and the data vault.",
        "Erinnerungen, Aufgaben, Ziele und der Datenspeicher.",
        "记忆、任务、目标和数据库。",
    ),
    "cli.store.list": ("All entries.", "Alle Einträge.", "所有条目。"),
    "cli.store.search": (
        "Only entries that mention this.",
        "Nur Einträge, in denen das vorkommt.",
        "仅包含此内容的条目。",
    ),
    "cli.store.get": ("One entry.", "Ein Eintrag.", "一个条目。"),
    "cli.store.set": (
        "Create an entry, or change just what is named.",
        "Einen Eintrag anlegen oder nur das Genannte ändern.",
        "创建条目，或仅更改指定内容。",
    ),
    "cli.store.delete": (
        "Delete an entry; you are asked first.",
        "Einen Eintrag löschen; vorher wird gefragt.",
        "删除条目；会先询问。",
    ),
    "cli.store.history": ("Every version of an entry.", "Alle Versionen eines Eintrags.", "条目的所有版本。"),
    "cli.store.restore": (
        "Bring a version back.",
        "Eine Version zurückholen.",
        "恢复某个版本。",
    ),
    "cli.store.deleted": ("deleted", "gelöscht", "已删除"),
}
