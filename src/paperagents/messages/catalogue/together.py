"""Changes that are collected and asked about once."""

from __future__ import annotations

TEXTS = {
    # what the record says
    "run.collected": (
        "Collected: asked about at the end of the run.",
        "Gesammelt: wird am Ende des Laufs gefragt.",
        "已收集：运行结束时统一询问。",
    ),
    "run.collected-agreed": (
        "Agreed to with the other changes of the run.",
        "Zusammen mit den anderen Änderungen des Laufs genehmigt.",
        "已与本次运行的其他更改一并批准。",
    ),
    "run.collected-refused": (
        "Refused at the end of the run; nothing was changed.",
        "Am Ende des Laufs abgelehnt; nichts wurde geändert.",
        "运行结束时被拒绝，未作更改。",
    ),
    "run.collected-nothing": (
        "Nothing of it was left to change at the end of the run.",
        "Am Ende des Laufs war davon nichts mehr zu ändern.",
        "运行结束时已没有需要更改的内容。",
    ),
    "run.change-refused.file": (
        "{path} was refused and stays as it was.",
        "{path} wurde abgelehnt und bleibt, wie es war.",
        "{path} 被拒绝，保持原样。",
    ),
    "run.change-refused.file-reason": (
        "{path} was refused and stays as it was: {reason}",
        "{path} wurde abgelehnt und bleibt, wie es war: {reason}",
        "{path} 被拒绝，保持原样：{reason}",
    ),
    "run.change-refused.hunk": (
        "Hunk {hunk} of {path} was refused.",
        "Abschnitt {hunk} von {path} wurde abgelehnt.",
        "{path} 的第 {hunk} 处更改被拒绝。",
    ),
    "run.changes-refused": (
        "A person has refused these changes, and they were not made. Call nothing more, and give your final answer:",
        "Ein Mensch hat diese Änderungen abgelehnt, sie wurden nicht gemacht. Rufe nichts mehr auf, sondern antworte:",
        "有人拒绝了以下更改，它们没有执行。不要再调用任何工具，请给出最终回答：",
    ),
    "run.changes-refused.reason": (
        "A person has refused these changes, and they were not made: {reason}\nCall nothing more, and answer:",
        "Ein Mensch hat diese Änderungen abgelehnt, sie sind nicht gemacht: {reason}\nRufe nichts mehr auf, antworte:",
        "有人拒绝了以下更改，它们没有执行：{reason}\n不要再调用任何工具，请给出最终回答：",
    ),
    "run.not-asked-again": (
        "The agent could not be told what was refused: {reason}",
        "Dem Agenten konnte nicht gesagt werden, was abgelehnt wurde: {reason}",
        "无法告知代理哪些更改被拒绝：{reason}",
    ),
    "run.changes-dropped": (
        "The run did not finish. Its pending changes were dropped, and none of them was made: {paths}",
        "Der Lauf wurde nicht fertig. Was er gesammelt hatte, wurde verworfen, nichts davon gemacht: {paths}",
        "运行未完成；待定更改已丢弃，均未执行：{paths}",
    ),
    "run.changes-not-made": (
        "Nothing was changed, and the question is still open: {reason}",
        "Nichts wurde geändert, die Frage ist weiter offen: {reason}",
        "未作任何更改，问题仍待回答：{reason}",
    ),
    "changes-unfinished": (
        "Changes that were agreed on are made in part, and the others cannot be made now: {reason}",
        "Vereinbarte Änderungen sind zum Teil ausgeführt, die übrigen sind zurzeit nicht möglich: {reason}",
        "已同意的更改只完成了一部分，其余暂时无法完成：{reason}",
    ),
    "changes-unfinished.hint": (
        "Once that is settled, they are completed at the next start of the program.",
        "Ist das behoben, werden sie beim nächsten Start des Programms vollendet.",
        "问题解决后，下次启动程序时会自动完成。",
    ),
    "changes-dropped": (
        "The changes that run {id} had collected were dropped when it ended, so it cannot go on.",
        "Die Änderungen, die der Lauf {id} gesammelt hatte, wurden verworfen, als er endete; weiter geht er nicht.",
        "运行 {id} 收集的更改在结束时已被丢弃，因此无法继续。",
    ),
    "changes-dropped.hint": (
        "Do it again: paper runs rerun {id}",
        "Noch einmal ausführen: paper runs rerun {id}",
        "请重新执行：paper runs rerun {id}",
    ),
    # answers
    "files-no-text": (
        "There is no text of '{path}' to write: it is not asked about, deleted, taken back, or has a secret in it.",
        "Kein Text für „{path}“ zu schreiben: nicht gefragt, gelöscht, zurückgenommen oder mit einem Geheimnis darin.",
        "“{path}” 没有可改写的文本：它未被询问、将被删除、被撤销或含有机密。",
    ),
    "files-unknown": (
        "The question has no file '{path}'.",
        "Die Frage hat keine Datei „{path}“.",
        "问题中没有文件 “{path}”。",
    ),
    "files-unknown.hint": ("It has: {closest}", "Sie hat: {closest}", "其中有：{closest}"),
    "files-missing": (
        "The answer does not say what becomes of: {paths}",
        "Die Antwort sagt nicht, was hiermit geschehen soll: {paths}",
        "回答没有说明如何处理：{paths}",
    ),
    "files-missing.hint": (
        "Name every file, with true or false.",
        "Jede Datei nennen, mit true oder false.",
        "请列出每个文件，并给出 true 或 false。",
    ),
    "files-unknown-hunk": (
        "'{path}' has no hunk {hunk}; they are counted from 1 to {count}.",
        "„{path}“ hat keinen Abschnitt {hunk}; gezählt wird von 1 bis {count}.",
        "“{path}” 没有第 {hunk} 处更改；编号从 1 到 {count}。",
    ),
    "files-answer": (
        "The answer for '{path}' is none.",
        "Die Antwort für „{path}“ ist keine.",
        "“{path}” 的回答无效。",
    ),
    "files-answer.hint": (
        'It is true, false, {{"hunks": [1, 3]}}, {{"content": "…"}} or {{"reason": "why not"}}.',
        'Möglich sind true, false, {{"hunks": [1, 3]}}, {{"content": "…"}} und {{"reason": "warum nicht"}}.',
        '可用 true、false、{{"hunks": [1, 3]}}、{{"content": "…"}} 或 {{"reason": "原因"}}。',
    ),
    "files-same-name": (
        "A note and an entry are both named '{path}': they can only be answered with all the others.",
        "Eine Notiz und ein Eintrag heißen beide „{path}“: sie lassen sich nur mit allen anderen beantworten.",
        "有一篇笔记和一个条目都叫 “{path}”：只能与其他更改一并回答。",
    ),
    "files-same-name.hint": (
        "Say yes or no to all of it.",
        "Zu allem ja oder nein sagen.",
        "请对全部更改回答是或否。",
    ),
    "files-no-entry": (
        "The new text for '{path}' cannot be read as an entry.",
        "Der neue Text für „{path}“ lässt sich nicht als Eintrag lesen.",
        "“{path}” 的新文本无法作为条目读取。",
    ),
    "files-no-entry.hint": (
        "Keep the lines between the two --- as they are, one JSON value in each.",
        "Die Zeilen zwischen den beiden --- behalten ihre Form, je ein JSON-Wert.",
        "两个 --- 之间每行保留一个 JSON 值。",
    ),
    "editor-failed": (
        "The editor could not be used: {reason}",
        "Der Editor ließ sich nicht benutzen: {reason}",
        "无法使用编辑器：{reason}",
    ),
    "editor-failed.hint": (
        "Set EDITOR to the command of your editor, for example EDITOR=nano.",
        "In EDITOR steht der Befehl des eigenen Editors, zum Beispiel EDITOR=nano.",
        "请将 EDITOR 设为编辑器的命令，例如 EDITOR=nano。",
    ),
    "files-not-asked": (
        "The question is not about several files.",
        "Die Frage betrifft nicht mehrere Dateien.",
        "该问题不涉及多个文件。",
    ),
    "files-not-asked.hint": (
        "Other arguments are given with --edit.",
        "Andere Argumente gibt --edit an.",
        "要修改参数，请用 --edit。",
    ),
    "files-of-one": (
        "--files answers one question: name its id.",
        "--files beantwortet eine Frage: ihre Kennung angeben.",
        "--files 只能回答一个问题：请给出其 ID。",
    ),
    "edit-of-files": (
        "These changes are edited file by file, with --files.",
        "Diese Änderungen werden Datei für Datei bearbeitet, mit --files.",
        "这些更改需用 --files 逐个文件编辑。",
    ),
    # questions
    "ask.pending": (
        "Collected so far, asked about at the end of the run ({count} {count:file|files}):",
        "Bisher gesammelt, wird am Ende des Laufs gefragt ({count} {count:Datei|Dateien}):",
        "目前已收集，运行结束时询问（{count} 个文件）：",
    ),
    "ask.wish.together": (
        "{who} wants to make its changes: {summary}",
        "{who} will seine Änderungen machen: {summary}",
        "{who} 想要执行其更改：{summary}",
    ),
    "ask.summary": (
        "{count} {count:file|files}, +{added} −{removed}",
        "{count} {count:Datei|Dateien}, +{added} −{removed}",
        "{count} 个文件，+{added} −{removed}",
    ),
    "ask.summary.one": (
        "1 file, +{added} −{removed}",
        "1 Datei, +{added} −{removed}",
        "1 个文件，+{added} −{removed}",
    ),
    "ask.question-together": (
        "Make all of these changes? [y]es  [n]o  [p]ick hunk by hunk  [?]",
        "Alle diese Änderungen machen? [j]a  [n]ein  Stelle für Stelle [a]uswählen  [?]",
        "执行所有这些更改吗？[y] 是  [n] 否  [p] 逐块选择  [?]",
    ),
    "ask.help-together": (
        "y: make all changes; n: make none; p: choose hunk by hunk. Or: paper approvals approve ID --files JSON",
        "j: alle Änderungen machen; n: keine; a: Stelle für Stelle. Oder: paper approvals approve ID --files JSON",
        "y：执行全部更改；n：全部不执行；p：逐块选择。逐个文件：paper approvals approve ID --files JSON",
    ),
    "ask.hunk": (
        "{where}: make this change? [y,n,a,d,e,q,?]",
        "{where}: so ändern? [j,n,a,d,e,q,?]",
        "{where}：执行此更改？[y,n,a,d,e,q,?]",
    ),
    "ask.hunk.help": (
        (
            "y  yes\nn  no\na  yes, and the rest of this file\nd  no, and no more of this file\n"
            "e  write the new text of this file in your editor\nq  no, and no more at all"
        ),
        (
            "j  ja\nn  nein\na  ja, auch der Rest der Datei\nd  nein, nichts mehr von der Datei\n"
            "e  den neuen Text der Datei im eigenen Editor schreiben\nq  nein, gar nichts mehr"
        ),
        (
            "y  是\nn  否\na  是，包括此文件的其余部分\nd  否，此文件的其余部分也不执行\n"
            "e  在编辑器中改写此文件的新文本\nq  否，其余全部不执行"
        ),
    ),
    # ways in
    "cli.together": (
        "Collect the changes and ask once, at the end.",
        "Die Änderungen sammeln und einmal fragen, am Ende.",
        "收集更改，最后统一询问一次。",
    ),
    "cli.approvals.together": (
        "And collect what the run changes later, to ask once.",
        "Und sammeln, was der Lauf später ändert, um einmal zu fragen.",
        "并收集本次运行之后的更改，统一询问一次。",
    ),
    "cli.approvals.files": (
        "An answer for each file: true, false, hunks or content.",
        "Eine Antwort je Datei: true, false, hunks oder content.",
        "逐个文件回答：true、false、hunks 或 content。",
    ),
    "mcp.ask.together": (
        "Collect what the run changes later, and ask once",
        "Sammeln, was der Lauf später ändert, und einmal fragen",
        "收集本次运行之后的更改，统一询问一次",
    ),
    "mcp.ask.files": (
        "An answer for each file, as JSON; empty for yes to all",
        "Eine Antwort je Datei, als JSON; leer ist Ja zu allen",
        "逐个文件的回答（JSON）；留空表示全部同意",
    ),
}
