"""Makes vaults of notes that look like those of people: headings, tags, properties, links, three languages.

    python -I bench/search_vault.py FOLDER --notes 10000

The same seed gives the same vault. Words follow Zipf's law, with a long tail of names and numbers that stand in
one note only.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NOTES_PER_FOLDER = 60
_STREAM = 1_500_000
_VOCABULARY = 120_000
_SYLLABLES = (
    "an ar ba be bel ber can car che con da de den der di do el en er es fa fe for ga ge ger gra ha hal har he in "
    "is ka ken ko la lan le len li lo ma man me men mi mo na ne ner no nu of on or pa per pi pla po ra re ren ri ro "
    "sa sch se sen ser si so sta ste stra ta te ten ter ti to tra tu un ur va ve ver vi wa wei wer win za zu"
)
_COMMON = (
    "the of and to in is that for it as was with be on not he by are this at from but have an they which one you "
    "were her all she there would their we him been has when who will more no if out so said what up its about into "
    "than them can only other new some could time these two may then do first any my now such like our over man me "
    "even most made after also did many before must through years where much your way well down should because"
)
_UMLAUTS = "für über können müssen Straße Größe Übung Grüße Mädchen Bäume Häuser schön Öl ähnlich Fußball Tür"
_CHINESE = (
    "今天我们在花园里种了一棵树然后写下关于项目会议和测试笔记的想法天气很好大家都高兴地讨论新计划与旅行安排以及食谱"
)
_TAGS = [
    "project",
    "project/garden",
    "recipe",
    "recipe/italian",
    "journal",
    "idea",
    "person",
    "buch",
    "任务",
    "meeting",
]
_STATUS = ["open", "done", "waiting", "someday"]


@dataclass(frozen=True, kw_only=True)
class _Language:
    stream: list[str]
    titles: list[str]


def make_vault(folder: Path, notes: int, seed: int = 1) -> int:
    """Write the notes below the folder; how many bytes they have together."""
    choose = random.Random(seed)
    language = _language(choose)
    size, place = 0, folder
    for number in range(notes):
        if number % NOTES_PER_FOLDER == 0:
            place = folder / _folder_name(number // NOTES_PER_FOLDER, choose)
            place.mkdir(parents=True, exist_ok=True)
        content = _note(number, language, choose).encode()
        size += len(content)
        (place / f"{_title(language, choose)} {number}.md").write_bytes(content)
    return size


def _language(choose: random.Random) -> _Language:
    words = list(itertools.islice(_words(choose), _VOCABULARY))
    vocabulary = [*_COMMON.split(), *words[: _VOCABULARY // 2], *_UMLAUTS.split(), *words[_VOCABULARY // 2 :]]
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(vocabulary))))
    return _Language(stream=choose.choices(vocabulary, cum_weights=weights, k=_STREAM), titles=vocabulary[:60_000])


def _words(choose: random.Random) -> Iterator[str]:
    """Words without end, none twice."""
    seen, syllables = set(_COMMON.split()), _SYLLABLES.split()
    while True:
        word = "".join(choose.choices(syllables, k=choose.choice((2, 2, 3, 3, 4))))
        if word not in seen:
            seen.add(word)
            yield word


def _folder_name(number: int, choose: random.Random) -> str:
    area = ("Projects", "Areas", "Journal", "Bücher", "资料")[choose.randrange(5)]
    return f"{area}/{number // 40:03d}/{number:05d}"


def _note(number: int, language: _Language, choose: random.Random) -> str:
    parts = [_frontmatter(choose)] if choose.random() < 0.6 else []
    parts.append(f"# {_title(language, choose)}\n")
    for _ in range(choose.randint(2, 8)):
        parts += [f"## {_title(language, choose)}\n"] if choose.random() < 0.6 else []
        parts.append(_paragraph(number, language, choose))
    if choose.random() < 0.1:
        parts.append("```python\nprint('#no tag', [x for x in range(10)])\n```\n")
    if choose.random() < 0.08:
        parts.append(_chinese(choose))
    return "\n".join(parts)


def _frontmatter(choose: random.Random) -> str:
    tags = ", ".join(choose.sample(_TAGS, choose.randint(1, 3)))
    return (
        f"---\ntags: [{tags}]\nstatus: {choose.choice(_STATUS)}\nrating: {choose.randint(1, 5)}\n"
        f"created: 20{choose.randint(10, 26)}-0{choose.randint(1, 9)}-1{choose.randint(0, 9)}\n---\n"
    )


def _title(language: _Language, choose: random.Random) -> str:
    return " ".join(choose.choices(language.titles, k=3)).title()


def _paragraph(number: int, language: _Language, choose: random.Random) -> str:
    """Lines of about a dozen words; some with a link, a tag, a number that stands nowhere else."""
    start = choose.randrange(_STREAM - 400)
    words = language.stream[start : start + choose.randint(80, 260)]
    lines = [" ".join(words[place : place + 12]) + "." for place in range(0, len(words), 12)]
    extra = choose.random()
    if extra < 0.3:
        lines.append(f"See [[{_title(language, choose)}]] and #{choose.choice(_TAGS)}.")
    elif extra < 0.5:
        lines.append(f"Call {choose.randrange(10**8)} about order A{number}-{choose.randrange(100)}.")
    return "\n".join(lines) + "\n"


def _chinese(choose: random.Random) -> str:
    sentences = ("".join(choose.choices(_CHINESE, k=choose.randint(6, 18))) for _ in range(choose.randint(2, 10)))
    return "。".join(sentences) + "。\n"


def main() -> None:
    """Make a vault where the command says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    arguments = parser.parse_args()
    size = make_vault(arguments.folder, arguments.notes)
    print(f"{arguments.notes} notes, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
