"""A JavaScript file that is a module of its own, made into a block that the sandbox can run."""

from __future__ import annotations

import re
from dataclasses import replace

from paperagents.definitions.source import Excerpt

_EXPORT = re.compile(r"^export default ", re.MULTILINE)

_BEFORE = (
    "const module_ = { exports: {} }; const refuse_ = name => { throw new Error(`Cannot load '${name}': "
    "only packages that getDependencies() declares can be loaded`); }; const load_ = async name => refuse_(name);"
    " (function (module, exports, require, importx, loadModule) {\n"
)
_AFTER = (
    "\n}).call(module_.exports, module_, module_.exports, refuse_, load_, load_);"
    " const named_ = module_.exports?.default && !module_.exports.execute;"
    " const exported_ = named_ ? module_.exports.default : module_.exports;"
    " const tool = typeof exported_ === 'function' ? new exported_() : exported_;"
    " if (typeof tool !== 'object' || tool === null) throw new TypeError('module.exports is not an object');\n"
)


def with_module(source: Excerpt, then: str) -> Excerpt:
    """The file evaluated, then more code that sees what it exports as ``tool``. Its lines keep their numbers.

    The two ways to write a module's main export have the same length, so columns stay true, too.
    """
    code = _EXPORT.sub("module.exports=", source.text, count=1)
    return replace(source, text=f"{_BEFORE}{code}{_AFTER}{then}", line=source.line - 1, last_line=code.count("\n") + 1)
