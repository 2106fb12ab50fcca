"""What can be wrong with the arguments of a call, and with calls in a model's text (tags)."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # --- arguments
    "invalid-arguments": ("{problems}", "{problems}", "{problems}"),
    "invalid-arguments.hint": (
        "What {tool} wants: paper show {tool}",
        "Was {tool} verlangt: paper show {tool}",
        "{tool} 需要什么：paper show {tool}",
    ),
    "argument-missing": (
        "Parameter '{parameter}' is required.",
        "Parameter '{parameter}' ist Pflichtfeld",
        "参数 “{parameter}” 为必填项。",
    ),
    "argument-missing.slip": (
        "Parameter '{parameter}' is required; '{given}' was given.",
        "Parameter „{parameter}“ ist Pflichtfeld; angegeben wurde „{given}“.",
        "参数 “{parameter}” 为必填项；给出的是 “{given}”。",
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
    "argument-not-json": (
        "Parameter '{parameter}' is no JSON value, or nested more than {limit} levels deep.",
        "Parameter „{parameter}“ ist kein JSON-Wert oder mehr als {limit} Ebenen tief verschachtelt.",
        "参数 “{parameter}” 不是 JSON 值，或嵌套超过 {limit} 层。",
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
        "Parameter '{parameter}' must have a length of at least {limit}.",
        "Parameter „{parameter}“ muss mindestens {limit} Zeichen haben.",
        "参数 “{parameter}” 至少需要 {limit} 个字符。",
    ),
    "argument-rule.maxLength": (
        "Parameter '{parameter}' may have a length of at most {limit}.",
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
    "argument-rule.exclusiveMinimum": (
        "Parameter '{parameter}' must be greater than {limit}.",
        "Parameter „{parameter}“ muss größer als {limit} sein.",
        "参数 “{parameter}” 必须大于 {limit}。",
    ),
    "argument-rule.exclusiveMaximum": (
        "Parameter '{parameter}' must be less than {limit}.",
        "Parameter „{parameter}“ muss kleiner als {limit} sein.",
        "参数 “{parameter}” 必须小于 {limit}。",
    ),
    "argument-rule.multipleOf": (
        "Parameter '{parameter}' must be a multiple of {limit}.",
        "Parameter „{parameter}“ muss ein Vielfaches von {limit} sein.",
        "参数 “{parameter}” 必须是 {limit} 的倍数。",
    ),
    "argument-rule.const": (
        "Parameter '{parameter}' can only be: {limit}.",
        "Parameter „{parameter}“ kann nur dies sein: {limit}.",
        "参数 “{parameter}” 只能是：{limit}。",
    ),
    "argument-rule.minItems": (
        "Parameter '{parameter}' has too few elements; at least: {limit}.",
        "Parameter „{parameter}“ hat zu wenige Elemente; mindestens: {limit}.",
        "参数 “{parameter}” 的元素太少；至少：{limit}。",
    ),
    "argument-rule.maxItems": (
        "Parameter '{parameter}' has too many elements; at most: {limit}.",
        "Parameter „{parameter}“ hat zu viele Elemente; höchstens: {limit}.",
        "参数 “{parameter}” 的元素太多；最多：{limit}。",
    ),
    "argument-rule.uniqueItems": (
        "Parameter '{parameter}' has the same element twice.",
        "Parameter „{parameter}“ enthält ein Element doppelt.",
        "参数 “{parameter}” 含有重复的元素。",
    ),
    "argument-rule.minProperties": (
        "Parameter '{parameter}' has too few members; at least: {limit}.",
        "Parameter „{parameter}“ hat zu wenige Felder; mindestens: {limit}.",
        "参数 “{parameter}” 的字段太少；至少：{limit}。",
    ),
    "argument-rule.maxProperties": (
        "Parameter '{parameter}' has too many members; at most: {limit}.",
        "Parameter „{parameter}“ hat zu viele Felder; höchstens: {limit}.",
        "参数 “{parameter}” 的字段太多；最多：{limit}。",
    ),
    "argument-rule.additionalProperties": (
        "Parameter '{parameter}' may not have these members: {names}.",
        "Parameter „{parameter}“ darf diese Felder nicht haben: {names}.",
        "参数 “{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.no-members": (
        "Parameter '{parameter}' may not have any members.",
        "Parameter „{parameter}“ darf keine Felder haben.",
        "参数 “{parameter}” 不能有任何字段。",
    ),
    "argument-rule.unevaluatedProperties": (
        "Parameter '{parameter}' may not have these members: {names}.",
        "Parameter „{parameter}“ darf diese Felder nicht haben: {names}.",
        "参数 “{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.oneOf": (
        "Parameter '{parameter}' has none of the forms it may have.",
        "Parameter „{parameter}“ entspricht keiner der möglichen Formen.",
        "参数 “{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.anyOf": (
        "Parameter '{parameter}' has none of the forms it may have.",
        "Parameter „{parameter}“ entspricht keiner der möglichen Formen.",
        "参数 “{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.oneOf-several": (
        "Parameter '{parameter}' has several of the forms of which it may have just one.",
        "Parameter „{parameter}“ entspricht mehreren Formen, von denen nur eine zutreffen darf.",
        "参数 “{parameter}” 同时符合多种形式，而只能符合其中一种。",
    ),
    "argument-rule.not": (
        "Parameter '{parameter}' has a value that is not allowed.",
        "Parameter „{parameter}“ hat einen Wert, der nicht erlaubt ist.",
        "参数 “{parameter}” 的值不被允许。",
    ),
    "argument-rule.contains": (
        "Parameter '{parameter}' lacks an element of the kind that must be in it.",
        "Parameter „{parameter}“ fehlt ein Element der verlangten Art.",
        "参数 “{parameter}” 缺少所要求的元素。",
    ),
    # --- tags
    # What is wrong with the tags of a text.
    "tag-unknown": (
        "There is no tag named '{name}'.",
        "Es gibt kein Tag namens „{name}“.",
        "没有名为“{name}”的标签。",
    ),
    "tag-unknown.hint": ("Did you mean {reading}?", "Meinten Sie {reading}?", "您是否想写 {reading}？"),
    "tag-unclosed": (
        "The tag '{name}' is opened here and never closed, so it was not carried out.",
        "Das Tag „{name}“ wird hier geöffnet und nie geschlossen; es wurde nicht ausgeführt.",
        "标签“{name}”在此处打开但从未关闭，因此没有执行。",
    ),
    "tag-unclosed.hint": ("Did you mean {reading}?", "Meinten Sie {reading}?", "您是否想写 {reading}？"),
    "tag-damaged": (
        "The tag '{name}' is damaged: its end or a quotation mark is missing. It was not carried out.",
        "Das Tag „{name}“ ist beschädigt: Das Ende oder ein Anführungszeichen fehlt. Es wurde nicht ausgeführt.",
        "标签“{name}”已损坏：缺少结尾或引号，因此没有执行。",
    ),
    "tag-damaged.hint": ("Did you mean {reading}?", "Meinten Sie {reading}?", "您是否想写 {reading}？"),
    "tag-closing-without-opening": (
        "The tag '{name}' is closed here but was not opened before.",
        "Das Tag „{name}“ wird hier geschlossen, wurde aber vorher nicht geöffnet.",
        "标签“{name}”在此处关闭，但之前没有打开。",
    ),
    "tag-duplicate-attribute": (
        "The attribute '{key}' of '{name}' is given more than once; the last one counts.",
        "Das Attribut „{key}“ von „{name}“ ist mehrfach angegeben; das letzte zählt.",
        "“{name}”的属性“{key}”出现多次，以最后一个为准。",
    ),
    "tag-nested-too-deeply": (
        "Too many blocks are nested inside this '{name}'; it was not carried out.",
        "In diesem „{name}“ sind zu viele Blöcke verschachtelt; es wurde nicht ausgeführt.",
        "此“{name}”内嵌套的块过多，因此没有执行。",
    ),
    "tag-code-fence-unclosed": (
        "This code fence is never closed, so the tags behind it are text.",
        "Dieser Codeblock wird nie geschlossen; die Tags dahinter gelten als Text.",
        "此代码围栏从未关闭，其后的标签均视为文本。",
    ),
    # What is wrong with a definition.
    "tag-definition-wrong": (
        "The definition of the tag '{tag}' is wrong: '{value}' cannot be its {field}.",
        "Die Definition des Tags „{tag}“ ist falsch: „{value}“ kann nicht {field} sein.",
        "标签“{tag}”的定义有误：“{value}”不能作为 {field}。",
    ),
    "tag-pattern-unsupported": (
        "The pattern {pattern} of the tag '{tag}' is not one of a tag.",
        "Das Muster {pattern} des Tags „{tag}“ beschreibt kein Tag.",
        "标签“{tag}”的模式 {pattern} 不是标签的写法。",
    ),
    "tag-pattern-unsupported.hint": (
        r"Write it as {{{{<word\s+([^>]*)\s*\/>}}}} or {{{{<word>}}}}([\s\S]*?){{{{<\/word>}}}}.",
        r"Schreiben Sie es als {{{{<wort\s+([^>]*)\s*\/>}}}} oder {{{{<wort>}}}}([\s\S]*?){{{{<\/wort>}}}}.",
        r"请写成 {{{{<word\s+([^>]*)\s*\/>}}}} 或 {{{{<word>}}}}([\s\S]*?){{{{<\/word>}}}}。",
    ),
    "tag-word-taken": (
        "The tag '{tag}' cannot be written as '{word}': '{other}' already is.",
        "Das Tag „{tag}“ kann nicht „{word}“ heißen: So heißt schon „{other}“.",
        "标签“{tag}”不能写作“{word}”：它已被“{other}”使用。",
    ),
    "tag-tool-unknown": (
        "There is no tag with the id '{tag}'.",
        "Es gibt kein Tag mit der Kennung „{tag}“.",
        "没有标识为“{tag}”的标签。",
    ),
    # What is wrong with one call.
    "tag-attribute-missing": (
        "'{tag}' needs the attribute '{attribute}'.",
        "„{tag}“ braucht das Attribut „{attribute}“.",
        "“{tag}”需要属性“{attribute}”。",
    ),
    "tag-attribute-unknown": (
        "'{tag}' does not know the attribute '{attribute}'.",
        "„{tag}“ kennt das Attribut „{attribute}“ nicht.",
        "“{tag}”没有属性“{attribute}”。",
    ),
    "tag-attribute-wrong-type": (
        "The attribute '{attribute}' of '{tag}' must be of the type {type}, not '{value}'.",
        "Das Attribut „{attribute}“ von „{tag}“ muss vom Typ {type} sein, nicht „{value}“.",
        "“{tag}”的属性“{attribute}”必须是 {type} 类型，而不是“{value}”。",
    ),
    "tag-attribute-not-allowed": (
        "The attribute '{attribute}' of '{tag}' cannot be '{value}'. Possible: {values}.",
        "Das Attribut „{attribute}“ von „{tag}“ kann nicht „{value}“ sein. Möglich: {values}.",
        "“{tag}”的属性“{attribute}”不能是“{value}”。可用值：{values}。",
    ),
    "tag-attribute-replaced": (
        "The attribute '{attribute}' of '{tag}' cannot be '{value}'; '{default}' is taken instead.",
        "Das Attribut „{attribute}“ von „{tag}“ kann nicht „{value}“ sein; stattdessen gilt „{default}“.",
        "“{tag}”的属性“{attribute}”不能是“{value}”，改用“{default}”。",
    ),
    "tag-attribute-replaced.stored": (
        "'{attribute}' of '{tag}' cannot be '{value}'; a new entry gets '{default}', an existing one keeps its own.",
        "„{attribute}“ von „{tag}“ kann nicht „{value}“ sein; neu gilt „{default}“, ein vorhandener Eintrag bleibt so.",
        "“{tag}”的属性“{attribute}”不能是“{value}”；新条目改用“{default}”，已有条目保持原值。",
    ),
    "tag-attribute-replaced.kept": (
        "The attribute '{attribute}' of '{tag}' cannot be '{value}'; it stays '{kept}'. Possible: {values}.",
        "Das Attribut „{attribute}“ von „{tag}“ kann nicht „{value}“ sein; es bleibt „{kept}“. Möglich: {values}.",
        "“{tag}”的属性“{attribute}”不能是“{value}”，仍为“{kept}”。可用值：{values}。",
    ),
    "tag-identifier-invalid": (
        "'{value}' is no identifier: letters, digits, '_' and '-' are possible, at most 200 characters.",
        "„{value}“ ist keine Kennung: möglich sind Buchstaben, Ziffern, „_“ und „-“, höchstens 200 Zeichen.",
        "“{value}”不是有效标识符：只能使用字母、数字、“_”和“-”，最多 200 个字符。",
    ),
    "tag-attribute-twice": (
        "The attribute '{attribute}' of '{tag}' is given under two names; the last one counts.",
        "Das Attribut „{attribute}“ von „{tag}“ ist unter zwei Namen angegeben; das letzte zählt.",
        "“{tag}”的属性“{attribute}”以两个名称给出，以最后一个为准。",
    ),
    "tag-content-missing": (
        "'{tag}' needs content between its opening and its closing tag.",
        "„{tag}“ braucht Inhalt zwischen öffnendem und schließendem Tag.",
        "“{tag}”的起始标签和结束标签之间需要内容。",
    ),
    "tag-content-too-long": (
        "'{attribute}' of '{tag}' has {length} characters; at most {limit} are possible.",
        "„{attribute}“ von „{tag}“ hat {length} Zeichen; möglich sind höchstens {limit}.",
        "“{tag}”的“{attribute}”有 {length} 个字符，最多允许 {limit} 个。",
    ),
    "tag-content-ignored": (
        "'{tag}' takes no content; what stands inside it was left out.",
        "„{tag}“ nimmt keinen Inhalt an; was darin steht, wurde weggelassen.",
        "“{tag}”不接受内容，其中的文字已忽略。",
    ),
    "tag-content-twice": (
        "'{tag}' has content inside it and as an attribute; what stands inside counts.",
        "„{tag}“ hat Inhalt im Block und als Attribut; es zählt der im Block.",
        "“{tag}”同时在标签内和属性中给出内容，以标签内的为准。",
    ),
    "tag-dangerous-markup": (
        "'{attribute}' of '{tag}' contains '{found}'; it is shown as plain text only.",
        "„{attribute}“ von „{tag}“ enthält „{found}“; es wird nur als einfacher Text gezeigt.",
        "“{tag}”的“{attribute}”包含“{found}”，只会以纯文本显示。",
    ),
    "tag-validator-refused": ("{reason}", "{reason}", "{reason}"),
    "tag-validator-failed": (
        "A validator of '{tag}' failed: {reason}",
        "Eine Prüfung von „{tag}“ ist fehlgeschlagen: {reason}",
        "“{tag}”的校验器出错：{reason}",
    ),
    # References to the data vault.
    "vault-reference-missing": (
        "The data vault has no entry '{id}'.",
        "Der Datenspeicher hat keinen Eintrag „{id}“.",
        "数据保险库中没有条目“{id}”。",
    ),
    "vault-reference-unclosed": (
        "The reference to '{id}' lacks its slash, so it was left as it is: {{{{<vaultref id=\"{id}\" />}}}}.",
        'Im Verweis auf „{id}“ fehlt der Schrägstrich; er blieb stehen, wie er ist: {{{{<vaultref id="{id}" />}}}}.',
        '对“{id}”的引用缺少斜杠，因此原样保留：{{{{<vaultref id="{id}" />}}}}。',
    ),
    "vault-reference-cycle": (
        "The entries refer to each other without end: {path}.",
        "Die Einträge verweisen endlos aufeinander: {path}.",
        "条目之间循环引用：{path}。",
    ),
    "vault-reference-too-deep": (
        "The reference to '{id}' is nested deeper than {limit} levels and stays as it is.",
        "Der Verweis auf „{id}“ ist tiefer als {limit} Ebenen verschachtelt und bleibt stehen.",
        "对“{id}”的引用嵌套超过 {limit} 层，保持原样。",
    ),
    "vault-reference-too-large": (
        "The result would have more than {limit} characters; the reference to '{id}' stays as it is.",
        "Das Ergebnis hätte mehr als {limit} Zeichen; der Verweis auf „{id}“ bleibt stehen.",
        "结果将超过 {limit} 个字符，对“{id}”的引用保持原样。",
    ),
    "vault-reference-without-id": (
        "A reference to the data vault needs an id.",
        "Ein Verweis auf den Datenspeicher braucht eine id.",
        "对数据保险库的引用需要 id。",
    ),
    "vault-reference-failed": (
        "The entry '{id}' could not be read: {reason}",
        "Der Eintrag „{id}“ konnte nicht gelesen werden: {reason}",
        "无法读取条目“{id}”：{reason}",
    ),
}
