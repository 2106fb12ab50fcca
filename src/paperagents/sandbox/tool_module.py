"""A JavaScript file that is a module of its own, made into a block that the sandbox can run."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from paperagents.definitions.source import Excerpt

LOADER = "loadx_"
"""What ``import`` is called in the file as it is run; as long as that word, so that columns stay true."""
Packages = Literal["none", "pretended", "real"]
"""What a file gets that asks for a package: an error, something that stands in for it, or the package."""

_GLOBALS = " Object.assign(globalThis, { importx: load_, loadModule: load_ });"
_LOADERS: dict[Packages, str] = {
    "none": (
        "const refuse_ = name => { throw new Error(`Cannot load '${name}': "
        "only packages that getDependencies() declares can be loaded`); };"
        f" const load_ = async name => refuse_(name), {LOADER} = load_;{_GLOBALS}"
    ),
    # While a file is only asked about itself, a package it loads at its top is anything it wants.
    "pretended": (
        "const stand_in_ = new Proxy(function () {}, { get: (_, key) => key === 'then' ? undefined"
        " : key === Symbol.toPrimitive ? () => '' : key === 'prototype' ? {} : stand_in_,"
        " set: () => true, apply: () => stand_in_, construct: () => stand_in_ });"
        f" const refuse_ = () => stand_in_, load_ = async () => stand_in_, {LOADER} = load_;{_GLOBALS}"
    ),
    # The process gives these names itself, and the globals.
    "real": f"const refuse_ = require_, {LOADER} = import_;",
}
_BEFORE = " const module_ = { exports: {} }; await (async function (module, exports, require) {\n"
_AFTER = (
    "\n}).call(module_.exports, module_, module_.exports, refuse_);"
    " const named_ = module_.exports?.default && !module_.exports.execute;"
    " const exported_ = named_ ? module_.exports.default : module_.exports;"
    " const made_of_ = typeof exported_ === 'function' ? new exported_() : exported_;"
    # A frozen object could not be given its api.
    " const frozen_ = typeof made_of_ === 'object' && made_of_ && !Object.isExtensible(made_of_);"
    " const tool = frozen_ ? Object.create(made_of_) : made_of_;"
    " if (typeof tool !== 'object' || tool === null) throw new TypeError('module.exports is not an object');\n"
)


def with_module(source: Excerpt, then: str, packages: Packages = "none") -> Excerpt:
    """The file evaluated, then more code that sees what it exports as ``tool``. Its lines keep their numbers."""
    text = f"{_LOADERS[packages]}{_BEFORE}{source.text}{_AFTER}{then}"
    return replace(source, text=text, line=source.line - 1, last_line=source.text.count("\n") + 1)
