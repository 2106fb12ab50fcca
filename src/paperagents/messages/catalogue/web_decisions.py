"""Sentences of the pages where somebody decides: questions, change-sets, rules."""

TEXTS = {
    # who wants what; the names are marked on the page
    "web.wants.create": ("{who} wants to create {what}", "{who} möchte {what} anlegen", "{who} 想新建 {what}"),
    "web.wants.append": (
        "{who} wants to add to {what}",
        "{who} möchte {what} ergänzen",
        "{who} 想在 {what} 末尾追加内容",
    ),
    "web.wants.overwrite": ("{who} wants to change {what}", "{who} möchte {what} ändern", "{who} 想修改 {what}"),
    "web.wants.delete": ("{who} wants to delete {what}", "{who} möchte {what} löschen", "{who} 想删除 {what}"),
    "web.wants.send": ("{who} wants to send {what}", "{who} möchte {what} senden", "{who} 想发送 {what}"),
    "web.wants.use": ("{who} wants to use {what}", "{who} möchte {what} benutzen", "{who} 想使用 {what}"),
    "web.wants.files": (
        "{who} wants to change {count} files",
        "{who} möchte {count} Dateien ändern",
        "{who} 想更改 {count} 个文件",
    ),
    "web.step-of": ("step {number} of {total}", "Schritt {number} von {total}", "第 {number} 步，共 {total} 步"),
    "web.arguments": ("The exact arguments", "Die genauen Argumente", "确切的参数"),
    "web.decide-needs-script": (
        "Deciding here needs JavaScript; paper approvals works as well.",
        "Um hier zu entscheiden, wird JavaScript gebraucht; paper approvals geht auch.",
        "在此做决定需要 JavaScript，也可使用 paper approvals 命令。",
    ),
    # the answers
    "web.approve": ("Approve", "Genehmigen", "批准"),
    "web.deny": ("Deny", "Ablehnen", "拒绝"),
    "web.other-answers": ("Other answers", "Weitere Antworten", "其他答复"),
    "web.edit-and-approve": ("Change before approving", "Vor dem Genehmigen ändern", "修改后批准"),
    "web.approve-for-run": (
        "Approve this and the rest of the run",
        "Das und den Rest des Laufs genehmigen",
        "批准此项及本次运行的其余部分",
    ),
    "web.approve-together": (
        "Approve, collect the rest and ask once",
        "Genehmigen, den Rest sammeln und einmal fragen",
        "批准，并将其余更改汇总后一次询问",
    ),
    "web.reason": ("Reason for a no", "Begründung für ein Nein", "拒绝的理由"),
    "web.deny-with-reason": ("Deny with this reason", "Mit dieser Begründung ablehnen", "以此理由拒绝"),
    "web.approve-always": ("From now on", "Von nun an", "从现在起"),
    "web.rule-path": (
        "Where (* one name, ** any folders)",
        "Wo (* ein Name, ** beliebige Ordner)",
        "位置（* 一个名称，** 任意文件夹）",
    ),
    "web.rule-until": ("Last day", "Letzter Tag", "最后一天"),
    "web.approve-by-rule": ("Always approve this", "Das immer genehmigen", "始终批准"),
    "web.group-about": (
        "These {count} questions belong to one run.",
        "Diese {count} Fragen gehören zu einem Lauf.",
        "这 {count} 个请求属于同一次运行。",
    ),
    "web.approve-all": ("Approve all {count}", "Alle {count} genehmigen", "全部批准（{count}）"),
    "web.deny-all": ("Deny all {count}", "Alle {count} ablehnen", "全部拒绝（{count}）"),
    "web.notify-me": ("Notify me in this browser", "In diesem Browser benachrichtigen", "在此浏览器中通知我"),
    # what would change
    "web.new-file": ("new file", "neue Datei", "新文件"),
    "web.changes": ("Changes", "Änderungen", "更改"),
    "web.no-change": ("Nothing would change.", "Es würde sich nichts ändern.", "没有任何更改。"),
    "web.change-sums": (
        "{count} files, +{added} −{removed}",
        "{count} Dateien, +{added} −{removed}",
        "{count} 个文件，+{added} −{removed}",
    ),
    "web.change.created": ("new", "neu", "新建"),
    "web.change.changed": ("changed", "geändert", "已更改"),
    "web.change.deleted": ("deleted", "gelöscht", "已删除"),
    "web.hunk": ("Change {number} of {count}", "Änderung {number} von {count}", "第 {number} 处更改，共 {count} 处"),
    "web.inbox-empty": (
        "Nothing waits for you. Questions of all runs appear here.",
        "Nichts wartet auf Sie. Hier erscheinen die Fragen aller Läufe.",
        "没有待您决定的事项。所有运行的请求都会显示在这里。",
    ),
    "web.inbox-left": ("{count} more wait.", "{count} weitere warten.", "还有 {count} 项等待。"),
    # what scripts say
    "web.js.later": ("Decide later", "Später entscheiden", "稍后决定"),
    "web.js.answered-elsewhere": (
        "This has been answered elsewhere, or it has changed. Here is how it stands now.",
        "Das wurde anderswo beantwortet oder hat sich geändert. So steht es jetzt.",
        "该请求已在别处答复或已发生变化。以下是当前状态。",
    ),
    "web.js.closed-with-run": (
        "The run is over; its other questions are closed.",
        "Der Lauf ist zu Ende; seine übrigen Fragen sind erledigt.",
        "运行已结束，其余请求已关闭。",
    ),
    "web.js.approve-changed": ("Approve with these changes", "Mit diesen Änderungen genehmigen", "按此修改批准"),
    "web.js.approve-chosen": ("Approve the chosen", "Ausgewähltes genehmigen", "批准所选"),
    "web.js.said-approve": ("Approved.", "Genehmigt.", "已批准。"),
    "web.js.said-deny": ("Denied.", "Abgelehnt.", "已拒绝。"),
    "web.js.see-run": ("See the run", "Zum Lauf", "查看运行"),
    "web.js.asks": ("Something waits for you", "Etwas wartet auf Sie", "有事项等待您决定"),
    "web.js.notified": (
        "This browser tells you when something waits.",
        "Dieser Browser meldet sich, wenn etwas auf Sie wartet.",
        "有事项等待时，此浏览器会通知您。",
    ),
    "web.js.not-notified": (
        "The browser does not allow notifications for this page.",
        "Der Browser erlaubt dieser Seite keine Benachrichtigungen.",
        "浏览器不允许此页面发送通知。",
    ),
}
