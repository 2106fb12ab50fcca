"""What can be wrong with the arguments of a call, and with calls in a model's text (tags)."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # --- arguments
    "invalid-arguments": ("{problems}", "{problems}", "{problems}"),
    "invalid-arguments.hint": (
        "What {tool} wants: paper show {tool!q}",
        "Was {tool} verlangt: paper show {tool!q}",
        "{tool} 需要什么：paper show {tool!q}",
    ),
    "invalid-arguments.missing.hint": (
        "Example: paper run {tool!q} {example}",
        "Beispiel: paper run {tool!q} {example}",
        "示例：paper run {tool!q} {example}",
    ),
    "invalid-arguments.list.hint": (
        'Write -p {name}=\'["a", "b"]\', or -p {name}=a -p {name}=b',
        'Schreiben Sie -p {name}=\'["a", "b"]\' oder -p {name}=a -p {name}=b',
        '请写 -p {name}=\'["a", "b"]\'，或 -p {name}=a -p {name}=b',
    ),
    "argument-missing": (
        "'{parameter}' is missing.",
        "Parameter '{parameter}' ist Pflichtfeld",
        "缺少 “{parameter}”。",
    ),
    "argument-missing.slip": (
        "'{parameter}' is missing; is it meant by '{given}'?",
        "„{parameter}“ fehlt; ist „{given}“ damit gemeint?",
        "缺少 “{parameter}”；“{given}” 是否指它？",
    ),
    "argument-unknown": (
        "There is no parameter '{parameter}'.",
        "Es gibt keinen Parameter „{parameter}“.",
        "没有参数 “{parameter}”。",
    ),
    "argument-unknown.near": (
        "There is no parameter '{parameter}'. Did you mean '{near}'?",
        "Es gibt keinen Parameter „{parameter}“. Meinten Sie „{near}“?",
        "没有参数 “{parameter}”。您是指 “{near}” 吗？",
    ),
    "argument-type": (
        "'{parameter}' must be one of these types: {kind}.",
        "„{parameter}“ muss von einem dieser Typen sein: {kind}.",
        "“{parameter}” 必须是以下类型之一：{kind}。",
    ),
    "argument-type.string": (
        "'{parameter}' must be a text.",
        "„{parameter}“ muss ein Text sein.",
        "“{parameter}” 必须是文本。",
    ),
    "argument-type.number": (
        "'{parameter}' must be a number such as 1.5.",
        "„{parameter}“ muss eine Zahl sein, mit Punkt: 1.5",
        "“{parameter}” 必须是数字，例如 1.5。",
    ),
    "argument-type.integer": (
        "'{parameter}' must be a whole number such as 3.",
        "„{parameter}“ muss eine ganze Zahl sein, zum Beispiel 3.",
        "“{parameter}” 必须是整数，例如 3。",
    ),
    "argument-type.boolean": (
        "'{parameter}' must be true or false.",
        "„{parameter}“ muss true oder false sein.",
        "“{parameter}” 必须是 true 或 false。",
    ),
    "argument-type.array": (
        "'{parameter}' must be a list.",
        "„{parameter}“ muss eine Liste sein.",
        "“{parameter}” 必须是列表。",
    ),
    "argument-type.object": (
        '\'{parameter}\' must be an object such as {{"name": "value"}}.',
        '„{parameter}“ muss ein Objekt sein, zum Beispiel {{"name": "wert"}}.',
        '“{parameter}” 必须是对象，例如 {{"name": "value"}}。',
    ),
    "argument-type.null": (
        "'{parameter}' must be null.",
        "„{parameter}“ muss null sein.",
        "“{parameter}” 必须是 null。",
    ),
    "argument-refused": (
        "'{parameter}': {reason}",
        "„{parameter}“: {reason}",
        "“{parameter}”：{reason}",
    ),
    "argument-not-json": (
        "'{parameter}' is no JSON value, or nested more than {limit} levels deep.",
        "„{parameter}“ ist kein JSON-Wert oder mehr als {limit} Ebenen tief verschachtelt.",
        "“{parameter}” 不是 JSON 值，或嵌套超过 {limit} 层。",
    ),
    "argument-rule": (
        "'{parameter}': {reason}.",
        "„{parameter}“: {reason}.",
        "“{parameter}”：{reason}。",
    ),
    "argument-rule.enum": (
        "'{parameter}' must be one of: {limit}.",
        "„{parameter}“ muss eines davon sein: {limit}.",
        "“{parameter}” 必须是以下之一：{limit}。",
    ),
    "argument-rule.minimum": (
        "'{parameter}' must be at least {limit}.",
        "„{parameter}“ muss mindestens {limit} sein.",
        "“{parameter}” 不得小于 {limit}。",
    ),
    "argument-rule.maximum": (
        "'{parameter}' must be at most {limit}.",
        "„{parameter}“ darf höchstens {limit} sein.",
        "“{parameter}” 不得大于 {limit}。",
    ),
    "argument-rule.minLength": (
        "'{parameter}' must have a length of at least {limit}.",
        "„{parameter}“ muss mindestens {limit} Zeichen haben.",
        "“{parameter}” 至少需要 {limit} 个字符。",
    ),
    "argument-rule.maxLength": (
        "'{parameter}' may have a length of at most {limit}.",
        "„{parameter}“ darf höchstens {limit} Zeichen haben.",
        "“{parameter}” 最多 {limit} 个字符。",
    ),
    "argument-rule.pattern": (
        "'{parameter}' does not match the pattern {limit}.",
        "„{parameter}“ passt nicht zum Muster {limit}.",
        "“{parameter}” 不符合模式 {limit}。",
    ),
    "argument-rule.pattern-given": (
        "'{parameter}' does not match the pattern {limit}; '{given}' was given.",
        "„{parameter}“ passt nicht zum Muster {limit}; angegeben ist „{given}“.",
        "“{parameter}” 不符合模式 {limit}；给出的是 “{given}”。",
    ),
    "argument-rule.format-date": (
        "'{parameter}' must be a date such as 2026-12-01.",
        "„{parameter}“ muss ein Datum sein, zum Beispiel 2026-12-01.",
        "“{parameter}” 必须是日期，例如 2026-12-01。",
    ),
    "argument-rule.format-time": (
        "'{parameter}' must be a time such as 18:30:00Z.",
        "„{parameter}“ muss eine Uhrzeit sein, zum Beispiel 18:30:00Z.",
        "“{parameter}” 必须是时间，例如 18:30:00Z。",
    ),
    "argument-rule.format-date-time": (
        "'{parameter}' must be a date with a time such as 2026-12-01T18:30:00Z.",
        "„{parameter}“ muss ein Datum mit Uhrzeit sein, zum Beispiel 2026-12-01T18:30:00Z.",
        "“{parameter}” 必须是日期和时间，例如 2026-12-01T18:30:00Z。",
    ),
    "argument-rule.format-email": (
        "'{parameter}' must be an e-mail address such as ann@example.org.",
        "„{parameter}“ muss eine E-Mail-Adresse sein, zum Beispiel ann@example.org.",
        "“{parameter}” 必须是电子邮件地址，例如 ann@example.org。",
    ),
    "argument-rule.format-uri": (
        "'{parameter}' must be an address such as https://example.org.",
        "„{parameter}“ muss eine Adresse sein, zum Beispiel https://example.org.",
        "“{parameter}” 必须是网址，例如 https://example.org。",
    ),
    "argument-rule.format": (
        "'{parameter}' is not a valid {limit}.",
        "„{parameter}“ ist kein gültiger Wert der Form {limit}.",
        "“{parameter}” 不是有效的 {limit}。",
    ),
    "argument-rule.exclusiveMinimum": (
        "'{parameter}' must be greater than {limit}.",
        "„{parameter}“ muss größer als {limit} sein.",
        "“{parameter}” 必须大于 {limit}。",
    ),
    "argument-rule.exclusiveMaximum": (
        "'{parameter}' must be less than {limit}.",
        "„{parameter}“ muss kleiner als {limit} sein.",
        "“{parameter}” 必须小于 {limit}。",
    ),
    "argument-rule.multipleOf": (
        "'{parameter}' must be a multiple of {limit}.",
        "„{parameter}“ muss ein Vielfaches von {limit} sein.",
        "“{parameter}” 必须是 {limit} 的倍数。",
    ),
    "argument-rule.const": (
        "'{parameter}' can only be: {limit}.",
        "„{parameter}“ kann nur dies sein: {limit}.",
        "“{parameter}” 只能是：{limit}。",
    ),
    "argument-rule.minItems": (
        "'{parameter}' has too few elements; at least: {limit}.",
        "„{parameter}“ hat zu wenige Elemente; mindestens: {limit}.",
        "“{parameter}” 的元素太少；至少：{limit}。",
    ),
    "argument-rule.maxItems": (
        "'{parameter}' has too many elements; at most: {limit}.",
        "„{parameter}“ hat zu viele Elemente; höchstens: {limit}.",
        "“{parameter}” 的元素太多；最多：{limit}。",
    ),
    "argument-rule.uniqueItems": (
        "'{parameter}' has the same element twice.",
        "„{parameter}“ enthält ein Element doppelt.",
        "“{parameter}” 含有重复的元素。",
    ),
    "argument-rule.minProperties": (
        "'{parameter}' has too few members; at least: {limit}.",
        "„{parameter}“ hat zu wenige Felder; mindestens: {limit}.",
        "“{parameter}” 的字段太少；至少：{limit}。",
    ),
    "argument-rule.maxProperties": (
        "'{parameter}' has too many members; at most: {limit}.",
        "„{parameter}“ hat zu viele Felder; höchstens: {limit}.",
        "“{parameter}” 的字段太多；最多：{limit}。",
    ),
    "argument-rule.additionalProperties": (
        "'{parameter}' may not have these members: {names}.",
        "„{parameter}“ darf diese Felder nicht haben: {names}.",
        "“{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.no-members": (
        "'{parameter}' may not have any members.",
        "„{parameter}“ darf keine Felder haben.",
        "“{parameter}” 不能有任何字段。",
    ),
    "argument-rule.unevaluatedProperties": (
        "'{parameter}' may not have these members: {names}.",
        "„{parameter}“ darf diese Felder nicht haben: {names}.",
        "“{parameter}” 不能有这些字段：{names}。",
    ),
    "argument-rule.propertyNames": (
        "'{parameter}' has a member whose name is not allowed: {names}.",
        "„{parameter}“ hat ein Feld, dessen Name nicht erlaubt ist: {names}.",
        "“{parameter}” 有字段的名称不被允许：{names}。",
    ),
    "argument-rule.not-allowed": (
        "'{parameter}' may not be given.",
        "„{parameter}“ darf nicht angegeben werden.",
        "不能给出 “{parameter}”。",
    ),
    "argument-rule.unevaluatedItems": (
        "'{parameter}' has too many elements.",
        "„{parameter}“ hat zu viele Elemente.",
        "“{parameter}” 的元素太多。",
    ),
    "argument-rule.oneOf": (
        "'{parameter}' has none of the forms it may have.",
        "„{parameter}“ entspricht keiner der möglichen Formen.",
        "“{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.anyOf": (
        "'{parameter}' has none of the forms it may have.",
        "„{parameter}“ entspricht keiner der möglichen Formen.",
        "“{parameter}” 不符合任何一种允许的形式。",
    ),
    "argument-rule.oneOf-several": (
        "'{parameter}' has several of the forms of which it may have just one.",
        "„{parameter}“ entspricht mehreren Formen, von denen nur eine zutreffen darf.",
        "“{parameter}” 同时符合多种形式，而只能符合其中一种。",
    ),
    "argument-rule.not": (
        "'{parameter}' has a value that is not allowed.",
        "„{parameter}“ hat einen Wert, der nicht erlaubt ist.",
        "“{parameter}” 的值不被允许。",
    ),
    "argument-rule.contains": (
        "'{parameter}' lacks an element of the kind that must be in it.",
        "„{parameter}“ fehlt ein Element der verlangten Art.",
        "“{parameter}” 缺少所要求的元素。",
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
        "'{attribute}' of '{tag}' has {length} {length:character|characters}; at most {limit} are possible.",
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
