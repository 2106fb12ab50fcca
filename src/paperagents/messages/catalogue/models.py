"""What is said about the answers of language models: their form, their end, what they cost, and how they are judged."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # an answer that is none
    "answer-cut": (
        "The answer was cut off: the model reached the largest length of its answers.",
        "Die Antwort ist abgeschnitten: Das Modell hat die größte Länge seiner Antworten erreicht.",
        "回答被截断：模型已达到其回答的最大长度。",
    ),
    "answer-cut.provider": (
        "The answer was cut off: the model reached the largest length of its answers ({reason}).",
        "Die Antwort ist abgeschnitten: Das Modell hat die größte Länge seiner Antworten erreicht ({reason}).",
        "回答被截断：模型已达到其回答的最大长度（{reason}）。",
    ),
    "answer-cut.hint": (
        "Raise 'max_tokens' in the agent's note, or ask for less. What there is stands in details.text.",
        "Erhöhen Sie „max_tokens“ in der Notiz des Agenten, oder fragen Sie weniger. Der Anfang steht in details.text.",
        "请在智能体笔记中提高 max_tokens，或缩小请求范围。已有的部分在 details.text 中。",
    ),
    "answer-filtered": (
        "A content filter of the model's server held the answer back.",
        "Ein Inhaltsfilter beim Server des Modells hat die Antwort zurückgehalten.",
        "模型服务器的内容过滤器拦截了回答。",
    ),
    "answer-filtered.provider": (
        "A content filter of the model's server held the answer back: {reason}.",
        "Ein Inhaltsfilter beim Server des Modells hat die Antwort zurückgehalten: {reason}.",
        "模型服务器的内容过滤器拦截了回答：{reason}。",
    ),
    "answer-filtered.hint": (
        "Ask in other words, or choose another model. What there is stands in details.text.",
        "Fragen Sie mit anderen Worten, oder wählen Sie ein anderes Modell. Der Anfang steht in details.text.",
        "请换一种说法，或选择其他模型。已有的部分在 details.text 中。",
    ),
    "answer-invalid.model": (
        "The answer does not fit the schema under 'output', also after one repair: {reason}",
        "Die Antwort passt nicht zum Schema unter „output“, auch nicht nach einer Korrektur: {reason}",
        "回答不符合 output 中的模式，修正一次后仍不符合：{reason}",
    ),
    "answer-invalid.model.hint": (
        "Describe in the agent's prompt what each field means, or choose another model.",
        "Beschreiben Sie im Prompt des Agenten, was jedes Feld bedeutet, oder wählen Sie ein anderes Modell.",
        "请在智能体的提示中说明每个字段的含义，或选择其他模型。",
    ),
    "answer.repair": (
        "Your answer does not fit the JSON Schema: {problems}. Answer again with JSON alone.",
        "Deine Antwort passt nicht zum JSON Schema: {problems}. Antworte noch einmal, nur mit JSON.",
        "你的回答不符合 JSON Schema：{problems}。请只用 JSON 重新回答。",
    ),
    "answer.too-deep": (
        "nested deeper than {limit}",
        "tiefer als {limit} verschachtelt",
        "嵌套超过 {limit} 层",
    ),
    "model.fell-back": (
        "{model} was asked instead of {before}: {reason}",
        "Statt {before} wurde {model} gefragt: {reason}",
        "已改为询问 {model}，而非 {before}：{reason}",
    ),
    "model-refused.context.hint": (
        "Set 'context_tokens' in the agent's note to what its model can read: older turns are then shortened.",
        "Nennen Sie in der Notiz des Agenten unter „context_tokens“, wie viel sein Modell liest; Älteres wird gekürzt.",
        "请在智能体笔记中用 context_tokens 写明模型可读取的长度，较早的内容会被缩短。",
    ),
    "model-refused.key.hint": (
        "Check the key: PAPER_LLM_API_KEY, the Settings page of 'paper serve', or the keyring of the system.",
        "Prüfen Sie den Schlüssel: PAPER_LLM_API_KEY, „Einstellungen“ in „paper serve“ oder den Schlüsselbund.",
        "请检查密钥：PAPER_LLM_API_KEY、paper serve 的“设置”页，或系统密钥环。",
    ),
    "model-refused.credit.hint": (
        "Top up the account with the provider, or name other models under 'fallback' in the agent's note.",
        "Laden Sie das Guthaben beim Anbieter auf, oder nennen Sie in der Notiz unter „fallback“ andere Modelle.",
        "请为提供商账户充值，或在智能体笔记的 fallback 中列出其他模型。",
    ),
    "model-refused.model.hint": (
        "Check the model's name (in the agent's note, or llm.model) and the address: paper config get llm.base_url",
        "Prüfen Sie den Namen des Modells (in der Notiz oder llm.model) und die Adresse: paper config get llm.base_url",
        "请检查模型名称（智能体笔记或 llm.model），以及地址：paper config get llm.base_url",
    ),
    "agent.no-picture": (
        "The picture '{path}' was not sent: it is not there, too large, or one too many.",
        "Das Bild „{path}“ wurde nicht gesendet: Es fehlt, ist zu groß oder eines zu viel.",
        "图片“{path}”未发送：不存在、过大或数量过多。",
    ),
    # traces
    "traces-not-installed": (
        "Traces are wanted (OTEL_EXPORTER_OTLP_ENDPOINT), but not installed: pip install 'paperagents[otel]'",
        "Traces sind gewünscht (OTEL_EXPORTER_OTLP_ENDPOINT), aber nicht installiert: pip install 'paperagents[otel]'",
        "需要追踪（OTEL_EXPORTER_OTLP_ENDPOINT），但尚未安装：pip install 'paperagents[otel]'",
    ),
    # what was used
    "usage.tokens": (
        "Used: {input_tokens} tokens in ({cached_tokens} cached), {output_tokens} out.",
        "Verbraucht: {input_tokens} Tokens ein ({cached_tokens} aus dem Cache), {output_tokens} aus.",
        "已用：输入 {input_tokens} 词元（缓存 {cached_tokens}），输出 {output_tokens}。",
    ),
    "usage.cost": (
        "Used: {input_tokens} tokens in ({cached_tokens} cached), {output_tokens} out, ${price}.",
        "Verbraucht: {input_tokens} Tokens ein ({cached_tokens} aus dem Cache), {output_tokens} aus, {price} $.",
        "已用：输入 {input_tokens} 词元（缓存 {cached_tokens}），输出 {output_tokens}，{price} 美元。",
    ),
    "web.reasoning": ("What the model thought", "Was das Modell überlegt hat", "模型的思考"),
    "cli.chat.thought": (
        "Thought: {count} characters. All of it: paper runs show {run} --json",
        "Überlegt: {count} Zeichen. Ganz zu lesen: paper runs show {run} --json",
        "思考：{count} 个字符。全文：paper runs show {run} --json",
    ),
    # paper eval
    "cli.eval": (
        "Ask an agent the questions in its note and judge the answers. Nothing is changed.",
        "Einem Agenten die Fragen in seiner Notiz stellen und die Antworten beurteilen. Nichts wird geändert.",
        "向智能体提出其笔记中的问题并评判回答。不会更改任何内容。",
    ),
    "cli.eval.model": (
        "A language model to try; may be given several times.",
        "Ein Sprachmodell, das erprobt wird; mehrmals möglich.",
        "要试用的语言模型；可多次给出。",
    ),
    "cli.eval.repeat": (
        "How often each question is asked.",
        "Wie oft jede Frage gestellt wird.",
        "每个问题提问的次数。",
    ),
    "cli.eval.none": (
        "{agent} has no evals. Add some to its note: 'evals:' with '- question: …' and 'output_contains: …'.",
        "{agent} hat keine Evals. Ergänzen Sie in der Notiz „evals:“ mit „- question: …“ und „output_contains: …“.",
        "{agent} 没有 evals。请在其笔记中添加 evals:，其中写 - question: … 和 output_contains: …。",
    ),
    "cli.eval.heading.model": ("model", "Modell", "模型"),
    "cli.eval.heading.passed": ("passed", "bestanden", "通过"),
    "cli.eval.heading.tokens": ("tokens in/out", "Tokens ein/aus", "词元 输入/输出"),
    "cli.eval.heading.cost": ("cost", "Kosten", "费用"),
    "cli.eval.heading.seconds": ("time", "Zeit", "用时"),
    "cli.eval.below": (
        "Below the pass rate of {wanted}: {models}",
        "Unter der nötigen Quote von {wanted}: {models}",
        "低于要求的通过率 {wanted}：{models}",
    ),
    "eval.unanswered": (
        "{tools}: would leave the vault, and 'responses' has no answer for it.",
        "{tools}: würde die Sammlung verlassen, und unter „responses“ steht keine Antwort dafür.",
        "{tools}：会访问笔记库之外，而 responses 中没有对应的回答。",
    ),
    "eval.not-called": (
        "{tool} was not called like this:",
        "{tool} wurde nicht so aufgerufen:",
        "{tool} 没有这样被调用：",
    ),
    "eval.called": (
        "Called though it must not be: {tool}",
        "Aufgerufen, obwohl es nicht sein darf: {tool}",
        "不应被调用却被调用：{tool}",
    ),
    "eval.changed": (
        "Changed though nothing may be: {paths}",
        "Geändert, obwohl nichts geändert werden darf: {paths}",
        "不应更改却被更改：{paths}",
    ),
    "eval.check-failed": (
        "The check says no.",
        "Die Prüfung unter „check“ sagt nein.",
        "check 的检查未通过。",
    ),
    # what is wrong with an agent's note
    "extra-reserved": (
        "'{field}' cannot stand under 'extra': the program itself writes it into each request.",
        "„{field}“ kann nicht unter „extra“ stehen: Das Programm schreibt es selbst in jede Anfrage.",
        "“{field}”不能写在 extra 中：程序会自行将其写入每个请求。",
    ),
    "extra-reserved.hint": (
        "Use the agent's own fields: model, tools, max_tokens …",
        "Nehmen Sie die eigenen Felder des Agenten: model, tools, max_tokens …",
        "请使用智能体自己的字段：model、tools、max_tokens 等。",
    ),
}
