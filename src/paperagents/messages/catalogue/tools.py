"""What the built-in tools cannot do, and why: files, requests, search, and what the operating system says."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # Files
    "path-invalid": (
        "{path} cannot be the name of a file.",
        "{path} kann kein Dateiname sein.",
        "{path} 不能作为文件名。",
    ),
    "path-outside-vault": (
        "'{path}' leads out of the vault.",
        "„{path}“ führt aus dem Vault hinaus.",
        "“{path}” 指向了库之外的位置。",
    ),
    "path-outside-vault.hint": (
        "Write the path from the top of the vault, without '..'.",
        "Schreibe den Pfad vom Anfang des Vaults aus, ohne „..“.",
        "请从库的顶层开始书写路径，不要使用 “..”。",
    ),
    "path-forbidden": (
        "'{path}' belongs to Paper Agents itself and is closed to tools.",
        "„{path}“ gehört Paper Agents selbst und ist für Tools gesperrt.",
        "“{path}” 属于 Paper Agents 自身，工具不能访问。",
    ),
    "path-hidden": (
        "'{path}' is hidden: it belongs to another program, and tools do not write there.",
        "„{path}“ ist versteckt: Es gehört einem anderen Programm, Tools schreiben dort nicht.",
        "“{path}” 是隐藏的，属于其他程序，工具不会写入。",
    ),
    "path-hidden.hint": (
        "Choose a path in which no name starts with a dot.",
        "Wähle einen Pfad, in dem kein Name mit einem Punkt beginnt.",
        "请选择各级名称都不以点号开头的路径。",
    ),
    "path-through-link": (
        "'{path}' is a link to '{real}', and nothing is written through links here.",
        "„{path}“ ist eine Verknüpfung auf „{real}“, und durch Verknüpfungen wird hier nicht geschrieben.",
        "“{path}” 是指向 “{real}” 的链接，此处不会通过链接写入。",
    ),
    "path-through-link.hint": (
        "Write to '{real}' itself.",
        "Schreibe direkt nach „{real}“.",
        "请直接写入 “{real}”。",
    ),
    # what stands at a path
    "not-a-file": (
        "'{path}' is not a file that can be read or written as text.",
        "„{path}“ ist keine Datei, die als Text gelesen oder geschrieben werden kann.",
        "“{path}” 不是可以按文本读写的文件。",
    ),
    "not-a-folder": (
        "A part of '{path}' that should be a folder is a file.",
        "Ein Teil von „{path}“, der ein Ordner sein müsste, ist eine Datei.",
        "“{path}” 中应为文件夹的一部分其实是文件。",
    ),
    "file-not-found": (
        "There is no file '{path}'. Closest: {closest}",
        "Es gibt keine Datei „{path}“. Am nächsten: {closest}",
        "没有文件 “{path}”。最接近的：{closest}",
    ),
    "file-not-found.alone": (
        "There is no file '{path}'. None has a similar name.",
        "Es gibt keine Datei „{path}“. Keine hat einen ähnlichen Namen.",
        "没有文件 “{path}”。也没有名称相似的文件。",
    ),
    "file-not-found.reference": (
        "There is no file '{path}'. Did you mean \"{{{{{meant}}}}}\"?",
        'Es gibt keine Datei „{path}“. Meinten Sie "{{{{{meant}}}}}"?',
        '没有文件 “{path}”。您是指 "{{{{{meant}}}}}" 吗？',
    ),
    "folder-not-found": (
        "There is no folder '{path}'. Closest: {closest}",
        "Es gibt keinen Ordner „{path}“. Am nächsten: {closest}",
        "没有文件夹 “{path}”。最接近的：{closest}",
    ),
    "folder-not-found.alone": (
        "There is no folder '{path}'. None has a similar name.",
        "Es gibt keinen Ordner „{path}“. Keiner hat einen ähnlichen Namen.",
        "没有文件夹 “{path}”。也没有名称相似的文件夹。",
    ),
    # writing
    "file-exists": (
        "The file '{path}' exists already and was not changed.",
        "Die Datei „{path}“ gibt es schon, sie wurde nicht geändert.",
        "文件 “{path}” 已存在，未作更改。",
    ),
    "file-exists.hint": (
        "Set overwrite to true to replace it, or append to true to add to it.",
        "Mit overwrite: true wird sie ersetzt, mit append: true ergänzt.",
        "将 overwrite 设为 true 可替换它，将 append 设为 true 可追加内容。",
    ),
    "file-changed": (
        "The file '{path}' has changed since the change was agreed on; nothing was written.",
        "Die Datei „{path}“ hat sich seit der Zustimmung geändert; es wurde nichts geschrieben.",
        "文件 “{path}” 在批准之后已发生变化，未写入任何内容。",
    ),
    "file-busy": (
        "The file '{path}' is being written by somebody else.",
        "Die Datei „{path}“ wird gerade von jemand anderem geschrieben.",
        "文件 “{path}” 正在被其他程序写入。",
    ),
    "file-busy.hint": (
        "Try again in a moment.",
        "Versuche es gleich noch einmal.",
        "请稍后再试。",
    ),
    "file-not-permitted": (
        "The system does not permit this with '{path}'.",
        "Das System erlaubt dies bei „{path}“ nicht.",
        "系统不允许对 “{path}” 执行此操作。",
    ),
    "file-failed": (
        "The file '{path}' could not be read or written: {reason}.",
        "Die Datei „{path}“ konnte nicht gelesen oder geschrieben werden: {reason}.",
        "无法读写文件 “{path}”：{reason}。",
    ),
    "disk-full": (
        "There is no space left for '{path}'; nothing was changed.",
        "Für „{path}“ ist kein Platz mehr; es wurde nichts geändert.",
        "没有空间写入 “{path}”，未作任何更改。",
    ),
    # content
    "not-utf8": (
        "The file '{path}' is not UTF-8 text: byte {position} does not fit.",
        "Die Datei „{path}“ ist kein UTF-8-Text: Byte {position} passt nicht.",
        "文件 “{path}” 不是 UTF-8 文本：第 {position} 个字节无效。",
    ),
    "file-too-large": (
        "'{path}' has {size} bytes; at most {limit} are allowed.",
        "„{path}“ hat {size} Bytes; höchstens {limit} sind erlaubt.",
        "“{path}” 有 {size} 字节，最多允许 {limit} 字节。",
    ),
    "text-not-unicode": (
        "The text for '{path}' holds half a character at position {position} and cannot be written.",
        "Der Text für „{path}“ hat an Stelle {position} ein halbes Zeichen und ist nicht schreibbar.",
        "要写入 “{path}” 的文本在位置 {position} 处含有不完整的字符，无法写入。",
    ),
    # Requests
    "url-invalid": (
        "'{url}' is not a web address: {reason}",
        "„{url}“ ist keine Webadresse: {reason}",
        "“{url}” 不是网址：{reason}",
    ),
    "url-invalid.hint": (
        "Write a full address that starts with http:// or https://.",
        "Schreibe eine vollständige Adresse, die mit http:// oder https:// beginnt.",
        "请填写以 http:// 或 https:// 开头的完整网址。",
    ),
    "url-unreadable": (
        "it cannot be read.",
        "sie ist nicht lesbar.",
        "无法解析。",
    ),
    "url-scheme": (
        "only http and https can be asked.",
        "nur http und https können angefragt werden.",
        "只支持 http 和 https。",
    ),
    "url-host": (
        "the host or the port is missing or wrong.",
        "der Rechnername oder der Port fehlt oder ist falsch.",
        "主机名或端口缺失或有误。",
    ),
    "url-credentials": (
        "The address for '{host}' holds a user name or password.",
        "Die Adresse für „{host}“ enthält einen Benutzernamen oder ein Passwort.",
        "“{host}” 的网址中含有用户名或密码。",
    ),
    "url-credentials.hint": (
        "Send them in an Authorization header.",
        "Sende sie in einer Authorization-Kopfzeile.",
        "请通过 Authorization 请求头发送。",
    ),
    # where a request may go
    "address-forbidden": (
        "'{host}' leads to {address}, which is not on the public internet.",
        "„{host}“ führt zu {address}, das nicht im öffentlichen Internet liegt.",
        "“{host}” 指向 {address}，它不在公共互联网上。",
    ),
    "address-forbidden.hint": (
        "If this is meant, add '{host}' to allowed_hosts in the settings.",
        "Wenn das so gemeint ist, trage „{host}“ in den Einstellungen unter allowed_hosts ein.",
        "如果确实需要，请在设置的 allowed_hosts 中加入 “{host}”。",
    ),
    "host-not-found": (
        "The host '{host}' was not found.",
        "Der Rechner „{host}“ wurde nicht gefunden.",
        "找不到主机 “{host}”。",
    ),
    "connection-failed": (
        "No connection to '{host}': {reason}",
        "Keine Verbindung zu „{host}“: {reason}",
        "无法连接 “{host}”：{reason}",
    ),
    "http-timeout": (
        "'{host}' did not answer completely within {seconds} {seconds:second|seconds}.",
        "„{host}“ hat nicht innerhalb von {seconds} {seconds:Sekunde|Sekunden} vollständig geantwortet.",
        "“{host}” 未能在 {seconds} 秒内完整响应。",
    ),
    "http-protocol": (
        "'{host}' does not answer as a web server should: {reason}",
        "„{host}“ antwortet nicht, wie ein Webserver es soll: {reason}",
        "“{host}” 的响应不符合 HTTP 协议：{reason}",
    ),
    "response-too-large": (
        "The answer of '{host}' is larger than {limit} bytes.",
        "Die Antwort von „{host}“ ist größer als {limit} Bytes.",
        "“{host}” 的响应超过 {limit} 字节。",
    ),
    "too-many-redirects": (
        "'{host}' redirects more than {limit} times.",
        "„{host}“ leitet mehr als {limit}-mal weiter.",
        "“{host}” 的重定向超过 {limit} 次。",
    ),
    "redirect-not-followed": (
        "{method} to '{host}' was answered with {status}, a redirect to {location}; it was not followed.",
        "{method} an „{host}“ wurde mit {status} beantwortet (weiter nach {location}); nicht gefolgt.",
        "对 “{host}” 的 {method} 请求返回 {status}，要求重定向到 {location}，未予跟随。",
    ),
    "redirect-not-followed.hint": (
        "Check the new address and send the request there.",
        "Prüfe die neue Adresse und sende die Anfrage dorthin.",
        "请核对新地址，然后向该地址发送请求。",
    ),
    # what a request may say
    "method-invalid": (
        "{method} is not a request method.",
        "{method} ist keine Anfragemethode.",
        "{method} 不是有效的请求方法。",
    ),
    "method-changing": (
        "{tool} only reads; {method} may change something.",
        "{tool} liest nur; {method} kann etwas verändern.",
        "{tool} 只用于读取，而 {method} 可能造成更改。",
    ),
    "method-changing.hint": (
        "Use rest_request, which asks before it sends.",
        "Nimm rest_request, das vor dem Senden fragt.",
        "请使用 rest_request，它会在发送前征求同意。",
    ),
    "header-invalid": (
        "The header {name} cannot be sent: only one line of text is allowed.",
        "Die Kopfzeile {name} kann nicht gesendet werden: Erlaubt ist nur eine Zeile Text.",
        "无法发送请求头 {name}：只允许单行文本。",
    ),
    "header-forbidden": (
        "The header {name} is set by the program and cannot be chosen.",
        "Die Kopfzeile {name} setzt das Programm; sie kann nicht gewählt werden.",
        "请求头 {name} 由程序设置，不能自行指定。",
    ),
    "body-invalid": (
        "The body cannot be sent: {reason}",
        "Der Inhalt kann nicht gesendet werden: {reason}",
        "无法发送请求内容：{reason}",
    ),
    "body-half-character": (
        "it holds half a character.",
        "er enthält ein halbes Zeichen.",
        "其中含有不完整的字符。",
    ),
    "body-not-json": (
        "it cannot be written as JSON.",
        "er lässt sich nicht als JSON schreiben.",
        "无法写成 JSON。",
    ),
    "body-too-large": (
        "it is larger than {limit} bytes.",
        "er ist größer als {limit} Bytes.",
        "超过 {limit} 字节。",
    ),
    "timeout-invalid": (
        "{timeout} is not a time limit in seconds.",
        "{timeout} ist keine Zeitgrenze in Sekunden.",
        "{timeout} 不是以秒为单位的时限。",
    ),
    # what came back
    "http-status": (
        "'{host}' answered {status} {phrase}.",
        "„{host}“ hat mit {status} {phrase} geantwortet.",
        "“{host}” 返回了 {status} {phrase}。",
    ),
    "answer-not-json": (
        "The answer of '{host}' is not JSON.",
        "Die Antwort von „{host}“ ist kein JSON.",
        "“{host}” 的响应不是 JSON。",
    ),
    "answer-not-json.hint": (
        "Use rest_request to get it as text.",
        "Mit rest_request kommt sie als Text.",
        "请使用 rest_request 以文本形式获取。",
    ),
    # Search
    "query-syntax": (
        "The query cannot be read at column {column}: {problem}",
        "Die Suchanfrage ist ab Spalte {column} nicht lesbar: {problem}",
        "无法解析查询的第 {column} 列：{problem}",
    ),
    "query-open-quote": (
        "the quotation mark is never closed.",
        "das Anführungszeichen wird nicht geschlossen.",
        "引号没有闭合。",
    ),
    "query-open-parenthesis": (
        "the parenthesis is never closed.",
        "die Klammer wird nicht geschlossen.",
        "括号没有闭合。",
    ),
    "query-extra-parenthesis": (
        "there is no parenthesis to close.",
        "es gibt keine Klammer zu schließen.",
        "没有与之对应的左括号。",
    ),
    "query-open-bracket": (
        "the bracket of the property is never closed.",
        "die eckige Klammer der Eigenschaft wird nicht geschlossen.",
        "属性的方括号没有闭合。",
    ),
    "query-empty-property": (
        "a property needs a name.",
        "eine Eigenschaft braucht einen Namen.",
        "属性需要名称。",
    ),
    "query-missing-value": (
        "'{name}:' needs a value directly behind it.",
        "„{name}:“ braucht direkt dahinter einen Wert.",
        "“{name}:” 后面必须紧跟一个值。",
    ),
    "query-missing-operand": (
        "something to search for is missing here.",
        "hier fehlt etwas, das gesucht werden soll.",
        "此处缺少要搜索的内容。",
    ),
    "query-bad-pattern": (
        "the regular expression cannot be used.",
        "der reguläre Ausdruck ist nicht verwendbar.",
        "正则表达式无法使用。",
    ),
    "query-too-deep": (
        "more than {limit} parentheses inside each other.",
        "mehr als {limit} Klammern ineinander.",
        "括号嵌套超过 {limit} 层。",
    ),
    "query-too-many-terms": (
        "more than {limit} things to search for.",
        "mehr als {limit} Suchbegriffe.",
        "搜索项超过 {limit} 个。",
    ),
    "query-too-long": (
        "the query is longer than {limit} characters.",
        "die Suchanfrage ist länger als {limit} Zeichen.",
        "查询超过 {limit} 个字符。",
    ),
    "nothing-found": ("No files found", "Keine Dateien gefunden", "未找到文件"),
    "nothing-found.hint": (
        "Nothing below '{path}' fits the query: {query}",
        "Unterhalb von „{path}“ passt nichts zur Suchanfrage: {query}",
        "在“{path}”之下没有符合查询的文件：{query}",
    ),
    "cli.search.truncated": (
        "{shown} of {count} shown; all: --limit {count}",
        "{shown} von {count} angezeigt; alle: --limit {count}",
        "找到 {count} 个，显示 {shown} 个；全部：--limit {count}",
    ),
    # the index
    "search-timeout": (
        "The search took longer than {seconds} {seconds:second|seconds}.",
        "Die Suche hat länger als {seconds} {seconds:Sekunde|Sekunden} gedauert.",
        "搜索时间超过 {seconds} 秒。",
    ),
    "search-timeout.hint": (
        "Search in a folder, or with a simpler regular expression.",
        "Suche in einem Ordner oder mit einem einfacheren regulären Ausdruck.",
        "请在某个文件夹内搜索，或使用更简单的正则表达式。",
    ),
    "search-index-anew": (
        "Renewing the search index.",
        "Der Suchindex wird erneuert.",
        "正在更新搜索索引。",
    ),
    "cli.search.sort": (
        "What comes first: the best answers, the newest notes, or the alphabet of names or paths.",
        "Was zuerst kommt: die besten Treffer, die neuesten Notizen oder das Alphabet der Namen oder Pfade.",
        "排列顺序：最相关、最近修改、按名称或按路径。",
    ),
    "cli.search.indexing": ("Reading the notes", "Notizen werden gelesen", "正在读取笔记"),
    # --- the operating system; the English sentences are its own
    "system.EACCES": ("Permission denied", "keine Berechtigung", "权限不足"),
    "system.EADDRINUSE": ("Address already in use", "die Adresse ist schon belegt", "地址已被占用"),
    "system.EADDRNOTAVAIL": (
        "Cannot assign requested address",
        "diese Adresse hat der Rechner nicht",
        "本机没有该地址",
    ),
    "system.ECONNREFUSED": ("Connection refused", "die Verbindung wurde abgelehnt", "连接被拒绝"),
    "system.ECONNRESET": (
        "Connection reset by peer",
        "die Gegenseite hat die Verbindung abgebrochen",
        "连接被对方重置",
    ),
    "system.EEXIST": ("File exists", "die Datei gibt es schon", "文件已存在"),
    "system.EHOSTUNREACH": ("No route to host", "der Rechner ist nicht erreichbar", "无法到达主机"),
    "system.EIO": ("Input/output error", "Fehler beim Lesen oder Schreiben", "输入输出错误"),
    "system.EISDIR": ("Is a directory", "das ist ein Ordner", "这是一个文件夹"),
    "system.ELOOP": ("Too many levels of symbolic links", "zu viele Verweise hintereinander", "符号链接层数过多"),
    "system.EMFILE": ("Too many open files", "zu viele offene Dateien", "打开的文件过多"),
    "system.ENAMETOOLONG": ("File name too long", "der Dateiname ist zu lang", "文件名过长"),
    "system.ENETUNREACH": ("Network is unreachable", "das Netz ist nicht erreichbar", "网络不可达"),
    "system.ENOENT": (
        "No such file or directory",
        "diese Datei oder diesen Ordner gibt es nicht",
        "没有该文件或文件夹",
    ),
    "system.ENOSPC": ("No space left on device", "der Speicher ist voll", "磁盘空间不足"),
    "system.ENOTDIR": ("Not a directory", "das ist kein Ordner", "不是文件夹"),
    "system.EPERM": ("Operation not permitted", "das ist nicht erlaubt", "不允许该操作"),
    "system.EROFS": ("Read-only file system", "hier kann nur gelesen werden", "文件系统只读"),
    "system.ETIMEDOUT": ("Connection timed out", "die Verbindung kam nicht rechtzeitig zustande", "连接超时"),
}
