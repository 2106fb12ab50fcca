"""What can be wrong with a call, and what a run says about itself."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "invalid-arguments": ("{problems}", "{problems}", "{problems}"),
    "invalid-arguments.hint": (
        "What {tool} wants: paper show {tool}",
        "Was {tool} verlangt: paper show {tool}",
        "{tool} 需要什么：paper show {tool}",
    ),
    "argument-missing": (
        "Parameter '{parameter}' is required.",
        "Parameter '{parameter}' ist Pflichtfeld.",
        "参数 “{parameter}” 为必填项。",
    ),
    "argument-unknown": (
        "There is no parameter '{parameter}'.",
        "Es gibt keinen Parameter „{parameter}“.",
        "没有参数 “{parameter}”。",
    ),
    "argument-type": (
        "Parameter '{parameter}' must be of type {kind}.",
        "Parameter „{parameter}“ muss vom Typ {kind} sein.",
        "参数 “{parameter}” 的类型必须是 {kind}。",
    ),
    "argument-rule": (
        "Parameter '{parameter}': {reason}.",
        "Parameter „{parameter}“: {reason}.",
        "参数 “{parameter}”：{reason}。",
    ),
    "argument-rule.enum": (
        "Parameter '{parameter}' must be one of: {limit}.",
        "Parameter „{parameter}“ muss eines davon sein: {limit}.",
        "参数 “{parameter}” 必须是以下之一：{limit}。",
    ),
    "argument-rule.minimum": (
        "Parameter '{parameter}' must be at least {limit}.",
        "Parameter „{parameter}“ muss mindestens {limit} sein.",
        "参数 “{parameter}” 不得小于 {limit}。",
    ),
    "argument-rule.maximum": (
        "Parameter '{parameter}' must be at most {limit}.",
        "Parameter „{parameter}“ darf höchstens {limit} sein.",
        "参数 “{parameter}” 不得大于 {limit}。",
    ),
    "argument-rule.minLength": (
        "Parameter '{parameter}' must have at least {limit} characters.",
        "Parameter „{parameter}“ muss mindestens {limit} Zeichen haben.",
        "参数 “{parameter}” 至少需要 {limit} 个字符。",
    ),
    "argument-rule.maxLength": (
        "Parameter '{parameter}' may have at most {limit} characters.",
        "Parameter „{parameter}“ darf höchstens {limit} Zeichen haben.",
        "参数 “{parameter}” 最多 {limit} 个字符。",
    ),
    "argument-rule.pattern": (
        "Parameter '{parameter}' does not match the pattern {limit}.",
        "Parameter „{parameter}“ passt nicht zum Muster {limit}.",
        "参数 “{parameter}” 不符合模式 {limit}。",
    ),
    "argument-rule.format": (
        "Parameter '{parameter}' is not a valid {limit}.",
        "Parameter „{parameter}“ ist kein gültiger Wert der Form {limit}.",
        "参数 “{parameter}” 不是有效的 {limit}。",
    ),
}
