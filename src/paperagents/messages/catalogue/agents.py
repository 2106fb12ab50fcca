"""What is said about agents, language models and conversations."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # paper ask
    "cli.ask": (
        "Ask an agent one question. Before anything is changed you are asked.",
        "Einem Agenten eine Frage stellen. Bevor etwas geändert wird, werden Sie gefragt.",
        "向智能体提一个问题。任何更改之前都会先询问您。",
    ),
    "cli.ask.model": (
        "The language model, or scripted:FILE to try it without one.",
        "Das Sprachmodell, oder scripted:DATEI, um es ohne eines zu versuchen.",
        "语言模型；或用 scripted:文件 在没有模型时试用。",
    ),
    "cli.ask.conversation": (
        "The conversation to go on with.",
        "Das Gespräch, das fortgesetzt wird.",
        "要继续的对话。",
    ),
    # paper chat
    "cli.chat": (
        "Talk with an agent. The conversation is kept as a note.",
        "Mit einem Agenten sprechen. Das Gespräch wird als Notiz aufbewahrt.",
        "与智能体对话。对话会保存为笔记。",
    ),
    "cli.chat.list": (
        "List the conversations with this agent.",
        "Die Gespräche mit diesem Agenten auflisten.",
        "列出与此智能体的对话。",
    ),
    "cli.chat.help": (
        "Ctrl-C ends an answer, Ctrl-D the conversation. More: /help",
        "Strg-C beendet eine Antwort, Strg-D das Gespräch. Mehr: /help",
        "Ctrl-C 中止当前回答，Ctrl-D 结束对话。更多：/help",
    ),
    "cli.chat.word.help": ("show this list", "diese Liste zeigen", "显示此列表"),
    "cli.chat.word.tools": (
        "show what this agent may call",
        "zeigen, was dieser Agent aufrufen darf",
        "显示此智能体可以调用的工具",
    ),
    "cli.chat.word.new": ("begin a new conversation", "ein neues Gespräch beginnen", "开始新的对话"),
    "cli.chat.word.quit": ("end the conversation", "das Gespräch beenden", "结束对话"),
    "cli.chat.lines": (
        'Several lines: end a line with \\, or put """ on a line before and after them.',
        'Mehrere Zeilen: eine Zeile mit \\ beenden, oder """ in einer Zeile davor und danach.',
        '多行输入：行尾写 \\，或在前后各用一行 """。',
    ),
    "cli.chat.slash": (
        "A question that begins with a slash: write two.",
        "Eine Frage, die mit einem Schrägstrich beginnt: zwei schreiben.",
        "以斜杠开头的问题：写两个斜杠。",
    ),
    "cli.chat.unknown": (
        "There is no command /{word}; it was not sent. Did you mean {suggestion}?",
        "Es gibt keinen Befehl /{word}; gesendet wurde nichts. Meinten Sie {suggestion}?",
        "没有命令 /{word}；未发送。您是指 {suggestion} 吗？",
    ),
    "cli.chat.new": ("A new conversation begins.", "Ein neues Gespräch beginnt.", "新的对话开始了。"),
    "cli.chat.no-tools": (
        "This agent may call no tools.",
        "Dieser Agent darf keine Tools aufrufen.",
        "此智能体不能调用任何工具。",
    ),
    "cli.chat.prompt": ("You> ", "Sie> ", "您> "),
    "cli.chat.kept": (
        "The conversation stands in {file}. Go on with it: paper chat {agent} --conversation {name}",
        "Das Gespräch steht in {file}. Fortsetzen: paper chat {agent} --conversation {name}",
        "对话保存在 {file}。继续：paper chat {agent} --conversation {name}",
    ),
    # the parameters of an agent, and what a conversation calls its speakers
    "agent.query": (
        "What the agent is asked",
        "Was der Agent gefragt wird",
        "向智能体提出的问题",
    ),
    "agent.conversation": (
        "The conversation to go on with",
        "Das Gespräch, das fortgesetzt wird",
        "要继续的对话",
    ),
    "agent.you": ("You", "Sie", "您"),
    "agent.agent": ("Agent", "Agent", "智能体"),
    "agent.tools": ("Tools", "Tools", "工具"),
    # what is wrong with its note
    "prompt-placeholder": (
        "'{{{{{name}}}}}' stands for nothing that is known before somebody asks the agent.",
        "„{{{{{name}}}}}“ steht für nichts, was bekannt ist, bevor jemand den Agenten fragt.",
        "“{{{{{name}}}}}”在有人提问之前没有已知的含义。",
    ),
    "prompt-placeholder.suggestion": (
        "'{{{{{name}}}}}' stands for nothing that is known. Did you mean {suggestion}?",
        "„{{{{{name}}}}}“ steht für nichts Bekanntes. Meinten Sie {suggestion}?",
        "“{{{{{name}}}}}”没有已知的含义。您是指 {suggestion} 吗？",
    ),
    "prompt-placeholder.hint": (
        "Declare it under 'parameters', or write \\{{{{ for two plain braces.",
        "Nennen Sie es unter „parameters“, oder schreiben Sie \\{{{{ für zwei einfache Klammern.",
        "请在 parameters 中声明它，或用 \\{{{{ 表示两个普通花括号。",
    ),
    "pattern-matches-nothing": (
        "No tool or agent fits the pattern '{name}'.",
        "Zum Muster „{name}“ passt kein Tool und kein Agent.",
        "没有工具或智能体符合模式“{name}”。",
    ),
    # what is wrong with a call it makes; the model reads these
    "no-agents-here": (
        "The agent '{tool}' cannot be asked here.",
        "Der Agent „{tool}“ kann hier nicht gefragt werden.",
        "此处无法询问智能体“{tool}”。",
    ),
    "tool-not-given": (
        "'{tool}' is not among the tools that this agent was given. It was not carried out.",
        "„{tool}“ gehört nicht zu den Tools, die dieser Agent bekommen hat. Es wurde nicht ausgeführt.",
        "“{tool}”不在此智能体可用的工具之列，未执行。",
    ),
    "call-not-json": (
        "The arguments of '{tool}' are no JSON: {reason}. It was not carried out.",
        "Die Argumente von „{tool}“ sind kein JSON: {reason}. Es wurde nicht ausgeführt.",
        "“{tool}”的参数不是 JSON：{reason}。未执行。",
    ),
    "call-not-an-object": (
        "The arguments of '{tool}' must be a JSON object with the names of its parameters.",
        "Die Argumente von „{tool}“ müssen ein JSON-Objekt mit den Namen seiner Parameter sein.",
        "“{tool}”的参数必须是以参数名为键的 JSON 对象。",
    ),
    "call-too-large": (
        "The arguments of '{tool}' are too large: {size} characters, the limit is {limit}. It was not carried out.",
        "Die Argumente von „{tool}“ sind zu groß: {size} Zeichen, erlaubt sind {limit}. Es wurde nicht ausgeführt.",
        "“{tool}”的参数过大：{size} 个字符，上限为 {limit}。未执行。",
    ),
    "too-many-calls": (
        "{count} calls in one answer are too many; at most {limit} are carried out. None of the remaining ones was.",
        "{count} Aufrufe in einer Antwort sind zu viele; höchstens {limit} werden ausgeführt. Von den übrigen keiner.",
        "一次回答中有 {count} 个调用，超出上限 {limit}。其余调用均未执行。",
    ),
    "damaged-tags": (
        "Some calls could not be read: {problems}",
        "Einige Aufrufe waren nicht lesbar: {problems}",
        "部分调用无法读取：{problems}",
    ),
    # limits of a run
    "agents-too-deep": (
        "Agents that ask agents: more than {limit} deep is not carried out ('{tool}').",
        "Agenten, die Agenten fragen: tiefer als {limit} wird nicht ausgeführt („{tool}“).",
        "智能体之间的询问层数超过 {limit}，不再执行（“{tool}”）。",
    ),
    "agent-iterations": (
        "The agent did not come to an end within {limit} {limit:turn|turns}.",
        "Der Agent kam innerhalb von {limit} {limit:Runde|Runden} zu keinem Ende.",
        "智能体未能在 {limit} 轮内完成。",
    ),
    "agent-iterations.hint": (
        "Raise 'max_iterations' in its note, or ask for less at once. 'paper runs resume' does not count anew.",
        "Erhöhen Sie „max_iterations“ in seiner Notiz, oder fragen Sie weniger. „paper runs resume“ zählt nicht neu.",
        "请在其笔记中提高 max_iterations，或缩小请求范围。paper runs resume 不会重新计数。",
    ),
    "agent-budget": (
        "The budget is used up: {used} of {limit} tokens.",
        "Das Budget ist verbraucht: {used} von {limit} Tokens.",
        "预算已用完：已用 {used}，上限 {limit} 个词元。",
    ),
    "agent-budget.money": (
        "The budget is used up: {used} of {limit}.",
        "Das Budget ist verbraucht: {used} von {limit}.",
        "预算已用完：已用 {used}，上限 {limit}。",
    ),
    "model.no-cost": (
        "The server tells no cost, so the budget in money cannot be kept; one in tokens can.",
        "Der Server nennt keine Kosten; das Budget in Geld kann nicht eingehalten werden, eines in Tokens schon.",
        "服务器不报告费用，因此无法遵守金额预算；词元预算可以。",
    ),
    "agent-no-progress": (
        "The agent made the same calls {times} times with the same results; it was stopped.",
        "Der Agent hat dieselben Aufrufe {times}-mal mit denselben Ergebnissen gemacht; er wurde angehalten.",
        "智能体以相同结果重复了 {times} 次相同的调用，已被停止。",
    ),
    "agent.repeats": (
        "The same calls gave the same results {times} times in a row. Do something else, or answer.",
        "Dieselben Aufrufe gaben {times}-mal nacheinander dasselbe. Tun Sie etwas anderes, oder antworten Sie.",
        "相同的调用已连续 {times} 次得到相同的结果。请换一种做法，或给出回答。",
    ),
    "agent-timeout": (
        "The agent took longer than {seconds} s.",
        "Der Agent brauchte länger als {seconds} s.",
        "智能体用时超过 {seconds} 秒。",
    ),
    # which model, and with which key
    "model-missing": (
        "No language model is chosen.",
        "Es ist kein Sprachmodell gewählt.",
        "未选择语言模型。",
    ),
    "model-missing.hint": (
        "Write 'model: …' into the agent's note, set 'llm.model', or give --model.",
        "Schreiben Sie „model: …“ in die Notiz des Agenten, setzen Sie „llm.model“, oder geben Sie --model an.",
        "请在智能体笔记中写入 model: …，设置 llm.model，或使用 --model。",
    ),
    "model-key-missing": (
        "No language model is set up yet: there is no key for {address}.",
        "Es ist noch kein Sprachmodell eingerichtet: Für {address} gibt es keinen Schlüssel.",
        "尚未设置语言模型：没有用于 {address} 的密钥。",
    ),
    "model-key-missing.hint": (
        (
            "With a key: on the Settings page of 'paper serve', in PAPER_LLM_API_KEY, or: keyring set paperagents "
            "{address}. "
            "On this computer: paper config set llm.base_url http://localhost:11434/v1"
        ),
        (
            "Mit Schlüssel: auf der Seite „Einstellungen“ von „paper serve“, in PAPER_LLM_API_KEY oder: "
            "keyring set paperagents {address}. "
            "Auf diesem Rechner: paper config set llm.base_url http://localhost:11434/v1"
        ),
        (
            "使用密钥：在 paper serve 的“设置”页填写，或设置 PAPER_LLM_API_KEY，或运行 "
            "keyring set paperagents {address}。"
            "在本机运行：paper config set llm.base_url http://localhost:11434/v1"
        ),
    ),
    "model-key-unusable": (
        "The key for the language model at {address} has characters that no key has. It was not sent.",
        "Der Schlüssel für das Sprachmodell unter {address} hat unmögliche Zeichen. Er wurde nicht gesendet.",
        "用于 {address} 语言模型的密钥含有密钥中不会出现的字符，因此未发送。",
    ),
    "model-key-unusable.hint": (
        "Copy it again, without spaces and line ends.",
        "Kopieren Sie ihn noch einmal, ohne Leerzeichen und Zeilenenden.",
        "请重新复制密钥，不要带空格和换行。",
    ),
    "model-key-foreign": (
        "This vault wants to talk to {address}, but your key was set for {own}. It was not sent.",
        "Diese Sammlung will mit {address} sprechen, Ihr Schlüssel gilt aber für {own}. Er wurde nicht gesendet.",
        "此笔记库要连接 {address}，而您的密钥是为 {own} 设置的，因此未发送。",
    ),
    "model-key-foreign.hint": (
        "If you trust it: set PAPER_LLM_BASE_URL beside PAPER_LLM_API_KEY, or run: keyring set paperagents {address}",
        "Wenn Sie ihr trauen: PAPER_LLM_BASE_URL dazu setzen, oder: keyring set paperagents {address}",
        "如果您信任它：请同时设置 PAPER_LLM_BASE_URL 与 PAPER_LLM_API_KEY，或运行 keyring set paperagents {address}",
    ),
    "model-address": (
        "'{address}' is no address of a language model.",
        "„{address}“ ist keine Adresse eines Sprachmodells.",
        "“{address}”不是语言模型的地址。",
    ),
    "model-address.hint": (
        "It looks like https://example.org/v1, without a name or password in it.",
        "Sie sieht so aus: https://example.org/v1, ohne Namen oder Passwort darin.",
        "格式如 https://example.org/v1，其中不含用户名或密码。",
    ),
    # answers of the model's server
    "model-unreachable": (
        "The language model at {address} cannot be reached: {reason}.",
        "Das Sprachmodell unter {address} ist nicht erreichbar: {reason}.",
        "无法连接 {address} 的语言模型：{reason}。",
    ),
    "model-refused": (
        "The language model refused ({status}): {reason}",
        "Das Sprachmodell hat abgelehnt ({status}): {reason}",
        "语言模型拒绝了请求（{status}）：{reason}",
    ),
    "model-busy": (
        "The language model cannot answer now ({status}): {reason}",
        "Das Sprachmodell kann jetzt nicht antworten ({status}): {reason}",
        "语言模型目前无法回答（{status}）：{reason}",
    ),
    "model-broken": (
        "The answer of the language model broke off: {reason}.",
        "Die Antwort des Sprachmodells brach ab: {reason}.",
        "语言模型的回答中断：{reason}。",
    ),
    "model-empty": (
        "The language model answered with nothing.",
        "Das Sprachmodell hat nichts geantwortet.",
        "语言模型的回答为空。",
    ),
    "model-endless": (
        "The answer of the language model is longer than {limit} bytes.",
        "Die Antwort des Sprachmodells ist länger als {limit} Bytes.",
        "语言模型的回答超过 {limit} 字节。",
    ),
    "model-timeout": (
        "The language model took longer than {seconds} s.",
        "Das Sprachmodell brauchte länger als {seconds} s.",
        "语言模型用时超过 {seconds} 秒。",
    ),
    # a scripted model
    "script-unreadable": (
        "'{file}' is no script for a model: {reason}.",
        "„{file}“ ist kein Skript für ein Modell: {reason}.",
        "“{file}”不是模型脚本：{reason}。",
    ),
    "script-over": (
        "The script of the model has no further turn.",
        "Das Skript des Modells hat keine weitere Runde.",
        "模型脚本没有更多回合。",
    ),
    # conversations
    "conversation-unreadable": (
        "The conversation '{name}' cannot be used: {reason}.",
        "Das Gespräch „{name}“ ist nicht benutzbar: {reason}.",
        "无法使用对话“{name}”：{reason}。",
    ),
    "conversation-of-another": (
        "The conversation '{name}' belongs to the agent '{agent}'.",
        "Das Gespräch „{name}“ gehört zum Agenten „{agent}“.",
        "对话“{name}”属于智能体“{agent}”。",
    ),
    "conversation-of-another.none": (
        "The note '{name}' does not say whose conversation it is: 'conversation: {agent}' is missing at its beginning.",
        "Die Notiz „{name}“ sagt nicht, wessen Gespräch sie ist: Am Anfang fehlt „conversation: {agent}“.",
        "笔记“{name}”没有说明是谁的对话：开头缺少“conversation: {agent}”。",
    ),
    "conversation-in-use": (
        "Somebody else is just writing the conversation '{name}'.",
        "Jemand anderes schreibt gerade das Gespräch „{name}“.",
        "另有人正在写入对话“{name}”。",
    ),
    "conversation-unknown": (
        "There is no conversation '{name}'.",
        "Es gibt kein Gespräch „{name}“.",
        "没有对话“{name}”。",
    ),
}
