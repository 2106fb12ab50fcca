"""A note as the search sees it: name, path, tags, properties, text, and the words in it."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property, lru_cache

from paperagents.definitions.json_value import JsonValue
from paperagents.files.folder import VaultFolder
from paperagents.files.listing import ListedFile
from paperagents.reading.markdown import read_properties
from paperagents.values import dataclass

_MARKDOWN = (".md", ".markdown")
# Letters, digits and emoji, as people write them; punctuation of any script ends a tag. Before it stands a
# blank, or Chinese and Japanese punctuation, which takes none.
_INLINE_TAG = re.compile(
    # The mark comes first and is looked back over: an expression that begins with a letter is found much faster.
    r"#(?<![^\s\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]#)([\w/\-\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]+)"
)
_HEADING = re.compile(r"#(?<![^\n]#)#{0,5}[ \t]+([^\s#][^\r\n]*)")
_FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t>]*+)?(`{3,}+(?=[^`]*$)|~{3,}+)")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_TICKS = re.compile(r"`+")
_LONGEST_TAG = 200
"""Characters; more are no tag. One of half a million levels would have as many above it, each to be found by."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """A file of the vault. One that is no text has an empty text and is found by its name alone."""

    path: str
    text: str = ""
    tags: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    properties: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name, with its ending."""
        return self.path.rpartition("/")[2]

    @cached_property
    def folded_text(self) -> str:
        """The text as it is compared."""
        return fold(self.text)

    @cached_property
    def unwrapped_text(self) -> str:
        """The text as phrases are compared: line ends and other blanks are one blank each."""
        return f" {' '.join(self.folded_text.split())} "

    @cached_property
    def folded_path(self) -> str:
        """The path as it is compared."""
        return fold(self.path)

    @cached_property
    def folded_headings(self) -> str:
        """The headings as they are compared, a line each."""
        return fold("\n".join(self.headings))


def parse_note(path: str, text: str | None) -> Note:
    """The note of a file; tags and properties are those of Markdown files."""
    if text is None:
        return Note(path=path)
    if not path.lower().endswith(_MARKDOWN):
        return Note(path=path, text=text)
    properties, body = read_properties(text)
    # A comment in a fenced block is no heading and no tag. One character is looked for ten times as fast as three.
    has_fences = any(mark in body and 3 * mark in body for mark in "`~")
    prose = "\n\n".join(split_at_fences(body)) if has_fences else body
    found = (tag for tag in (*read_property_tags(properties), *find_inline_tags(prose)) if len(tag) <= _LONGEST_TAG)
    tags = {fold(tag): tag for tag in reversed([*found])}
    return Note(
        path=path,
        text=text,
        properties=properties,
        tags=tuple(reversed(tags.values())),
        headings=tuple(_HEADING.findall(prose)),
    )


def fold(text: str) -> str:
    """The form in which texts are compared: no case, one way to write each character."""
    if text.isascii():
        return text.lower()
    if "\n" in text:
        # Most lines of most notes are plain, and folding those is much quicker. No character reaches over a line end.
        return "\n".join([line.lower() if line.isascii() else fold(line) for line in text.split("\n")])
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def find_inline_tags(prose: str) -> list[str]:
    """The ``#tags`` of a text without fences that stand outside of code."""
    if "#" not in prose:
        return []
    if "`" in prose:
        prose = "\n\n".join([remove_code_spans(paragraph) for paragraph in _PARAGRAPH_END.split(prose)])
    found = (match[1].strip("/") for match in _INLINE_TAG.finditer(prose))
    # "#1" is a number, not a tag.
    return [tag for tag in found if tag and not tag.replace("/", "").isdecimal()]


def read_property_tags(properties: Mapping[str, JsonValue]) -> list[str]:
    """Tags of the frontmatter: a list, or one text with commas or blanks between them."""
    tags: list[str] = []
    for name in ("tags", "tag"):
        value = properties.get(name)
        values = re.split(r"[,\s]+", value) if isinstance(value, str) else value
        tags += [read_tag(each) for each in values] if isinstance(values, list) else []
    return [tag for tag in tags if tag]


def read_tag(value: JsonValue) -> str:
    """A tag without its mark; a year is one too, a nested list is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip().lstrip("#").strip("/")


def split_at_fences(body: str) -> Iterator[str]:
    """What stands before, between and after fenced blocks; one that is never closed reaches to the end."""
    begin = 0
    closing: re.Pattern[str] | None = None
    for start, end in find_marked_lines(body):
        if closing is not None:
            if closing.fullmatch(body, start, end):
                closing, begin = None, end + 1
        elif opening := _FENCE.match(body, start, end):
            mark = opening[1]
            closing = re.compile(rf"[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t\r]*")
            yield body[begin : max(begin, start - 1)]
    if closing is None:
        yield body[begin:]


def find_marked_lines(body: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends that holds what may be a fence. Each mark is looked for once."""
    ticks, tildes = body.find("```"), body.find("~~~")
    while ticks >= 0 or tildes >= 0:
        place = max(ticks, tildes) if min(ticks, tildes) < 0 else min(ticks, tildes)
        end = body.find("\n", place)
        end = len(body) if end < 0 else end
        yield body.rfind("\n", 0, place) + 1, end
        ticks = body.find("```", end) if 0 <= ticks < end else ticks
        tildes = body.find("~~~", end) if 0 <= tildes < end else tildes


