"""``js_execute``: run JavaScript in the sandbox. A run carries it out itself, as it does every other block of code."""

from __future__ import annotations

from paperagents.tools.built_in import TEXT, BuiltIn, required

JS_EXECUTE = BuiltIn(name="js_execute", parameters=(required("code", TEXT),), aliases={"content": "code"}, prepare=None)
