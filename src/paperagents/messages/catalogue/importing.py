"""Sentences of ``paper import``, and those that imported notes have in their text."""

TEXTS = {
    "cli.import": (
        "Make tools of what other systems describe.",
        "Tools aus den Beschreibungen anderer Systeme machen.",
        "根据其他系统的描述创建工具。",
    ),
    "cli.import.openapi": (
        "Write one tool note for each operation of an OpenAPI document.",
        "Zu jeder Operation eines OpenAPI-Dokuments eine Tool-Notiz schreiben.",
        "为 OpenAPI 文档中的每个操作写一个工具笔记。",
    ),
    "cli.import.only": (
        "Only operations whose id or path fits the pattern, such as 'issues/*' or '/orders*'. May be repeated.",
        "Nur Operationen, deren Id oder Pfad zum Muster passt, etwa 'issues/*' oder '/orders*'. Mehrfach möglich.",
        "只导入 id 或路径符合该模式的操作，例如 'issues/*' 或 '/orders*'。可重复使用。",
    ),
    "cli.import.tag": (
        "Only operations with this tag of the document. May be repeated.",
        "Nur Operationen mit diesem Schlagwort des Dokuments. Mehrfach möglich.",
        "只导入文档中带有此标签的操作。可重复使用。",
    ),
    "cli.import.method": (
        "Only operations with this method, such as get. May be repeated.",
        "Nur Operationen mit dieser Methode, etwa get. Mehrfach möglich.",
        "只导入使用此方法的操作，例如 get。可重复使用。",
    ),
    "cli.import.folder": (
        "The folder of the vault to write to; else tools/SERVICE.",
        "Der Ordner des Vaults, in den geschrieben wird; sonst tools/DIENST.",
        "写入仓库中的文件夹；默认为 tools/服务名。",
    ),
    "cli.import.server": (
        "The address of the service, instead of the described one.",
        "Die Adresse des Dienstes anstelle der beschriebenen.",
        "服务的地址，代替描述中的地址。",
    ),
    "cli.import.variable": (
        "A variable of the service's address, such as region=eu. May be repeated.",
        "Eine Variable in der Adresse des Dienstes, etwa region=eu. Mehrfach möglich.",
        "服务地址中的变量，例如 region=eu。可重复使用。",
    ),
    "cli.import.summary": (
        "Tools of {service} written: {count}.",
        "Geschriebene Tools von {service}: {count}.",
        "已写入 {service} 的 {count} 个工具。",
    ),
    "cli.import.secret": (
        "They need a key. Set it once for all of them: paper env --service {host} {name}",
        "Sie brauchen einen Schlüssel. Einmal für alle setzen: paper env --service {host} {name}",
        "这些工具需要密钥。一次设置即可全部使用：paper env --service {host} {name}",
    ),
    "not-openapi": (
        "This is no OpenAPI document in JSON or YAML.",
        "Das ist kein OpenAPI-Dokument in JSON oder YAML.",
        "这不是 JSON 或 YAML 格式的 OpenAPI 文档。",
    ),
    "not-openapi.syntax": (
        "This is neither JSON nor YAML: line {line}, column {column}: {reason}",
        "Das ist weder JSON noch YAML: Zeile {line}, Spalte {column}: {reason}",
        "这既不是 JSON 也不是 YAML：第 {line} 行，第 {column} 列：{reason}",
    ),
    "not-openapi.version": (
        "Only OpenAPI 3 can be read, not '{version}'.",
        "Lesbar ist nur OpenAPI 3, nicht „{version}“.",
        "只能读取 OpenAPI 3，不支持 “{version}”。",
    ),
    "not-openapi.paths": (
        "This OpenAPI document describes no operations: it has no 'paths'.",
        "Dieses OpenAPI-Dokument beschreibt keine Operationen: „paths“ fehlt.",
        "此 OpenAPI 文档没有描述任何操作：缺少 “paths”。",
    ),
    "not-openapi.large": (
        "The document is too large: at most {limit} million characters can be read.",
        "Das Dokument ist zu groß: Lesbar sind höchstens {limit} Millionen Zeichen.",
        "文档过大：最多可读取 {limit} 百万个字符。",
    ),
    "openapi-nothing-chosen": (
        "None of the {count} {count:operation|operations} fits --only, --tag and --method.",
        "Von {count} {count:Operation|Operationen} passt keine zu --only, --tag und --method.",
        "{count} 个操作中没有一个符合 --only、--tag 和 --method。",
    ),
    "openapi-nothing-chosen.hint": (
        "Patterns are compared with ids and whole paths: --only 'issues/*', --only '/users/*'.",
        "Muster werden mit Ids und ganzen Pfaden verglichen: --only 'issues/*', --only '/users/*'.",
        "模式与 id 和完整路径比较：--only 'issues/*'、--only '/users/*'。",
    ),
    "openapi-nothing-chosen.tags.hint": (
        "Its tags: {tags}.",
        "Seine Schlagwörter: {tags}.",
        "文档的标签：{tags}。",
    ),
    "openapi-variable": (
        "The variable '{name}' of the address cannot be '{value}', only: {options}.",
        "Die Variable „{name}“ der Adresse kann nicht „{value}“ sein, nur: {options}.",
        "地址变量 “{name}” 不能是 “{value}”，只能是：{options}。",
    ),
    "openapi-without-server": (
        "The document does not say where the service is.",
        "Das Dokument sagt nicht, wo der Dienst zu finden ist.",
        "文档没有说明服务的地址。",
    ),
    "openapi-without-server.hint": (
        "Say it with --server URL.",
        "Nennen Sie ihn mit --server URL.",
        "请用 --server URL 指定。",
    ),
    "openapi-not-fetched": (
        "{url} could not be fetched: {reason}",
        "{url} ließ sich nicht abrufen: {reason}",
        "无法获取 {url}：{reason}",
    ),
    # --- in the notes
    "openapi.key": (
        "Key for {service}",
        "Schlüssel für {service}",
        "{service} 的密钥",
    ),
    "openapi.basic": (
        "Login for {service}, as name:password",
        "Anmeldung bei {service}, als Name:Passwort",
        "{service} 的登录信息，格式为 用户名:密码",
    ),
    "openapi.lost": (
        "What this note could not take over from the OpenAPI document:",
        "Was diese Notiz aus dem OpenAPI-Dokument nicht übernehmen konnte:",
        "此笔记未能从 OpenAPI 文档中继承的内容：",
    ),
    "openapi.lost.depth": (
        "Below {what} levels, values are not checked: the schema is too large to be written out.",
        "Unterhalb von {what} Ebenen werden Werte nicht geprüft: Das Schema ist zu groß, um es auszuschreiben.",
        "{what} 层以下的值不作检查：模式过大，无法完整写出。",
    ),
    "openapi.lost.rounds": (
        "{what} contains itself: values deeper inside it are not checked.",
        "{what} enthält sich selbst: Werte weiter innen werden nicht geprüft.",
        "{what} 包含自身：更深处的值不作检查。",
    ),
    "openapi.lost.reference": (
        "The reference {what} leads out of the document or nowhere: any value is taken there.",
        "Der Verweis {what} führt aus dem Dokument hinaus oder ins Leere: Dort gilt jeder Wert.",
        "引用 {what} 指向文档之外或不存在的位置：该处接受任何值。",
    ),
    "openapi.lost.keyword": (
        "A {what} that is no JSON Schema is left out.",
        "Ein {what}, das kein JSON Schema ist, wurde weggelassen.",
        "不符合 JSON Schema 的 {what} 已省略。",
    ),
    "openapi.lost.parameter": (
        "The parameter {what} has a name that tools cannot have.",
        "Der Parameter {what} hat einen Namen, den Tools nicht haben können.",
        "参数 {what} 的名称不能用于工具。",
    ),
    "openapi.lost.body": (
        "A body of the type {what} is given as text and sent as it is: its schema is not checked.",
        "Ein Inhalt vom Typ {what} wird als Text angegeben und unverändert gesendet: Sein Schema wird nicht geprüft.",
        "{what} 类型的请求体以文本形式给出并原样发送：不检查其模式。",
    ),
    "openapi.lost.other-body": (
        "The body could also be of the type {what}.",
        "Der Inhalt könnte auch vom Typ {what} sein.",
        "请求体也可以是 {what} 类型。",
    ),
    "openapi.lost.file": (
        "The file {what} is sent as text: bytes that are no text cannot be sent.",
        "Die Datei {what} wird als Text gesendet: Bytes, die kein Text sind, lassen sich nicht senden.",
        "文件 {what} 以文本形式发送：无法发送非文本的字节。",
    ),
    "openapi.lost.callback": (
        "The service answers later by a call of its own ({what}); a tool cannot be called.",
        "Der Dienst antwortet später durch einen eigenen Aufruf ({what}); ein Tool kann nicht aufgerufen werden.",
        "该服务稍后会自行回调（{what}）；工具无法被回调。",
    ),
    "openapi.lost.deprecated": (
        "The document calls this operation outdated ({what}).",
        "Das Dokument bezeichnet diese Operation als veraltet ({what}).",
        "文档将此操作标为已过时（{what}）。",
    ),
    "openapi.lost.login": (
        "A tool does not log in: the key is a token that you have got from the service by {what}.",
        "Ein Tool meldet sich nicht an: Der Schlüssel ist ein Token, das Sie sich beim Dienst über {what} holen.",
        "工具不会登录：密钥是您通过 {what} 从该服务取得的令牌。",
    ),
    "openapi.lost.security": (
        "The service wants to know who calls, in a way that tools do not have: {what}.",
        "Der Dienst verlangt eine Anmeldung, die Tools nicht beherrschen: {what}.",
        "该服务要求的身份验证方式不受工具支持：{what}。",
    ),
}
