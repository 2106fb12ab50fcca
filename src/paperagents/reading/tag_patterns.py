r"""The tag word in a definition's own regular expression.

A definition may bring patterns such as ``{{<notify\s+([^>]*)\s*\/>}}``. Run as they are, such expressions
lose text (``>`` inside a value) and take cubic time on hostile input. So a pattern is never run: the word
behind its ``{{<`` is taken from it, and the tokenizer reads that tag by the common rules, which accept all
that the pattern would and more. A pattern that describes another notation is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from paperagents.definitions.pattern import compiled
from paperagents.errors import UsageError

LONGEST_PATTERN = 1000
JAVASCRIPT_LITERAL = compiled(r"/(?P<pattern>.*)/[a-z]*+\Z", re.DOTALL)
GROUP = r"\((?:\?:|\?P?<\w{1,99}>)?"
OPENING = compiled(
    rf"(?:\(\?[a-z]{{1,9}}\))?\^?(?:{GROUP})?(?:\\?\{{){{2}}\\?<(?:\\s[*+?]*|[ ])*(?:{GROUP})?"
    r"(?P<word>\w[\w.\-]{0,199}+)(?P<rest>.*)\Z",
    re.DOTALL,
)
# What the shapes of the documentation are made of: blanks, attributes or content as groups, the tag's ends.
SHAPE_OF_REST = compiled(
    rf"(?:\\b|\\[sw][*+?]{{1,2}}|\\s|[ ]|\(\?:|{GROUP}(?=\[|\.|\(|\\s)|\)[*+?]{{0,2}}"
    r"|\[\^[^\]]{1,9}\][*+?]{1,2}|\[\\s\\S\][*+?]{1,2}|\.[*+?]{1,2}|=|[\"']|\[[\"']{2}\]"
    r"|\\?/\??|\\?>|\\?\}|\\?\{|\\?<|\w[\w.\-]*+)*+\Z"
)


def words_of_patterns(tag: str, patterns: Mapping[str, str | re.Pattern[str]]) -> tuple[str, ...]:
    """The words that the patterns of a definition look for, each once."""
    return tuple(dict.fromkeys(word_of_pattern(tag, pattern) for pattern in patterns.values()))


def word_of_pattern(tag: str, pattern: str | re.Pattern[str]) -> str:
    """The word that one pattern looks for."""
    text = pattern if isinstance(pattern, str) else str(pattern.pattern)
    if literal := JAVASCRIPT_LITERAL.match(text[: LONGEST_PATTERN + 1]):
        text = literal["pattern"]
    match = OPENING.match(text) if len(text) <= LONGEST_PATTERN else None
    if match is None or not SHAPE_OF_REST.match(match["rest"]):
        raise UsageError("tag-pattern-unsupported", tag=tag, pattern=text[:80])
    return match["word"]
