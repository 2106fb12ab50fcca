"""The sentences by area. Each is a tuple: English, German, Chinese. A key ending in ``.hint`` says what to do next."""

AREAS = (
    "system",
    "storing",
    "checks",
    "code_checks",
    "command_line",
    "running",
    "builtin",
    "calls",
    "sandbox",
    "tags",
    "builtin_tools",
    "keeping",
    "serving",
    "agents",
    "web",
    "packages",
    "searching",
)
