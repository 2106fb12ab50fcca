"""Sentences about npm packages: installing them, what they may touch, and what was refused."""

TEXTS = {
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
        "Deno ist für Tools mit npm-Paketen da, ohne jede Erlaubnis, die nicht gewährt ist",
        "Deno 可用于带 npm 包的工具，没有任何未授予的权限",
    ),
    "sandbox.wall.deno-landlock": (
        "the kernel denies Deno every file that is not granted",
        "der Kern verwehrt Deno jede Datei, die nicht gewährt ist",
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
        "Install it: pip install 'paperagents[npm]'",
        "Installieren mit: pip install 'paperagents[npm]'",
        "请安装：pip install 'paperagents[npm]'",
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
