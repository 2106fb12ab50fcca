"""The sentences by area. Each is a tuple: English, German, Chinese. A key ending in ``.hint`` says what to do next."""

AREAS = (
    "checks",
    "code_checks",
    "calls",
    "runs",
    "rules",
    "running",
    "storage",
    "tool_commands",
    "builtin",
    "tools",
    "sandbox",
    "agents",
    "models",
    "command_line",
    "serving",
    "importing",
    "trust",
    "web",
    "web_decisions",
    "web_store",
)