def remove_code_spans(paragraph: str) -> str:
    """Cut from each run of backticks to the next run of the same length; a run without one is text."""
    runs = list(_TICKS.finditer(paragraph))
    partner = pair_runs(runs)
    kept, position, number = [], 0, 0
    while number < len(runs):
        if (end := partner[number]) is not None:
            kept.append(paragraph[position : runs[number].start()])
            position = runs[end].end()
            number = end
        number += 1
    return "`".join([*kept, paragraph[position:]])


def pair_runs(runs: list[re.Match[str]]) -> list[int | None]:
    """For each run the number of the next one of its length, found in one pass from the right."""
    partner: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = len(runs[number][0])
        partner[number] = latest.get(length)
        latest[length] = number
    return partner


# --- reading a note for the search, and whether what was read can be relied on later


LARGEST_SEARCHED = 4 * 1024 * 1024
"""Larger files are found by name and path only."""

_SECOND = 1_000_000_000
_TICK = _SECOND // 10
_COARSE_TICK = 2 * _SECOND + _TICK


def read_note(folder: VaultFolder, file: ListedFile) -> Note:
    """The note of a listed file."""
    return parse_note(file.path, read_note_text(folder, file))


def read_note_text(folder: VaultFolder, file: ListedFile) -> str | None:
    """The text of a listed file; None where it is gone, too large, or not text."""
    return folder.read_listed(file, LARGEST_SEARCHED) if file.size <= LARGEST_SEARCHED else None


def is_settled(file: ListedFile, read_at: int) -> bool:
    """Whether any change after the reading gives the file another stamp.

    Clocks of file systems tick slowly: two saves in one tick look the same. Some count in whole seconds, or in two.
    """
    _, modified, changed, _ = array("q", file.stamp)
    tick = _COARSE_TICK if modified % _SECOND == 0 and changed % _SECOND == 0 else _TICK
    return max(modified, changed) + tick < read_at


# --- words as the index sees them
#
# Scripts that put blanks between words have words as everybody knows them. Chinese and Japanese do not: there every
# two neighbouring characters are a word, and the last character of a run is one too. So a text is found by any part of
# it, and a word never reaches over the end of a run.


LONGEST_WORD = 10_000
"""Characters of a word in the index; it stays below the limit of the index, which counts bytes."""
LONGEST_SOUGHT = 500
"""Characters of a word that are looked up; longer ones are found by their beginning and then looked at."""

DENSE = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U000323af"
)
"""Characters of scripts without blanks between words, as a part of a regular expression's set."""
_DENSE_RUN = re.compile(f"[{DENSE}]+")
# Vowel signs of many scripts belong to a word for the index but not for Python: only plain signs surely end one.
# Written as what it is not: Python takes milliseconds to make a set of so many characters.
_UNBROKEN = r"[^\x00-/:-@\[-`{-\x7f]"
_LONG_RUN = re.compile(rf"(?<!{_UNBROKEN}){_UNBROKEN}{{{LONGEST_WORD},}}+")
_HALF = LONGEST_WORD // 2
_HALF_RUN = re.compile(rf"{_UNBROKEN}{{{_HALF}}}")


def separate_words(text: str) -> str:
    """A text, folded and written so that cutting it at everything but letters and digits gives the words."""
    if text.isascii():
        words = text.lower()
    else:
        # Most lines of most notes are plain; passing over them is much quicker than looking through them.
        lines = text.split("\n")
        words = "\n".join(
            [line.lower() if line.isascii() else _DENSE_RUN.sub(separate_pairs, fold(line)) for line in lines]
        )
    # Few places are looked at: a word that is too long fills the text between two of them.
    if len(words) >= LONGEST_WORD and any(_HALF_RUN.match(words, place) for place in range(0, len(words), _HALF)):
        return _LONG_RUN.sub(cut_long_word, words)
    return words


def is_dense(text: str) -> bool:
    """Whether a text is all Chinese or Japanese characters."""
    return _DENSE_RUN.fullmatch(text) is not None


def make_pairs(run: str) -> list[str]:
    """Every two neighbouring characters."""
    return [run[place : place + 2] for place in range(len(run) - 1)]


def find_runs(text: str) -> list[str]:
    """The parts of a folded query text that lie inside of one word each, wherever the text stands."""
    found, start = list[str](), 0
    kinds = [classify(character) for character in text]
    for place in range(1, len(text) + 1):
        if place == len(text) or kinds[place] != kinds[start]:
            if kinds[start]:
                found.append(text[start:place])
            start = place
    return found


@lru_cache(maxsize=1000)
def classify(character: str) -> str:
    """Letters and digits of all times: what the index takes for one, whichever version of Unicode it knows."""
    if unicodedata.category(character)[0] not in "LN":
        return ""
    return "dense" if is_dense(character) else "letter"


def separate_pairs(run: re.Match[str]) -> str:
    """The words of a run of Chinese or Japanese characters."""
    return f" {' '.join(make_pairs(run[0]))} {run[0][-1]} "


def cut_long_word(run: re.Match[str]) -> str:
    """A word too long for the index, in pieces that overlap by as much as is looked up; only the last has its end."""
    text, step = run[0], LONGEST_WORD - LONGEST_SOUGHT
    return " ".join(text[place : place + LONGEST_WORD] for place in range(0, len(text) - LONGEST_SOUGHT, step))
