"""What is said about the search and its index."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "search-index-anew": (
        "The search index is damaged or was made by another version. It is made anew.",
        "Der Suchindex ist beschädigt oder stammt von einer anderen Version. Er wird neu angelegt.",
        "搜索索引已损坏或由其他版本创建，将重新建立。",
    ),
    "cli.search.sort": (
        "What comes first: the best answers, the newest notes, or the alphabet.",
        "Was zuerst kommt: die besten Treffer, die neuesten Notizen oder das Alphabet.",
        "排列顺序：最相关、最近修改或按路径。",
    ),
    "cli.search.indexing": ("Reading the notes", "Notizen werden gelesen", "正在读取笔记"),
}
