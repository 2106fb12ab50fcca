"""What the command line says."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # what every help page has
    "cli.paper": (
        "Tools and language-model agents as plain text files in a folder of notes.",
        "Tools und Sprachmodell-Agenten als einfache Textdateien in einem Ordner voller Notizen.",
        "把工具和语言模型智能体写成笔记文件夹里的纯文本文件。",
    ),
    "cli.usage": ("Usage:", "Aufruf:", "用法："),
    "cli.options": ("Options", "Optionen", "选项"),
    "cli.commands": ("Commands", "Befehle", "命令"),
    "cli.help": ("Show this page.", "Diese Seite zeigen.", "显示此页。"),
    "cli.version": ("Show the version.", "Die Version zeigen.", "显示版本。"),
    "cli.vault": (
        "The folder of notes; else PAPER_VAULT, else the nearest upwards with .paper/, else this folder.",
        "Der Ordner mit den Notizen; sonst PAPER_VAULT, sonst der nächste aufwärts mit .paper/, sonst dieser.",
        "笔记文件夹；否则取 PAPER_VAULT，否则取向上最近的含 .paper/ 的文件夹，否则取当前文件夹。",
    ),
    "cli.json": ("Print the data as JSON.", "Die Daten als JSON ausgeben.", "以 JSON 输出数据。"),
    "cli.error": ("Error", "Fehler", "错误"),
    "cli.severity.error": ("error", "Fehler", "错误"),
    "cli.severity.warning": ("warning", "Warnung", "警告"),
    # paper init
    "cli.init": (
        "Make a folder a vault, with a working example of every kind of file.",
        "Einen Ordner zum Vault machen, mit einem lauffähigen Beispiel jeder Art von Datei.",
        "把文件夹变成库，并附上每类文件的可用示例。",
    ),
    "cli.init.examples": (
        "Write the examples; by default only into an empty folder.",
        "Die Beispiele schreiben; von selbst nur in einen leeren Ordner.",
        "写入示例；默认只写入空文件夹。",
    ),
    "cli.init.done": (
        "The vault is ready. Next: {next}",
        "Der Vault ist bereit. Weiter mit: {next}",
        "库已就绪。下一步：{next}",
    ),
    "cli.init.without": (
        "The vault is ready, without examples as the folder has notes. To add them: {paper} init --examples {folder}",
        "Der Vault ist bereit, ohne Beispiele, da der Ordner Notizen hat. Mit ihnen: {paper} init --examples {folder}",
        "库已就绪。文件夹里已有笔记，因此没有写入示例。要添加示例：{paper} init --examples {folder}",
    ),
    "cli.init.plain": (
        "The vault is ready, without examples as asked. To add them: {paper} init --examples {folder}",
        "Der Vault ist bereit, wie gewünscht ohne Beispiele. Mit ihnen: {paper} init --examples {folder}",
        "库已就绪，按要求没有写入示例。要添加示例：{paper} init --examples {folder}",
    ),
    # paper list and paper show
    "cli.list": (
        "List every tool and agent, broken ones too; with TEXT, those that mention it.",
        "Alle Tools und Agenten auflisten, auch kaputte; mit TEXT nur die, in denen er vorkommt.",
        "列出所有工具和智能体，包括有问题的；给出 TEXT 时只列出提到它的。",
    ),
    "cli.list.category": ("Only those of this category.", "Nur die dieser Kategorie.", "只列出此类别的。"),
    "cli.list.tag": ("Only those with this tag.", "Nur die mit diesem Tag.", "只列出带此标签的。"),
    "cli.list.kind": ("Only those of this kind.", "Nur die dieser Art.", "只列出此种类的。"),
    "cli.list.only-broken": (
        "Only those that cannot be used.",
        "Nur die, die nicht benutzbar sind.",
        "只列出无法使用的。",
    ),
    "cli.list.some": ("{count} of {total} shown.", "{count} von {total} gezeigt.", "显示 {count} 个，共 {total} 个。"),
    "cli.list.broken": (
        "Cannot be used: {count}. paper check tells why.",
        "Nicht benutzbar: {count}. Warum, sagt paper check.",
        "其中 {count} 个无法使用。原因请见 paper check。",
    ),
    "cli.list.empty": (
        "{vault} has no tools of its own yet. Make one: {paper} new tool NAME",
        "{vault} hat noch keine eigenen Tools. Eines anlegen: {paper} new tool NAME",
        "{vault} 还没有自己的工具。新建一个：{paper} new tool NAME",
    ),
    "cli.list.outside": (
        "{vault} is not a vault yet. Make it one: {paper} init",
        "{vault} ist noch kein Vault. Einen daraus machen: {paper} init",
        "{vault} 还不是库。把它变成库：{paper} init",
    ),
    "not-a-vault": (
        "{path} is not a vault: nothing was written there.",
        "{path} ist kein Vault; dort wurde nichts angelegt.",
        "{path} 不是库，未在其中写入任何内容。",
    ),
    "not-a-vault.hint": (
        "Make it one: {command} init. Or name one: {command} --vault DIR …",
        "Einen daraus machen: {command} init. Oder einen nennen: {command} --vault ORDNER …",
        "把它变成库：{command} init。或指定一个库：{command} --vault 文件夹 …",
    ),
    "cli.kind.single": ("tool", "Tool", "工具"),
    "cli.kind.chain": ("chain", "Kette", "链"),
    "cli.kind.agent": ("agent", "Agent", "智能体"),
    "cli.kind.tag": ("tag", "Tag", "标签"),
    "cli.kind.broken": ("broken", "kaputt", "损坏"),
    "cli.show": (
        "Show the manual of a tool or agent.",
        "Die Anleitung eines Tools oder Agenten zeigen.",
        "显示工具或智能体的说明书。",
    ),
    # paper new
    "cli.new": (
        "Write a new tool or agent to start from.",
        "Ein neues Tool oder einen neuen Agenten als Ausgangspunkt schreiben.",
        "写一个新的工具或智能体作为起点。",
    ),
    "cli.new.chain": ("A tool with steps.", "Ein Tool mit Schritten.", "带步骤的工具。"),
    "cli.new.javascript": (
        "A tool in a single JavaScript file.",
        "Ein Tool in einer einzigen JavaScript-Datei.",
        "单个 JavaScript 文件的工具。",
    ),
    "cli.new.done": (
        "Try it: {paper} test {id}. After a change: {paper} check {file}",
        "Ausprobieren: {paper} test {id}. Nach einer Änderung: {paper} check {file}",
        "试运行：{paper} test {id}。修改之后：{paper} check {file}",
    ),
    "cli.new.agent": (
        "Edit {file}, then talk with it: {paper} chat {id}",
        "{file} bearbeiten, dann mit ihm sprechen: {paper} chat {id}",
        "编辑 {file}，然后与它对话：{paper} chat {id}",
    ),
    "cli.new.greeting": ("Hello, {who}!", "Hallo, {who}!", "你好，{who}！"),
    "cli.new.description": (
        "What this is for, in one sentence.",
        "Wozu das gut ist, in einem Satz.",
        "用一句话说明用途。",
    ),
    "cli.new.parameter": (
        "What is meant by this parameter",
        "Was mit diesem Parameter gemeint ist",
        "此参数的含义",
    ),
    "cli.new.prompt": (
        "You help with the notes of this vault. Today is {{{{date}}}}.",
        "Du hilfst mit den Notizen dieses Vaults. Heute ist der {{{{date}}}}.",
        "你帮助处理这个库中的笔记。今天是 {{{{date}}}}。",
    ),
    # paper check
    "cli.check": (
        "Check files, folders or the whole vault: every problem at line and column. Exit code 1 on errors.",
        "Dateien, Ordner oder den ganzen Vault prüfen: jedes Problem mit Zeile und Spalte. Bei Fehlern Exit-Code 1.",
        "检查文件、文件夹或整个库：逐一给出问题的行和列。有错误时退出码为 1。",
    ),
    "cli.format": (
        "How problems are written: for people, as JSON, or as annotations of a GitHub workflow.",
        "Wie Probleme ausgegeben werden: für Menschen, als JSON oder als Anmerkungen eines GitHub-Workflows.",
        "问题的输出格式：供人阅读、JSON，或 GitHub 工作流注释。",
    ),
    "cli.check.strict": (
        "Warnings count as errors: exit code 1.",
        "Warnungen zählen als Fehler: Exit-Code 1.",
        "警告视为错误：退出码为 1。",
    ),
    "cli.check.ordinary": (
        "{file} is an ordinary note: its frontmatter has no 'tool: true' or 'agent: true'.",
        "{file} ist eine gewöhnliche Notiz: In ihrem Frontmatter steht weder „tool: true“ noch „agent: true“.",
        "{file} 是普通笔记：其前置元数据中没有 “tool: true” 或 “agent: true”。",
    ),
    "cli.check.hidden": (
        "{file} was not checked: hidden files and folders are left alone.",
        "{file} wurde nicht geprüft: Versteckte Dateien und Ordner bleiben unbeachtet.",
        "未检查 {file}：隐藏的文件和文件夹会被跳过。",
    ),
    "cli.check.other": (
        "{file} was not checked: only files ending in .md or .tool.js can be tools or agents.",
        "{file} wurde nicht geprüft: Nur Dateien mit der Endung .md oder .tool.js können Tools oder Agenten sein.",
        "未检查 {file}：只有以 .md 或 .tool.js 结尾的文件才能是工具或智能体。",
    ),
    "cli.check.summary": (
        "Files checked: {files}. Errors: {errors}, warnings: {warnings}.",
        "Geprüfte Dateien: {files}. Fehler: {errors}, Warnungen: {warnings}.",
        "已检查 {files} 个文件：{errors} 个错误，{warnings} 个警告。",
    ),
    # paper completion
    "cli.completion": (
        "Print a script that completes commands and tool names in your shell.",
        "Ein Skript ausgeben, das Befehle und Tool-Namen in der Shell vervollständigt.",
        "输出用于 shell 补全命令和工具名的脚本。",
    ),
    "invalid-name": (
        "This cannot be a name: it is empty or has characters nobody can see.",
        "Das kann kein Name sein: Er ist leer oder enthält unsichtbare Zeichen.",
        "这不能作为名称：它是空的，或含有看不见的字符。",
    ),
    "file-exists.new.hint": (
        "Choose another name.",
        "Einen anderen Namen wählen.",
        "请换一个名称。",
    ),
    # --- what can go wrong before a command starts
    "unknown-command": (
        "There is no command '{name}'.",
        "Es gibt keinen Befehl „{name}“.",
        "没有 “{name}” 命令。",
    ),
    "unknown-command.hint": (
        "All commands: {path} --help",
        "Alle Befehle: {path} --help",
        "所有命令：{path} --help",
    ),
    "unknown-command.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    "unknown-option": (
        "There is no option '{name}'.",
        "Es gibt keine Option „{name}“.",
        "没有 “{name}” 选项。",
    ),
    "unknown-option.agent": (
        "The option '{name}' is for tools; an agent has no such form.",
        "Die Option „{name}“ gilt für Tools; bei einem Agenten gibt es diese Form nicht.",
        "选项 “{name}” 用于工具；智能体没有这种形式。",
    ),
    "unknown-option.parameter.hint": (
        "A parameter of the tool is given with -p: -p {word}=…",
        "Ein Parameter des Tools wird mit -p angegeben: -p {word}=…",
        "工具的参数用 -p 给出：-p {word}=…",
    ),
    "unknown-option.help.hint": (
        "Help: {command} --help",
        "Hilfe: {command} --help",
        "帮助：{command} --help",
    ),
    "unknown-option.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    "missing-parameter": (
        "{name} is missing.",
        "{name} fehlt.",
        "缺少 {name}。",
    ),
    "missing-parameter.hint": (
        "Help: {command} --help",
        "Hilfe: {command} --help",
        "帮助：{command} --help",
    ),
    "bad-parameter.choice": (
        "{name} must be one of these: {choices}.",
        "{name} muss eines davon sein: {choices}.",
        "{name} 必须是以下之一：{choices}。",
    ),
    "bad-parameter.range": (
        "{name} must be a whole number from {least} to {most}.",
        "{name} muss eine ganze Zahl von {least} bis {most} sein.",
        "{name} 必须是 {least} 到 {most} 之间的整数。",
    ),
    "bad-parameter.least": (
        "{name} must be a whole number, {least} or more.",
        "{name} muss eine ganze Zahl sein, mindestens {least}.",
        "{name} 必须是不小于 {least} 的整数。",
    ),
    "bad-parameter.number": (
        "{name} must be a whole number.",
        "{name} muss eine ganze Zahl sein.",
        "{name} 必须是整数。",
    ),
    "bad-parameter.amount": (
        "{name} must be a number, {least} or more.",
        "{name} muss eine Zahl sein, mindestens {least}.",
        "{name} 必须是不小于 {least} 的数。",
    ),
    "bad-parameter": (
        "{name}: {reason}",
        "{name}: {reason}",
        "{name}：{reason}",
    ),
    "bad-option": (
        "{name} needs a value.",
        "{name} braucht einen Wert.",
        "{name} 需要一个值。",
    ),
    "bad-option.flag": (
        "{name} takes no value.",
        "Zu {name} gehört kein Wert.",
        "{name} 不带值。",
    ),
    "bad-option.hint": (
        "Help: {command} --help",
        "Hilfe: {command} --help",
        "帮助：{command} --help",
    ),
    "extra-arguments": (
        "Too many arguments: {arguments}",
        "Zu viele Argumente: {arguments}",
        "多余的参数：{arguments}",
    ),
    "extra-arguments.hint": (
        "Help: {command} --help",
        "Hilfe: {command} --help",
        "帮助：{command} --help",
    ),
    "wrong-usage": (
        "{reason}",
        "{reason}",
        "{reason}",
    ),
    # vaults and files
    "no-such-vault": (
        "There is no folder '{path}'.",
        "Es gibt keinen Ordner „{path}“.",
        "没有文件夹 “{path}”。",
    ),
    "no-such-vault.hint": (
        "Make a vault: paper init {path!q}",
        "Einen Vault anlegen: paper init {path!q}",
        "新建库：paper init {path!q}",
    ),
    "no-such-vault.refused": (
        "'{path}' is no folder that can be opened.",
        "„{path}“ ist kein Ordner, der sich öffnen lässt.",
        "“{path}” 不是可以打开的文件夹。",
    ),
    "no-such-vault.refused.hint": (
        "Name a folder of notes: paper --vault DIR …",
        "Nennen Sie einen Ordner mit Notizen: paper --vault DIR …",
        "请指定一个笔记文件夹：paper --vault DIR …",
    ),
    "no-such-file": (
        "There is no file or folder '{path}'.",
        "Es gibt keine Datei und keinen Ordner „{path}“.",
        "没有文件或文件夹 “{path}”。",
    ),
    "no-such-file.refused": (
        "'{path}' cannot be read: {reason}.",
        "„{path}“ kann nicht gelesen werden: {reason}.",
        "无法读取 “{path}”：{reason}。",
    ),
    "path-outside-this-vault": (
        "'{path}' is not in this vault.",
        "„{path}“ liegt nicht in diesem Vault.",
        "“{path}” 不在此库中。",
    ),
    "cannot-write": (
        "'{path}' cannot be written: {reason}.",
        "„{path}“ kann nicht geschrieben werden: {reason}.",
        "无法写入 “{path}”：{reason}。",
    ),
    "unknown-agent": (
        "There is no agent named '{name}'.",
        "Es gibt keinen Agenten namens „{name}“.",
        "没有名为 “{name}” 的智能体。",
    ),
    "unknown-agent.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    # files that cannot be used
    "broken-file": (
        "{file} cannot be used: {first}",
        "{file} ist nicht benutzbar: {first}",
        "无法使用 {file}：{first}",
    ),
    "broken-file.hint": (
        "All problems: paper check {file!q}",
        "Alle Probleme: paper check {file!q}",
        "所有问题：paper check {file!q}",
    ),
    "internal-error": (
        "Something went wrong inside the program: {reason}",
        "Im Programm selbst ist etwas schiefgegangen: {reason}",
        "程序内部出错：{reason}",
    ),
    "internal-error.hint": (
        "PAPER_DEBUG=1 shows the details. Please report it.",
        "PAPER_DEBUG=1 zeigt die Einzelheiten. Bitte melden.",
        "PAPER_DEBUG=1 可显示详情。请报告此问题。",
    ),
    # following the folder
    "cannot-watch": (
        "The folder '{path}' cannot be watched: {reason}.",
        "Der Ordner „{path}“ kann nicht beobachtet werden: {reason}.",
        "无法监视文件夹 “{path}”：{reason}。",
    ),
    "watch-by-looking": (
        "The folder '{path}' cannot be watched: {reason}. It is looked at every second instead.",
        "Der Ordner „{path}“ kann nicht beobachtet werden: {reason}. Stattdessen wird jede Sekunde nachgesehen.",
        "无法监视文件夹 “{path}”：{reason}。改为每秒查看一次。",
    ),
    "watch-callback-failed": (
        "The vault changed, but passing the change on failed.",
        "Der Vault hat sich geändert, aber die Änderung konnte nicht weitergegeben werden.",
        "库已更改，但传递该更改时出错。",
    ),
    # --- settings
    "unknown-setting": (
        "{origin}: there is no setting '{name}'.",
        "{origin}: Es gibt keine Einstellung „{name}“.",
        "{origin}：没有设置项 “{name}”。",
    ),
    "unknown-setting.suggestion.hint": (
        "Did you mean {suggestion}?",
        "Meinten Sie {suggestion}?",
        "您是指 {suggestion} 吗？",
    ),
    "invalid-setting": (
        "{origin}: '{name}' cannot be {value}.",
        "{origin}: „{name}“ kann nicht {value} sein.",
        "{origin}：“{name}” 不能是 {value}。",
    ),
    "invalid-setting.server": (
        "{origin}: '{name}' needs either 'command' or 'url', and not both.",
        "{origin}: „{name}“ braucht entweder „command“ oder „url“, und nicht beides.",
        "{origin}：“{name}” 需要 “command” 或 “url” 之一，不能两者都有。",
    ),
    "invalid-setting.number.hint": (
        "It must be a number between {least} and {most}.",
        "Es muss eine Zahl zwischen {least} und {most} sein.",
        "必须是 {least} 到 {most} 之间的数字。",
    ),
    "invalid-setting.integer.hint": (
        "It must be a whole number between {least} and {most}.",
        "Es muss eine ganze Zahl zwischen {least} und {most} sein.",
        "必须是 {least} 到 {most} 之间的整数。",
    ),
    "invalid-setting.boolean.hint": (
        "It must be true or false.",
        "Es muss true oder false sein.",
        "必须是 true 或 false。",
    ),
    "invalid-setting.address.hint": (
        "It must be an address that begins with 'http://' or 'https://'.",
        "Es muss eine Adresse sein, die mit „http://“ oder „https://“ beginnt.",
        "必须是以 “http://” 或 “https://” 开头的地址。",
    ),
    "invalid-setting.database.hint": (
        "It must be an address that begins with 'postgresql://'.",
        "Es muss eine Adresse sein, die mit „postgresql://“ beginnt.",
        "必须是以 “postgresql://” 开头的地址。",
    ),
    "invalid-setting.hosts.hint": (
        "It must be a list of hosts, each as 'host' or 'host:port', without 'http://', path or '*'.",
        "Es muss eine Liste von Rechnern sein, jeder als „host“ oder „host:port“, ohne „http://“, Pfad oder „*“.",
        "必须是主机列表，每项写成 “host” 或 “host:port”，不带 “http://”、路径或 “*”。",
    ),
    "invalid-setting.text.hint": ("It must be a text.", "Es muss ein Text sein.", "必须是文本。"),
    "invalid-setting.list.hint": (
        "It must be a list of texts.",
        "Es muss eine Liste von Texten sein.",
        "必须是文本列表。",
    ),
    "invalid-setting.command.hint": (
        "It must be a list: the command and its arguments.",
        "Es muss eine Liste sein: der Befehl und seine Argumente.",
        "必须是列表：命令及其参数。",
    ),
    "invalid-setting.variables.hint": (
        'It must be a table of variables: {{ NAME = "value" }}',
        'Es muss eine Tabelle von Variablen sein: {{ NAME = "Wert" }}',
        '必须是变量表：{{ NAME = "值" }}',
    ),
    "invalid-setting.headers.hint": (
        'It must be a table of headers: {{ "X-Name" = "value" }}',
        'Es muss eine Tabelle von Kopfzeilen sein: {{ "X-Name" = "Wert" }}',
        '必须是请求头表：{{ "X-Name" = "值" }}',
    ),
    "invalid-setting.language.hint": (
        "It must be en, de or zh.",
        "Es muss en, de oder zh sein.",
        "必须是 en、de 或 zh。",
    ),
    "invalid-setting.timezone.hint": (
        "It must be a time zone such as Europe/Berlin.",
        "Es muss eine Zeitzone sein, zum Beispiel Europe/Berlin.",
        "必须是时区，例如 Asia/Shanghai。",
    ),
    "settings-syntax": (
        "{file}: This is not valid TOML.",
        "{file}: Das ist kein gültiges TOML.",
        "{file}：这不是有效的 TOML。",
    ),
    "settings-syntax.large": (
        "{file} is too large: at most {limit} characters, and {dots} dots in a line, are allowed.",
        "{file} ist zu groß: Höchstens {limit} Zeichen und {dots} Punkte in einer Zeile sind erlaubt.",
        "{file} 太大：最多允许 {limit} 个字符，每行最多 {dots} 个点。",
    ),
    "settings-unreadable": (
        "{file} cannot be read: {reason}.",
        "{file} kann nicht gelesen werden: {reason}.",
        "无法读取 {file}：{reason}。",
    ),
}
