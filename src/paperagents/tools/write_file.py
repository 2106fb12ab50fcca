"""``write_file``: write a text file of the vault, after a person has seen the diff."""

from __future__ import annotations

from paperagents.approval.diff import unified_diff
from paperagents.approval.question import Effect, Scope
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import ToolError
from paperagents.files.reading import ABSENT, hash_content
from paperagents.files.safe_open import join_path, split_writable_path
from paperagents.tools.built_in import (
    BOOLEAN,
    INTEGER,
    TEXT,
    BuiltIn,
    ToolContext,
    object_of,
    optional,
    refuse_by,
    required,
)


def prepare(context: ToolContext, arguments: JsonObject) -> Effect:
    """The change: always asked, shown as a diff, and only done to the file the diff was made from."""
    content, folder = str(arguments["content"]), context.folder
    path = folder.resolve_writable_path(str(arguments["filePath"]), content)
    if path != join_path(split_writable_path(str(arguments["filePath"]))):
        # A link may lead elsewhere when it is done: what is agreed on is the place itself.
        arguments = {**arguments, "filePath": path}
    overwrite, append = bool(arguments.get("overwrite")), bool(arguments.get("append"))
    try:
        found = folder.find_text(path)
    except ToolError as error:
        # What is there is not replaced, whether it can be shown or not.
        if error.code in ("not-utf8", "file-too-large") and not (overwrite or append):
            raise ToolError("file-exists", path=path) from error
        raise
    old = found.content if found is not None else None
    new = (old or "") + content if append else content
    before = ABSENT if found is None else found.digest
    after = lossless_bytes(new)
    return Effect(
        tool=WRITE_FILE.name,
        arguments=arguments,
        needs_approval=True,
        preview=unified_diff(old, new, path),
        scope=Scope(mode="create" if old is None else "append" if append else "overwrite", path=path),
        before=before,
        after=hash_content(after),
        changes=(Change(path=path, before=old, after=new),),
        answer={"filePath": path, "size": len(after), "created": old is None},
        refusal=ToolError("file-exists", path=path) if old is not None and not overwrite and not append else None,
        current=lambda: folder.digest(path),
        perform=lambda: folder.write_text(
            path, content, overwrite=overwrite, append=append, expected_digest=before
        ).as_json(),
    )


WRITE_FILE = BuiltIn(
    name="write_file",
    parameters=(
        required("filePath", TEXT),
        required("content", TEXT),
        optional("overwrite", BOOLEAN, default=False),
        optional("append", BOOLEAN, default=False),
    ),
    aliases={"path": "filePath"},
    refuses={"filePath": refuse_by(split_writable_path)},
    answer=object_of(filePath=TEXT, size=INTEGER, created=BOOLEAN),
    leaves_the_vault=False,
    prepare=prepare,
)
