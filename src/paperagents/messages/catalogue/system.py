"""Why the operating system refused something; the English sentences are its own."""

TEXTS: dict[str, tuple[str, str, str]] = {
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
