"""What is said about the database, workers, schedules, backups and stored entries."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # the database
    "database-failed": (
        "The database {file} cannot be used: {reason}.",
        "Die Datenbank {file} ist nicht benutzbar: {reason}.",
        "无法使用数据库 {file}：{reason}。",
    ),
    "database-failed.hint": (
        "'paper doctor' tells more. In the place of a damaged file put a backup, or move it away and begin anew.",
        "Mehr sagt „paper doctor“. Ersetzen Sie eine beschädigte Datei durch eine Sicherung oder räumen Sie sie weg.",
        "“paper doctor” 会给出更多信息。请用备份替换损坏的文件，或将其移走后重新开始。",
    ),
    "database-full": (
        "The database {file} cannot be written: there is no space left. What was reported as done is kept.",
        "Die Datenbank {file} lässt sich nicht schreiben: kein Speicherplatz mehr. Als erledigt Gemeldetes bleibt.",
        "无法写入数据库 {file}：磁盘空间不足。已报告完成的内容均已保留。",
    ),
    "database-full.hint": (
        "Free some space, then go on with 'paper runs resume RUN'.",
        "Schaffen Sie Platz und setzen Sie den Lauf mit „paper runs resume LAUF“ fort.",
        "请释放空间，然后用 “paper runs resume RUN” 继续。",
    ),
    "no-space-left": (
        "There is no space left on the disk.",
        "Auf dem Datenträger ist kein Platz mehr.",
        "磁盘空间不足。",
    ),
    "no-space-left.hint": (
        "Free some space, then try again.",
        "Schaffen Sie Platz und versuchen Sie es noch einmal.",
        "请释放空间后重试。",
    ),
    "too-many-open-files": (
        "The system does not let the program open any more files.",
        "Das System lässt das Programm keine weiteren Dateien öffnen.",
        "系统不允许本程序再打开更多文件。",
    ),
    "too-many-open-files.hint": (
        "Raise the limit, for example with 'ulimit -n 1024', then try again.",
        "Erhöhen Sie die Grenze, zum Beispiel mit „ulimit -n 1024“, und versuchen Sie es noch einmal.",
        "请提高上限（例如 “ulimit -n 1024”），然后重试。",
    ),
    "out-of-memory": (
        "There is not enough memory.",
        "Der Arbeitsspeicher reicht nicht.",
        "内存不足。",
    ),
    "out-of-memory.hint": (
        "Close other programs or raise the limit ('ulimit -v'), then try again.",
        "Schließen Sie andere Programme oder erhöhen Sie die Grenze („ulimit -v“) und versuchen Sie es noch einmal.",
        "请关闭其他程序或提高上限（“ulimit -v”），然后重试。",
    ),
    "database-read-only": (
        "The database {file} cannot be written: it may only be read.",
        "Die Datenbank {file} lässt sich nicht schreiben: Sie darf nur gelesen werden.",
        "无法写入数据库 {file}：它是只读的。",
    ),
    "database-read-only.hint": (
        "Give the user who runs 'paper' the right to write there.",
        "Geben Sie dem Benutzer, unter dem „paper“ läuft, dort Schreibrechte.",
        "请授予运行 “paper” 的用户写入权限。",
    ),
    "database-busy": (
        "The database {file} is in use by another program that does not let go of it.",
        "Die Datenbank {file} wird von einem anderen Programm benutzt, das sie nicht freigibt.",
        "数据库 {file} 被另一个程序占用且未释放。",
    ),
    "database-unreachable": (
        "The database {file} cannot be reached: {reason}.",
        "Die Datenbank {file} ist nicht erreichbar: {reason}.",
        "无法连接数据库 {file}：{reason}。",
    ),
    "database-unreachable.hint": (
        "Check 'database_url' and the network. Runs go on from what is written once it is back.",
        "Prüfen Sie „database_url“ und das Netzwerk. Läufe gehen vom Geschriebenen aus weiter, sobald sie zurück ist.",
        "请检查 “database_url” 和网络。恢复后，运行将从已记录处继续。",
    ),
    "database-newer": (
        "{file} was written by a newer version of this program.",
        "{file} wurde von einer neueren Version dieses Programms geschrieben.",
        "{file} 由本程序的更新版本写入。",
    ),
    "database-newer.hint": ("Update Paper Agents.", "Paper Agents aktualisieren.", "请升级 Paper Agents。"),
    "database-tampered": (
        "{file} brings instructions of its own (a trigger or a view) and is not used.",
        "{file} bringt eigene Anweisungen mit (einen Trigger oder eine Sicht) und wird nicht benutzt.",
        "{file} 自带指令（触发器或视图），因此不会被使用。",
    ),
    "database-tampered.hint": (
        "Somebody has changed it. To go on without what it holds, move it away.",
        "Jemand hat sie verändert. Um ohne ihren Inhalt weiterzuarbeiten, verschieben Sie die Datei.",
        "有人修改过它。若要放弃其中的内容继续工作，请将该文件移走。",
    ),
    "row-damaged": (
        "A row of '{table}' in the database cannot be read: its '{column}' is damaged.",
        "Eine Zeile von „{table}“ in der Datenbank ist nicht lesbar: „{column}“ ist beschädigt.",
        "数据库中 “{table}” 的一行无法读取：其 “{column}” 已损坏。",
    ),
    "row-damaged.hint": (
        "Everything else can be used. What was there is in a backup, if anywhere.",
        "Alles andere bleibt benutzbar. Was dort stand, hat höchstens noch eine Sicherung.",
        "其余内容仍可使用。原有内容只可能存在于备份中。",
    ),
    # PostgreSQL, workers and the queue
    "cluster-not-installed": (
        "A database on a server needs the extra 'cluster', which is not installed.",
        "Eine Datenbank auf einem Server braucht das Extra „cluster“, das nicht installiert ist.",
        "使用服务器数据库需要附加组件 “cluster”，但尚未安装。",
    ),
    "cluster-not-installed.hint": (
        "Install it with: pip install 'paperagents[cluster]'",
        "Installieren Sie es mit: pip install 'paperagents[cluster]'",
        "安装命令：pip install 'paperagents[cluster]'",
    ),
    "run-taken-over": (
        "Run {id} was taken over by another worker, because this one was out of reach.",
        "Den Lauf {id} hat ein anderer Worker übernommen, weil dieser nicht erreichbar war.",
        "运行 {id} 已被另一个工作进程接管，因为本进程曾失去连接。",
    ),
    "queue-full": (
        "{limit} runs are waiting for a worker already; no more are taken.",
        "Es warten schon {limit} Läufe auf einen Worker; weitere werden nicht angenommen.",
        "已有 {limit} 个运行在等待工作进程，不再接受更多。",
    ),
    "queue-full.hint": (
        "Start 'paper worker', or wait until some are done.",
        "Starten Sie „paper worker“, oder warten Sie, bis einige erledigt sind.",
        "请启动 “paper worker”，或等待部分运行完成。",
    ),
    "limit-reached": (
        "All places of {tool} are taken; its run begins later.",
        "Alle Plätze von {tool} sind belegt; sein Lauf beginnt später.",
        "{tool} 的名额已满，稍后再运行。",
    ),
    # schedules
    "invalid-schedule": (
        "'{schedule}' names no time that ever comes.",
        "„{schedule}“ nennt keinen Zeitpunkt, der je kommt.",
        "“{schedule}” 不是有效的时间表。",
    ),
    "invalid-schedule.hint": (
        "Write five fields as cron has them, for example '0 7 * * mon-fri', or '@daily'.",
        "Schreiben Sie fünf Felder wie bei cron, zum Beispiel „0 7 * * mon-fri“, oder „@daily“.",
        "请写 cron 的五个字段，例如 “0 7 * * mon-fri”，或 “@daily”。",
    ),
    "schedule-needs-argument": (
        "A tool with a schedule runs by itself, but '{name}' must be given.",
        "Ein Tool mit Zeitplan läuft von selbst, aber „{name}“ muss angegeben werden.",
        "带时间表的工具会自动运行，但必须提供 “{name}”。",
    ),
    "schedule-needs-argument.hint": (
        "Give the parameter a default.",
        "Geben Sie dem Parameter einen Vorgabewert.",
        "请为该参数设置默认值。",
    ),
    # paper worker, paper run --detach
    "cli.worker": (
        "Carry out queued, scheduled and interrupted runs; as many workers as you like.",
        "Wartende, geplante und unterbrochene Läufe ausführen; beliebig viele Worker.",
        "执行排队、定时和中断的运行；工作进程数量不限。",
    ),
    "cli.worker.port": (
        "Tell health and figures at this port: /health, /ready, /metrics.",
        "Zustand und Zahlen an diesem Port zeigen: /health, /ready, /metrics.",
        "在此端口提供健康状态和指标：/health、/ready、/metrics。",
    ),
    "cli.worker.host": (
        "The address for --port; 127.0.0.1 unless given.",
        "Die Adresse für --port; ohne Angabe 127.0.0.1.",
        "--port 所用的地址；默认 127.0.0.1。",
    ),
    "cli.worker.log": (
        "How to write the log: for people, or one JSON object per line.",
        "Form des Protokolls: für Menschen, oder je Zeile ein JSON-Objekt.",
        "日志格式：供人阅读，或每行一个 JSON 对象。",
    ),
    "cli.run.detach": (
        "Leave it to a worker and do not wait.",
        "Einem Worker überlassen und nicht warten.",
        "交给工作进程执行，不等待。",
    ),
    "cli.run.queued": (
        "Run {id} is in the queue. 'paper worker' or 'paper serve' carries it out.",
        "Der Lauf {id} ist eingereiht. „paper worker“ oder „paper serve“ führt ihn aus.",
        "运行 {id} 已排队，由 “paper worker” 或 “paper serve” 执行。",
    ),
    "run-not-trusted": (
        "The run {id} came with this folder and was not started here.",
        "Der Lauf {id} kam mit diesem Ordner und wurde nicht hier gestartet.",
        "运行 {id} 是随此文件夹带来的，并非在此启动。",
    ),
    "run-not-trusted.hint": (
        "Look at it: paper runs show {id}. Trust it: paper trust give {digest}",
        "Ansehen: paper runs show {id}. Vertrauen: paper trust give {digest}",
        "查看：paper runs show {id}。信任它：paper trust give {digest}",
    ),
    "run.agreed-before": (
        "Agreed on before the interruption, and done now.",
        "Vor der Unterbrechung genehmigt und jetzt ausgeführt.",
        "中断前已批准，现已执行。",
    ),
    # paper backup
    "backup-exists": (
        "{path} exists already; a copy does not overwrite anything.",
        "{path} gibt es schon; eine Kopie überschreibt nichts.",
        "{path} 已存在；备份不会覆盖任何文件。",
    ),
    "backup-damaged": (
        "{path} is no whole copy of a vault's database: {reason}.",
        "{path} ist keine unversehrte Kopie der Datenbank eines Vaults: {reason}.",
        "{path} 不是完好的数据库备份：{reason}。",
    ),
    "backup-by-server": (
        "The records of this vault are on the server {place}, which makes its own copies.",
        "Die Aufzeichnungen dieses Vaults liegen auf dem Server {place}, der seine Kopien selbst macht.",
        "此库的记录位于服务器 {place}，由服务器自行备份。",
    ),
    "backup-by-server.hint": (
        "Use pg_dump and pg_restore.",
        "Benutzen Sie pg_dump und pg_restore.",
        "请使用 pg_dump 和 pg_restore。",
    ),
    "cli.backup": (
        "Write a copy of runs, entries and approvals to FILE, or put one back.",
        "Eine Kopie der Läufe, Einträge und Freigaben nach FILE schreiben oder zurückspielen.",
        "将运行、条目和批准备份到 FILE，或从中恢复。",
    ),
    "cli.backup.restore": (
        "Put the copy in the place of what is kept now.",
        "Die Kopie an die Stelle des jetzigen Stands setzen.",
        "用备份替换当前内容。",
    ),
    "cli.backup.written": ("Written: {file}", "Geschrieben: {file}", "已写入：{file}"),
    "cli.backup.restored": (
        "Put back: {file}. What was there before is in .paper/paper.db.before-restore.",
        "Zurückgespielt: {file}. Der Stand davor liegt in .paper/paper.db.before-restore.",
        "已恢复：{file}。先前内容保存在 .paper/paper.db.before-restore。",
    ),
    # paper doctor
    "cli.doctor.database": (
        "Problems in the database {place}: {count}",
        "Probleme in der Datenbank {place}: {count}",
        "数据库 {place} 中有 {count} 个问题",
    ),
    "cli.doctor.workers": (
        "Workers alive: {count}. Runs queued: {queued}, running: {running}, waiting: {waiting}",
        "Aktive Worker: {count}. Läufe eingereiht: {queued}, laufend: {running}, wartend: {waiting}",
        "{count} 个工作进程存活，{queued} 个排队，{running} 个运行中，{waiting} 个等待",
    ),
    "cli.doctor.sizes": (
        "Database {database}, of which history about {history}; search index {index}, cache {cache}",
        "Datenbank {database}, davon Verlauf etwa {history}; Suchindex {index}, Zwischenspeicher {cache}",
        "数据库 {database}，其中历史约 {history}；搜索索引 {index}，缓存 {cache}",
    ),
    # --- entries
    "entry-exists": (
        "There is already a {kind} entry named '{id}'.",
        "Es gibt schon einen {kind}-Eintrag namens „{id}“.",
        "已有名为 “{id}” 的 {kind} 条目。",
    ),
    "entry-not-found": (
        "There is no {kind} entry named '{id}'.",
        "Es gibt keinen {kind}-Eintrag namens „{id}“.",
        "没有名为 “{id}” 的 {kind} 条目。",
    ),
    "unknown-kind": (
        "There are no entries of the kind '{kind}'.",
        "Einträge der Art „{kind}“ gibt es nicht.",
        "没有 “{kind}” 类型的条目。",
    ),
    "unknown-kind.hint": ("There are: {kinds}.", "Es gibt: {kinds}.", "现有类型：{kinds}。"),
    "entry-version-not-found": (
        "The {kind} entry '{id}' has no version {version} that could be brought back.",
        "Der {kind}-Eintrag „{id}“ hat keine Version {version}, die sich zurückholen ließe.",
        "{kind} 条目 “{id}” 没有可恢复的版本 {version}。",
    ),
    # calls in a text that cannot be applied
    "taken-back": (
        "Not done, because another operation of the text was not possible.",
        "Nicht ausgeführt, weil eine andere Operation des Textes nicht möglich war.",
        "未执行，因为文本中的另一个操作无法完成。",
    ),
    "nobody-to-ask": (
        "A person must agree to this first, and nobody is there to ask; nothing of the text was stored.",
        "Dem muss erst jemand zustimmen, und niemand ist da; nichts aus dem Text wurde gespeichert.",
        "此操作须先由人批准，但无人应答；该文本的任何内容均未保存。",
    ),
    "tag-handler-failed": (
        "The handler of '{tag}' failed: {reason}",
        "Der Handler von „{tag}“ ist fehlgeschlagen: {reason}",
        "“{tag}” 的处理函数失败：{reason}",
    ),
    "script-reference": (
        "The script refers to something that is not there: {reason}",
        "Das Skript verweist auf etwas, das es nicht gibt: {reason}",
        "脚本引用了不存在的内容：{reason}",
    ),
    "script-call": (
        "callTool wants the name of a tool and an object with its arguments.",
        "callTool braucht den Namen eines Tools und ein Objekt mit seinen Argumenten.",
        "callTool 需要工具名称和一个参数对象。",
    ),
    # paper extract and paper resolve
    "cli.extract": (
        "Find the calls in a model's text, and carry them out.",
        "Die Aufrufe im Text eines Modells finden und ausführen.",
        "找出模型文本中的调用并执行。",
    ),
    "cli.extract.apply": (
        "Carry the calls out; deletes and writes are asked first.",
        "Die Aufrufe ausführen; vor Löschen und Schreiben wird gefragt.",
        "执行这些调用；删除和写入会先询问。",
    ),
    "cli.extract.tool": ("Only calls of this tool.", "Nur Aufrufe dieses Tools.", "仅此工具的调用。"),
    "cli.extract.all": (
        "Store nothing of the text where one operation fails.",
        "Nichts aus dem Text speichern, wenn eine Operation fehlschlägt.",
        "若有一个操作失败，则不保存该文本的任何内容。",
    ),
    "attribute-without-value": (
        "'{name}' has no value. Write {name}=VALUE.",
        "„{name}“ hat keinen Wert. Schreiben Sie {name}=WERT.",
        "“{name}”没有值。请写成 {name}=值。",
    ),
    "cli.store.attribute": (
        "An attribute of a kind of your own.",
        "Ein Attribut einer eigenen Art von Einträgen.",
        "自定义类条目的一个属性。",
    ),
    # What came of a call.
    "cli.result.created": ("created", "angelegt", "已创建"),
    "cli.result.updated": ("updated", "geändert", "已更新"),
    "cli.result.deleted": ("deleted", "gelöscht", "已删除"),
    "cli.result.read": ("read", "gelesen", "已读取"),
    "cli.result.executed": ("done", "erledigt", "已完成"),
    "cli.result.error": ("failed", "fehlgeschlagen", "失败"),
    "cli.result.denied": ("not allowed", "nicht erlaubt", "未允许"),
    "cli.result.waiting": (
        "waits for your answer (paper approvals)",
        "wartet auf Ihre Antwort (paper approvals)",
        "等待您的答复（paper approvals）",
    ),
    "cli.resolve": (
        "Put entries of the data vault where a text refers to them.",
        "Einträge des Datenspeichers dort einsetzen, wo ein Text auf sie verweist.",
        "将数据保险库的条目填入文本的引用处。",
    ),
    "cli.resolve.missing": ("Missing: {id}", "Fehlt: {id}", "缺失：{id}"),
    # paper store
    "cli.store": (
        "Memories, tasks, goals and the data vault.",
        "Erinnerungen, Aufgaben, Ziele und der Datenspeicher.",
        "记忆、任务、目标和数据保险库。",
    ),
    "cli.store.list": ("All entries.", "Alle Einträge.", "所有条目。"),
    "cli.store.search": (
        "Only entries that mention this.",
        "Nur Einträge, in denen das vorkommt.",
        "仅包含此内容的条目。",
    ),
    "cli.store.get": ("One entry.", "Ein Eintrag.", "一个条目。"),
    "cli.store.set": (
        "Create an entry, or change just what is named.",
        "Einen Eintrag anlegen oder nur das Genannte ändern.",
        "创建条目，或仅更改指定内容。",
    ),
    "cli.store.delete": (
        "Delete an entry; you are asked first.",
        "Einen Eintrag löschen; vorher wird gefragt.",
        "删除条目；会先询问。",
    ),
    "cli.store.history": ("Every version of an entry.", "Alle Versionen eines Eintrags.", "条目的所有版本。"),
    "cli.store.restore": (
        "Bring a version back.",
        "Eine Version zurückholen.",
        "恢复某个版本。",
    ),
    "cli.store.deleted": ("deleted", "gelöscht", "已删除"),
}
