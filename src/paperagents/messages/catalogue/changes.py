"""What runs have changed, whose a line is, and taking changes back."""

TEXTS: dict[str, tuple[str, str, str]] = {
    # commands
    "cli.changes": (
        "What runs have changed in notes and entries.",
        "Was Läufe an Notizen und Einträgen geändert haben.",
        "各次运行对笔记和条目所做的更改。",
    ),
    "cli.changes.list": ("The newest first.", "Die neuesten zuerst.", "最新的在前。"),
    "cli.changes.file": (
        "Only changes of this file, or of an entry such as memory/tea.",
        "Nur Änderungen dieser Datei oder eines Eintrags wie memory/tea.",
        "仅限此文件，或 memory/tea 这样的条目的更改。",
    ),
    "cli.changes.run": ("Only changes of this run.", "Nur Änderungen dieses Laufs.", "仅限此次运行的更改。"),
    "cli.changes.limit": ("At most so many.", "Höchstens so viele.", "最多显示的数量。"),
    "cli.changes.show": (
        "What one run has changed, as a diff.",
        "Was ein Lauf geändert hat, als Diff.",
        "以差异形式显示一次运行所做的更改。",
    ),
    "cli.changes.none": ("No run has changed anything.", "Kein Lauf hat etwas geändert.", "没有任何运行更改过内容。"),
    "cli.changes.undone": ("undone", "zurückgenommen", "已撤销"),
    "cli.changes.created": ("created", "neu", "新建"),
    "cli.changes.changed": ("changed", "geändert", "更改"),
    "cli.changes.deleted": ("deleted", "gelöscht", "删除"),
    "cli.changes.not-kept": (
        "{path}: the texts are not kept any more.",
        "{path}: Die Texte sind nicht mehr aufbewahrt.",
        "{path}：文本已不再保留。",
    ),
    "cli.blame": (
        "Whose each line of a note is: the run that wrote it, its step, and who agreed.",
        "Von wem jede Zeile einer Notiz ist: der Lauf, der sie geschrieben hat, sein Schritt und wer zugestimmt hat.",
        "笔记中每一行的来源：由哪次运行的哪一步写入，由谁同意。",
    ),
    "cli.blame.outside": ("outside", "von außen", "外部"),
    "cli.undo": (
        "Take back what a run changed. Later edits of other lines stay.",
        "Nimmt zurück, was ein Lauf geändert hat. Spätere Änderungen anderer Zeilen bleiben.",
        "撤销一次运行所做的更改，之后对其他行的修改会保留。",
    ),
    "cli.undo.file": (
        "Only in this file; may be given several times.",
        "Nur in dieser Datei; mehrfach möglich.",
        "仅限此文件；可多次给出。",
    ),
    "cli.undo.dry-run": (
        "Show what would change, and change nothing.",
        "Nur zeigen, was sich ändern würde.",
        "只显示将要更改的内容，不做更改。",
    ),
    "cli.undo.done": (
        "Undone: {files}. To bring it back: {command} undo {run}",
        "Zurückgenommen: {files}. Wiederherstellen: {command} undo {run}",
        "已撤销：{files}。如需恢复：{command} undo {run}",
    ),
    # the tool
    "builtin.undo": (
        "Take back what a run changed in notes and entries. A person is asked first.",
        "Nimmt zurück, was ein Lauf an Notizen und Einträgen geändert hat. Vorher wird ein Mensch gefragt.",
        "撤销一次运行对笔记和条目所做的更改。撤销前会征求人的同意。",
    ),
    "builtin.undo.run": (
        "The id of the run, or last: the newest that changed something and is not undone.",
        "Die Id des Laufs, oder last: der neueste, der etwas geändert hat und nicht zurückgenommen ist.",
        "运行的 ID；last 表示最近一次更改过内容且尚未撤销的运行。",
    ),
    "builtin.undo.files": (
        "Only these files and entries.",
        "Nur diese Dateien und Einträge.",
        "仅限这些文件和条目。",
    ),
    "builtin.restore_entry": (
        "Make an entry what it was in one of its versions. A person is asked first.",
        "Macht einen Eintrag wieder zu dem, was er in einer seiner Fassungen war. Vorher wird ein Mensch gefragt.",
        "将条目恢复到它的某个版本。恢复前会征求人的同意。",
    ),
    "builtin.restore_entry.kind": (
        "The kind of the entry, for example memory.",
        "Die Art des Eintrags, zum Beispiel memory.",
        "条目的种类，例如 memory。",
    ),
    "builtin.restore_entry.identifier": ("The name of the entry.", "Der Name des Eintrags.", "条目的名称。"),
    "builtin.restore_entry.version": (
        "The number of the version, as the entry's history has it.",
        "Die Nummer der Fassung, wie sie im Verlauf des Eintrags steht.",
        "版本号，见该条目的历史。",
    ),
    "undo.not-own": (
        "The record of this run came with the vault: nobody can tell whether the texts are real.",
        "Die Aufzeichnung dieses Laufs kam mit dem Vault: Ob die Texte echt sind, lässt sich nicht sagen.",
        "此次运行的记录是随库带来的：无法确认这些文本是否真实。",
    ),
    # errors
    "nothing-to-undo": (
        "Nothing of run {run} is left to undo.",
        "Von Lauf {run} ist nichts mehr zurückzunehmen.",
        "运行 {run} 没有可以撤销的内容了。",
    ),
    "nothing-to-undo.run": (
        "Run {run} has changed nothing.",
        "Lauf {run} hat nichts geändert.",
        "运行 {run} 没有更改任何内容。",
    ),
    "nothing-to-undo.none": (
        "There is nothing to undo.",
        "Es gibt nichts zurückzunehmen.",
        "没有可以撤销的内容。",
    ),
    "undo-conflict": (
        "Run {run} cannot be undone: the same lines were changed since: {where}. Nothing was changed.",
        "Lauf {run} lässt sich nicht zurücknehmen; seither geändert wurde: {where}. Nichts wurde verändert.",
        "无法撤销运行 {run}：此后相同的行被修改过（{where}），因此未做任何更改。",
    ),
    "undo-conflict.hint": (
        "Edit these lines by hand, or undo the other files with --file.",
        "Diese Zeilen von Hand ändern, oder die anderen Dateien mit --file zurücknehmen.",
        "请手动修改这些行，或用 --file 撤销其他文件。",
    ),
    "undo.gone": ("{path} (not there any more)", "{path} (nicht mehr vorhanden)", "{path}（已不存在）"),
    "undo-unknown-file": (
        "The run did not change '{path}'. It changed: {paths}",
        "Der Lauf hat „{path}“ nicht geändert, sondern: {paths}",
        "此次运行没有更改 “{path}”，它更改了：{paths}",
    ),
    "change-not-kept": (
        "What {path} was before run {run} is not kept any more.",
        "Was {path} vor dem Lauf {run} war, ist nicht mehr aufbewahrt.",
        "{path} 在运行 {run} 之前的内容已不再保留。",
    ),
}
