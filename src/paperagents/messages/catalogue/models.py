"""What is said about the answers of language models: their form, their end, what they cost, and how they are judged."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # an answer that is none
    "answer-cut": (
        "The answer was cut off: the model reached the largest length of its answers.",
        "Die Antwort ist abgeschnitten: Das Modell hat die größte Länge seiner Antworten erreicht.",
        "回答被截断：模型已达到其回答的最大长度。",
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
    "agent.no-picture": (
        "The picture '{path}' was not sent: it is not there, too large, or one too many.",
        "Das Bild „{path}“ wurde nicht gesendet: Es fehlt, ist zu groß oder eines zu viel.",
        "图片“{path}”未发送：不存在、过大或数量过多。",
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
