"""Sentences of the pages about agents and their conversations."""

TEXTS = {
    "web.agent.about": ("Model: {model}", "Modell: {model}", "模型：{model}"),
    "web.agent.no-model": ("chosen by the server", "wählt der Server", "由服务器选择"),
    "web.agent.model": ("Model", "Modell", "模型"),
    "web.agent.choose-model": ("Choose a model", "Modell wählen", "选择模型"),
    "web.agent.used": ("Used so far", "Bisher verbraucht", "累计用量"),
    "web.agent.starters": ("To begin with", "Für den Anfang", "可以这样开始"),
    "web.agent.reasoning": ("Reasoning", "Gedankengang", "思考过程"),
    "web.agent.again": ("Ask again", "Noch einmal fragen", "重新提问"),
    "web.agent.edit-turn": ("Edit and ask anew", "Ändern und neu fragen", "修改后重新提问"),
    "web.agent.editing": (
        "You are changing an earlier message. Sending it begins a new conversation from there; this one stays.",
        "Sie ändern eine frühere Nachricht. Ab dort beginnt beim Senden ein neues Gespräch; dieses bleibt erhalten.",
        "您正在修改先前的消息。发送后将从该处开始新的对话，当前对话保持不变。",
    ),
    "web.agent.stop-editing": ("Leave it", "Verwerfen", "放弃修改"),
}
