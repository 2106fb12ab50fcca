"""The JavaScript sandbox and npm packages. Keys that start with ``sandbox.`` are parts of other sentences."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "javascript-error": (
        "The JavaScript failed{place}: {error}.{advice}",
        "Das JavaScript ist fehlgeschlagen{place}: {error}.{advice}",
        "JavaScript 出错{place}：{error}。{advice}",
    ),
    "sandbox-syntax": (
        "The JavaScript cannot be read{place}: {error}.{advice}",
        "Das JavaScript ist nicht lesbar{place}: {error}.{advice}",
        "JavaScript 语法有误{place}：{error}。{advice}",
    ),
    "sandbox-timeout": (
        "The JavaScript took longer than {seconds} s and was stopped{place}.",
        "Das JavaScript brauchte länger als {seconds} s und wurde gestoppt{place}.",
        "JavaScript 运行超过 {seconds} 秒，已被停止{place}。",
    ),
    "sandbox-timeout.hint": (
        "Look for a loop that does not end, or work on less data at once.",
        "Suche eine Schleife ohne Ende oder verarbeite weniger Daten auf einmal.",
        "请检查是否有不会结束的循环，或一次处理更少的数据。",
    ),
    "sandbox-memory": (
        "The JavaScript needed more than {memory} MB of memory and was stopped{place}.",
        "Das JavaScript brauchte mehr als {memory} MB Speicher und wurde gestoppt{place}.",
        "JavaScript 使用的内存超过 {memory} MB，已被停止{place}。",
    ),
    "sandbox-output": (
        "The JavaScript returned more than {output} MB or more values than can be taken.",
        "Das JavaScript gab mehr als {output} MB oder mehr Werte zurück, als angenommen werden.",
        "JavaScript 返回的数据超过 {output} MB，或值的数量过多。",
    ),
    "sandbox-output.hint": (
        "Return less, or write the data to a file.",
        "Gib weniger zurück oder schreibe die Daten in eine Datei.",
        "请减少返回的数据，或把数据写入文件。",
    ),
    "sandbox-input": (
        "'{path}' is larger than {limit} MB, too large for one block of JavaScript.",
        "„{path}“ ist größer als {limit} MB, zu groß für einen JavaScript-Block.",
        "“{path}”大于 {limit} MB，超出单个 JavaScript 代码块的上限。",
    ),
    "sandbox-stack": (
        "Functions of the JavaScript called each other too deeply{place}.",
        "Die Funktionen des JavaScripts riefen einander zu tief auf{place}.",
        "JavaScript 函数调用层数过深{place}。",
    ),
    "sandbox-stack.hint": (
        "Look for a function that calls itself without end.",
        "Suche eine Funktion, die sich ohne Ende selbst aufruft.",
        "请检查是否有函数无休止地调用自身。",
    ),
    "sandbox-never-settled": (
        "The JavaScript waits for a promise that nothing will ever settle.",
        "Das JavaScript wartet auf ein Promise, das nie erfüllt wird.",
        "JavaScript 在等待一个永远不会有结果的 Promise。",
    ),
    "sandbox-never-settled.hint": (
        "There are no timers here; every promise needs something that resolves it.",
        "Zeitgeber gibt es hier nicht; jedes Promise braucht etwas, das es erfüllt.",
        "这里没有定时器；每个 Promise 都需要有代码使其完成。",
    ),
    "sandbox-value": (
        "{path} cannot be passed on: it is {problem}.",
        "{path} lässt sich nicht weitergeben: {problem}.",
        "{path} 无法传递：{problem}。",
    ),
    "sandbox-value.hint": (
        "Values are passed on as JSON: text, numbers, true, false, null, lists and objects.",
        "Werte werden als JSON weitergegeben: Text, Zahlen, true, false, null, Listen und Objekte.",
        "值以 JSON 形式传递：文本、数字、true、false、null、列表和对象。",
    ),
    "sandbox-crash": (
        "The process that ran the JavaScript ended unexpectedly. Nothing else was harmed.",
        "Der Prozess, in dem das JavaScript lief, endete unerwartet. Sonst wurde nichts beschädigt.",
        "运行 JavaScript 的进程意外结束，其他内容未受影响。",
    ),
    "sandbox-cancelled": (
        "The JavaScript was cancelled.",
        "Das JavaScript wurde abgebrochen.",
        "JavaScript 已被取消。",
    ),
    "sandbox-closed": (
        "The sandbox is closed.",
        "Die Sandbox ist geschlossen.",
        "沙箱已关闭。",
    ),
    "sandbox-unavailable": (
        "No process for JavaScript could be started.",
        "Es ließ sich kein Prozess für JavaScript starten.",
        "无法启动运行 JavaScript 的进程。",
    ),
    "sandbox-unavailable.hint": (
        "'paper doctor' says what is missing.",
        "„paper doctor“ sagt, was fehlt.",
        "运行“paper doctor”可查看缺少什么。",
    ),
    "sandbox-depth": (
        "JavaScript that calls tools that run JavaScript is nested more than {depth} deep.",
        "JavaScript, das Tools aufruft, die JavaScript ausführen, ist tiefer als {depth} verschachtelt.",
        "JavaScript 调用的工具又运行 JavaScript，嵌套超过 {depth} 层。",
    ),
    "sandbox-name": (
        "'{name}' cannot be the name of a variable in JavaScript.",
        "„{name}“ kann in JavaScript kein Variablenname sein.",
        "“{name}”不能作为 JavaScript 变量名。",
    ),
    "sandbox.at-place": (" at {place}", " bei {place}", "（{place}）"),
    "sandbox.at-line": (
        " at line {line}, column {column}",
        " in Zeile {line}, Spalte {column}",
        "（第 {line} 行第 {column} 列）",
    ),
    "sandbox.too-many-arguments": (
        " '...' makes an argument of every element, 65535 at most: use list.reduce((a, b) => Math.max(a, b)).",
        " „...“ macht aus jedem Element ein Argument, höchstens 65535; besser: list.reduce((a, b) => Math.max(a, b)).",
        "“...”会把每个元素变成一个参数，最多 65535 个：请用 list.reduce((a, b) => Math.max(a, b))。",
    ),
    "sandbox.missing-require": (
        " Modules cannot be loaded in a block.",
        " Module lassen sich in einem Block nicht laden.",
        "代码块中不能加载模块。",
    ),
    "sandbox.missing-fetch": (
        " A block has no network: use a step with rest_request.",
        " Ein Block hat kein Netzwerk; dafür gibt es einen Schritt mit rest_request.",
        "代码块没有网络：请使用带 rest_request 的步骤。",
    ),
    "sandbox.missing-fetch-in-tool": (
        " A tool has no network of its own: await this.api.callTool('rest_request', {{ url }}).",
        " Ein Tool hat kein eigenes Netzwerk; dafür gibt es await this.api.callTool('rest_request', {{ url }}).",
        "工具本身没有网络：请使用 await this.api.callTool('rest_request', {{ url }})。",
    ),
    "sandbox.missing-setTimeout": (
        " There are no timers in a block.",
        " In einem Block gibt es keine Zeitgeber.",
        "代码块中没有定时器。",
    ),
    "sandbox.missing-process": (
        " A block cannot see the program it runs in.",
        " Ein Block sieht das Programm nicht, in dem er läuft.",
        "代码块无法访问其所在的程序。",
    ),
    "sandbox.thrown-object": (
        "it threw an object without a message",
        "es warf ein Objekt ohne Meldung",
        "抛出了没有消息的对象",
    ),
    "sandbox.console-truncated": (
        "The console is full; what was written after this is left out.",
        "Die Konsole ist voll; was danach geschrieben wurde, fehlt.",
        "控制台已满，此后的内容被省略。",
    ),
    "sandbox.value-not-finite": (
        "{name}, which JSON does not know",
        "{name} gibt es in JSON nicht",
        "值为 {name}，JSON 不支持",
    ),
    "sandbox.value-cycle": (
        "part of a cycle (it contains itself)",
        "der Wert enthält sich selbst (Zyklus)",
        "存在循环引用（该值包含自身）",
    ),
    "sandbox.value-depth": (
        "nested more than {depth} levels deep",
        "tiefer als {depth} Ebenen verschachtelt",
        "嵌套超过 {depth} 层",
    ),
    "sandbox.value-function": (
        "a function (perhaps the call brackets are missing)",
        "eine Funktion (vielleicht fehlen die Klammern des Aufrufs)",
        "是一个函数（也许缺少调用括号）",
    ),
    "sandbox.value-symbol": ("a symbol", "ein Symbol", "是一个 Symbol"),
    "sandbox.value-invalid-date": ("an invalid date", "ein ungültiges Datum", "是无效的日期"),
    "sandbox.value-object": (
        "of the kind {name}, which JSON does not know (make it a list, an object or text first)",
        "die Art {name} gibt es in JSON nicht (mache zuerst eine Liste, ein Objekt oder Text daraus)",
        "类型为 {name}，JSON 不支持（请先转换为列表、对象或文本）",
    ),
    "sandbox.value-not-json": (
        "of the Python type {type}, which JSON does not know",
        "den Python-Typ {type} gibt es in JSON nicht",
        "Python 类型 {type}，JSON 不支持",
    ),
    "sandbox.value-half-character": (
        "a text with half a character, as when an emoji is cut in the middle (toWellFormed() repairs it)",
        "ein Text mit einem halben Zeichen, etwa einem zerschnittenen Emoji (toWellFormed() repariert ihn)",
        "文本中含有半个字符，例如被截断的表情符号（可用 toWellFormed() 修复）",
    ),
    "sandbox.wall.engine": (
        "QuickJS with limits on time, memory and stack, without eval",
        "QuickJS mit Grenzen für Zeit, Speicher und Stapel, ohne eval",
        "QuickJS，限制时间、内存和调用栈，无 eval",
    ),
    "sandbox.wall.parent": (
        "a worker is killed and replaced at its deadline",
        "ein Arbeitsprozess wird nach Ablauf der Frist beendet und ersetzt",
        "工作进程到期即被终止并替换",
    ),
    "sandbox.wall.resource-limits": (
        "the worker cannot take more memory and time, write files or start processes",
        "der Arbeitsprozess kann nicht mehr Speicher und Zeit nehmen, keine Dateien schreiben, keine Prozesse starten",
        "工作进程不能占用更多内存和时间、写文件或启动进程",
    ),
    "sandbox.wall.no-descriptors": (
        "the worker cannot open anything",
        "der Arbeitsprozess kann nichts öffnen",
        "工作进程不能打开任何文件或连接",
    ),
    "sandbox.wall.no-new-privileges": (
        "the worker cannot gain rights",
        "der Arbeitsprozess kann keine weiteren Rechte erlangen",
        "工作进程不能提升权限",
    ),
    "sandbox.wall.landlock": (
        "the kernel denies the worker every file and connection",
        "der Kernel verweigert dem Arbeitsprozess jede Datei und Verbindung",
        "内核禁止工作进程访问任何文件和连接",
    ),
    "sandbox.wall.seccomp": (
        "the kernel leaves the worker only the system calls it needs to compute",
        "der Kernel lässt dem Arbeitsprozess nur die Systemaufrufe, die er zum Rechnen braucht",
        "内核只允许工作进程使用计算所需的系统调用",
    ),
    "sandbox.wall-system": (
        "this operating system does not have it",
        "dieses Betriebssystem kann das nicht",
        "当前操作系统不支持",
    ),
    "sandbox.wall-kernel": (
        "this kernel does not have it, or it is switched off",
        "dieser Kernel kann das nicht, oder es ist abgeschaltet",
        "当前内核不支持或已关闭",
    ),
    "sandbox.wall-machine": (
        "it is not written for this kind of processor",
        "für diese Art von Prozessor gibt es das nicht",
        "尚不支持此类处理器",
    ),
    "sandbox.wall-refused": (
        "the system refused it: {detail}",
        "das System hat es verweigert: {detail}",
        "系统拒绝：{detail}",
    ),
    # --- npm packages
    "builtin.install_packages": (
        "Install the npm packages that a tool declares, and agree on what it may touch.",
        "Installiert die npm-Pakete, die ein Tool nennt, und vereinbart, worauf es zugreifen darf.",
        "安装工具声明的 npm 包，并确认它可以访问的内容。",
    ),
    "builtin.install_packages.tool": (
        "The tool's id.",
        "Die ID des Tools.",
        "工具的 ID。",
    ),
    "builtin.install_packages.rebuild": (
        "Look for newer versions and install everything anew.",
        "Nach neueren Versionen sehen und alles neu installieren.",
        "查找更新的版本并全部重新安装。",
    ),
    "cli.install": (
        "Install the npm packages of a tool.",
        "Die npm-Pakete eines Tools installieren.",
        "安装工具的 npm 包。",
    ),
    "cli.install.deno": (
        "Install Deno, which runs tools with npm packages or modules of Node, into this Python.",
        "Deno, das Tools mit npm-Paketen oder Modulen von Node ausführt, in dieses Python installieren.",
        "把运行带 npm 包或 Node 模块的工具所需的 Deno 安装到此 Python 中。",
    ),
    "cli.install.deno-there": ("Deno is there: {path}", "Deno ist da: {path}", "Deno 已就绪：{path}"),
    "install-what": (
        "Name a tool, or say --deno.",
        "Ein Tool nennen, oder --deno angeben.",
        "请指定工具，或使用 --deno。",
    ),
    "deno-no-installer": (
        "Neither pip nor uv can be found for {python}.",
        "Weder pip noch uv ist für {python} zu finden.",
        "找不到适用于 {python} 的 pip 或 uv。",
    ),
    "deno-no-installer.hint": (
        "Install Deno the way Paper Agents was installed: as the extra 'paperagents[npm]'.",
        "Deno auf demselben Weg installieren wie Paper Agents: als Zusatz „paperagents[npm]“.",
        "请用安装 Paper Agents 的方式安装 Deno：附加组件 “paperagents[npm]”。",
    ),
    "deno-not-installed": (
        "Deno could not be installed: the installer ended with {status}.",
        "Deno ließ sich nicht installieren: Das Installationsprogramm endete mit {status}.",
        "无法安装 Deno：安装程序以 {status} 结束。",
    ),
    "cli.install.rebuild": (
        "Look for newer versions and install everything anew.",
        "Nach neueren Versionen sehen und alles neu installieren.",
        "查找更新的版本并全部重新安装。",
    ),
    "cli.install.nothing": (
        "{tool} needs no packages.",
        "{tool} braucht keine Pakete.",
        "{tool} 不需要任何包。",
    ),
    # --- what is asked
    "npm.declared": (
        "{tool} declares these npm packages:",
        "{tool} nennt diese npm-Pakete:",
        "{tool} 声明了以下 npm 包：",
    ),
    "npm.installed": (
        "These will be installed, without running any script of theirs:",
        "Installiert werden, ohne dass ein Skript von ihnen ausgeführt wird:",
        "将安装以下包（不运行其中的任何脚本）：",
    ),
    "npm.present": (
        "These are installed already:",
        "Schon installiert sind:",
        "以下包已安装：",
    ),
    "npm.granted": (
        "From now on the tool may, without asking again:",
        "Das Tool darf von nun an, ohne weiter zu fragen:",
        "今后该工具无需再次询问即可：",
    ),
    "npm.nothing-granted": (
        "It may touch no file, no host and no variable.",
        "Es darf auf keine Datei, keinen Host und keine Variable zugreifen.",
        "它不能访问任何文件、主机或变量。",
    ),
    "npm.read": ("read these folders", "diese Ordner lesen", "读取这些文件夹"),
    "npm.write": ("write to these folders", "in diese Ordner schreiben", "写入这些文件夹"),
    "npm.net": ("connect to these hosts", "sich mit diesen Hosts verbinden", "连接这些主机"),
    "npm.env": ("see these variables", "diese Variablen sehen", "读取这些环境变量"),
    # --- in the manual
    "manual.dependencies": ("npm packages", "npm-Pakete", "npm 包"),
    "manual.grants": ("May touch", "Darf zugreifen auf", "可访问内容"),
    # --- what the doctor says
    "sandbox.wall.deno": (
        "Deno is there for tools with npm packages, without any permission that is not granted",
        "Deno ist für Tools mit npm-Paketen bereit und darf nur, was freigegeben ist",
        "Deno 可用于带 npm 包的工具，没有任何未授予的权限",
    ),
    "sandbox.wall.deno-landlock": (
        "the kernel denies Deno every file that is not granted",
        "der Kernel verweigert Deno jede Datei, die nicht freigegeben ist",
        "内核禁止 Deno 访问任何未授予的文件",
    ),
    # --- errors
    "npm-not-installed": (
        "{tool} needs npm packages that are not installed: {names}.",
        "{tool} braucht npm-Pakete, die nicht installiert sind: {names}.",
        "{tool} 需要尚未安装的 npm 包：{names}。",
    ),
    "npm-not-installed.hint": (
        "Install them: paper install {tool}",
        "Installieren mit: paper install {tool}",
        "请安装：paper install {tool}",
    ),
    "npm-nothing-to-install": (
        "{tool} declares no npm packages.",
        "{tool} nennt keine npm-Pakete.",
        "{tool} 没有声明 npm 包。",
    ),
    "npm-name": (
        "{tool} declares '{name}', which is no package of the registry with a version.",
        "{tool} nennt „{name}“; das ist kein Paket der Registry mit einer Version.",
        "{tool} 声明的 “{name}” 不是注册表中带版本号的包。",
    ),
    "npm-name.hint": (
        'A name and a range of versions, such as "lodash": "^4.17.21"; no addresses, paths or repositories.',
        'Ein Name und ein Versionsbereich, etwa "lodash": "^4.17.21"; keine Adressen, Pfade oder Repositorys.',
        '请写包名和版本范围，例如 "lodash": "^4.17.21"；不能使用网址、路径或代码仓库。',
    ),
    "npm-install-failed": (
        "The npm packages could not be installed: {reason}",
        "Die npm-Pakete ließen sich nicht installieren: {reason}",
        "无法安装 npm 包：{reason}",
    ),
    "deno-missing": (
        "Tools with npm packages need Deno, which is not installed.",
        "Tools mit npm-Paketen brauchen Deno; es ist nicht installiert.",
        "使用 npm 包的工具需要 Deno，但尚未安装。",
    ),
    "deno-missing.hint": (
        "Install it: paper install --deno",
        "Installieren mit: paper install --deno",
        "请安装：paper install --deno",
    ),
    "npm-grant": (
        "'{value}' cannot be granted to {tool}.",
        "„{value}“ kann {tool} nicht gewährt werden.",
        "无法将 “{value}” 授予 {tool}。",
    ),
    "npm-grant.path": (
        "'{value}' cannot be granted to {tool}: it leads out of the vault or to what the program keeps.",
        "„{value}“ kann {tool} nicht gewährt werden: Es führt aus dem Vault hinaus oder zu den Daten des Programms.",
        "无法将 “{value}” 授予 {tool}：它指向仓库之外或程序自身的数据。",
    ),
    "npm-grant.comma": (
        "'{value}' cannot be granted to {tool}: Deno takes no path with a comma. Grant the folder above it.",
        "„{value}“ kann {tool} nicht gewährt werden: Deno nimmt keinen Pfad mit Komma. Gewähren Sie den Ordner davor.",
        "无法将 “{value}” 授予 {tool}：Deno 不接受带逗号的路径。请授予其上一级文件夹。",
    ),
    "npm-grant.net": (
        "'{value}' cannot be granted to {tool}: it is not a host, nor a host and a port.",
        "„{value}“ kann {tool} nicht gewährt werden: Es ist weder ein Host noch ein Host mit Port.",
        "无法将 “{value}” 授予 {tool}：它不是主机，也不是带端口的主机。",
    ),
    "npm-grant.private": (
        "'{value}' cannot be granted to {tool}: it leads to this computer or a private network.",
        "„{value}“ kann {tool} nicht gewährt werden: Es führt zu diesem Rechner oder in ein privates Netz.",
        "无法将 “{value}” 授予 {tool}：它指向本机或专用网络。",
    ),
    "npm-grant.private.hint": (
        "If that is meant, name it in allowed_hosts: paper config set allowed_hosts {value}",
        "Ist das gewollt, nennen Sie es in allowed_hosts: paper config set allowed_hosts {value}",
        "如确有需要，请将其加入 allowed_hosts：paper config set allowed_hosts {value}",
    ),
    "npm-grant.env": (
        "'{value}' cannot be granted to {tool}: it is not a variable, or one that steers the process itself.",
        "„{value}“ kann {tool} nicht gewährt werden: Es ist keine Variable oder eine, die den Prozess selbst steuert.",
        "无法将 “{value}” 授予 {tool}：它不是环境变量，或会影响进程本身。",
    ),
    "npm-not-granted": (
        "{tool} wanted more than it is granted: {reason}",
        "{tool} wollte mehr, als ihm gewährt ist: {reason}",
        "{tool} 的请求超出了授权范围：{reason}",
    ),
    "npm-not-granted.hint": (
        "Folders, hosts and variables are granted in the settings: [npm.{tool}] with read, write, net and env.",
        "Ordner, Hosts und Variablen werden in den Einstellungen gewährt: [npm.{tool}] mit read, write, net und env.",
        "可在设置中授予文件夹、主机和环境变量：[npm.{tool}] 下的 read、write、net 和 env。",
    ),
    "storage-unreadable": (
        "What {tool} has kept cannot be read and was left as it is: {reason}.",
        "Was {tool} aufbewahrt hat, ist nicht lesbar und wurde nicht verändert: {reason}.",
        "无法读取 {tool} 保存的数据，数据保持原样：{reason}。",
    ),
    "unknown-mode": (
        "There is no mode '{name}'.",
        "Es gibt keinen Modus „{name}“.",
        "没有 “{name}” 这种模式。",
    ),
    "unknown-mode.hint": (
        "There are: {choices}.",
        "Es gibt: {choices}.",
        "可用的模式：{choices}。",
    ),
}
