"""What the fields of agent notes and their evals mean, as an editor explains them."""

TEXTS = {
    "field.agent": (
        "`true` makes the note an agent; its body is the prompt.",
        "`true` macht die Notiz zu einem Agenten; ihr Text ist der Prompt.",
        "`true` 使该笔记成为智能体；正文即提示词。",
    ),
    "field.model": (
        "Which language model; else the setting `llm.model`.",
        "Welches Sprachmodell; sonst die Einstellung `llm.model`.",
        "使用的语言模型；缺省为设置 `llm.model`。",
    ),
    "field.tools": (
        "Ids, names or patterns such as `search_*`: what the agent may call.",
        "Ids, Namen oder Muster wie `search_*`: was der Agent aufrufen darf.",
        "标识、名称或 `search_*` 之类的模式：智能体可以调用的工具。",
    ),
    "field.agents": (
        "Other agents that it may ask.",
        "Andere Agenten, die er fragen darf.",
        "它可以询问的其他智能体。",
    ),
    "field.protocol": (
        "`native` (tool calls of the API), `tags` (calls written into the text) or `auto`.",
        "`native` (Tool-Aufrufe der API), `tags` (Aufrufe im Text) oder `auto`.",
        "`native`（API 的工具调用）、`tags`（写在文本中的调用）或 `auto`。",
    ),
    "field.max_iterations": (
        "How often the model is asked at most; 20 where nothing is said.",
        "Wie oft das Modell höchstens gefragt wird; ohne Angabe 20.",
        "最多询问模型的次数；缺省为 20。",
    ),
    "field.temperature": ("0 to 2.", "0 bis 2.", "0 到 2。"),
    "field.top_p": (
        "0 to 1: only the likeliest words that together reach this much.",
        "0 bis 1: nur die wahrscheinlichsten Wörter, die zusammen so viel erreichen.",
        "0 到 1：只取累计概率达到该值的最可能的词。",
    ),
    "field.max_tokens": (
        "How long one answer may be, in tokens.",
        "Wie lang eine Antwort sein darf, in Tokens.",
        "单个回答的最大长度（词元数）。",
    ),
    "field.reasoning": (
        "How much the model thinks before it answers: a word from `none` to `max`, or a number of tokens.",
        "Wie viel das Modell vor der Antwort nachdenkt: ein Wort von `none` bis `max` oder eine Zahl von Tokens.",
        "模型回答前的思考量：从 `none` 到 `max` 的词，或词元数。",
    ),
    "field.effort": (
        "`none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.",
        "`none`, `minimal`, `low`, `medium`, `high`, `xhigh` oder `max`.",
        "`none`、`minimal`、`low`、`medium`、`high`、`xhigh` 或 `max`。",
    ),
    "field.reasoning.budget": (
        "Tokens that the model may think.",
        "Tokens, die das Modell nachdenken darf.",
        "模型可用于思考的词元数。",
    ),
    "field.stop": (
        "A text or several at which an answer ends.",
        "Ein Text oder mehrere, bei denen eine Antwort endet.",
        "使回答结束的一个或多个文本。",
    ),
    "field.seed": (
        "A whole number: servers that know it answer the same again.",
        "Eine ganze Zahl: Server, die sie kennen, antworten wieder gleich.",
        "整数：支持它的服务器会再次给出相同的回答。",
    ),
    "field.extra": (
        "Further fields of each request, sent as they are.",
        "Weitere Felder jeder Anfrage, so gesendet wie geschrieben.",
        "每个请求的附加字段，原样发送。",
    ),
    "field.agent.output": (
        "JSON Schema that the answer must fit.",
        "JSON Schema, dem die Antwort entsprechen muss.",
        "回答必须符合的 JSON Schema。",
    ),
    "field.context_tokens": (
        "How many tokens the model can read; older turns are shortened to fit.",
        "Wie viele Tokens das Modell lesen kann; ältere Beiträge werden passend gekürzt.",
        "模型可读取的词元数；较早的内容会被缩短以适应。",
    ),
    "field.fallback": (
        "Models that are asked, in this order, where the one before cannot answer.",
        "Modelle, die der Reihe nach gefragt werden, wenn das vorige nicht antworten kann.",
        "前一个模型无法回答时依次询问的模型。",
    ),
    "field.images": (
        "`true`: pictures linked in the question or in this note are sent along.",
        "`true`: In der Frage oder dieser Notiz verlinkte Bilder werden mitgesendet.",
        "`true`：同时发送问题或本笔记中链接的图片。",
    ),
    "field.evals": (
        "Questions and what must hold of the answers; `paper eval` asks them.",
        "Fragen und was für die Antworten gelten muss; `paper eval` stellt sie.",
        "问题以及回答必须满足的条件；由 `paper eval` 提问。",
    ),
    "field.pass": (
        "The part of the evals that must pass, 0 to 1; 1 where nothing is said.",
        "Der Anteil der Prüffragen, der bestehen muss, 0 bis 1; ohne Angabe 1.",
        "必须通过的评测比例，0 到 1；缺省为 1。",
    ),
    "field.starters": (
        "Questions to begin with; the pages offer the first three.",
        "Fragen für den Anfang; die Seiten bieten die ersten drei an.",
        "开场问题；页面提供前三个。",
    ),
    "field.memory": (
        "`false` leaves memories, tasks and goals out of the prompt.",
        "`false` lässt Erinnerungen, Aufgaben und Ziele aus dem Prompt weg.",
        "`false` 表示提示词中不含记忆、任务和目标。",
    ),
    "field.budget": (
        "A number of tokens, or `tokens` and `money`.",
        "Eine Zahl von Tokens, oder `tokens` und `money`.",
        "词元数，或 `tokens` 和 `money`。",
    ),
    "field.tokens": (
        "Tokens of prompts and answers together.",
        "Tokens von Prompts und Antworten zusammen.",
        "提示词与回答的词元总数。",
    ),
    "field.money": (
        "What the server says the answers cost, in its currency.",
        "Was die Antworten laut Server kosten, in dessen Währung.",
        "服务器报告的回答费用，以其货币计。",
    ),
    "field.question": ("What the agent is asked.", "Was der Agent gefragt wird.", "向智能体提出的问题。"),
    "field.calls": (
        "Calls that must be made: a list of `tool` and `arguments`.",
        "Aufrufe, die erfolgen müssen: eine Liste aus `tool` und `arguments`.",
        "必须进行的调用：由 `tool` 和 `arguments` 组成的列表。",
    ),
    "field.calls.tool": ("The tool that is called.", "Das Tool, das aufgerufen wird.", "被调用的工具。"),
    "field.arguments": (
        "Arguments that the call must have; others do not matter.",
        "Argumente, die der Aufruf haben muss; andere sind gleichgültig.",
        "调用必须具有的参数；其他参数不限。",
    ),
    "field.not_calls": (
        "Ids of tools that must not be called.",
        "Ids von Tools, die nicht aufgerufen werden dürfen.",
        "不得调用的工具的标识。",
    ),
    "field.changes": (
        "What files must hold at the end; `{{}}`: nothing is changed.",
        "Was Dateien am Ende enthalten müssen; `{{}}`: Nichts wird geändert.",
        "文件最终必须包含的内容；`{{}}`：没有任何更改。",
    ),
    "field.check": (
        "JavaScript over `output` that must give something true.",
        "JavaScript über `output`, das etwas Wahres ergeben muss.",
        "针对 `output` 的 JavaScript，其结果必须为真。",
    ),
}
