"""Whatever the bytes are: reading never fails, says the same twice, and every place it names is in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.definitions.file_reading import MAX_BYTES
from paperagents.definitions.source import Problem
from paperagents.messages import LANGUAGES, in_language
from paperagents.reading.files import read_markdown
from paperagents.reading.references import Malformed, Reference, read_template

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("corpus/*.md"))
FRAGMENTS = (
    "---", "---\n", "...\n", "tool: true\n", "agent: true\n", "tool: yes\n", "name: x\n", "description: d\n", "\n",
    "type: chain\n", "parameters:\n", "  - name: date\n", "    type: string\n", "    default: 5\n", "steps:\n",
    "  - tool: read_file\n", "    for_each: [a]\n", "    parallel:\n", "      - name: y\n", "    if: input.a\n",
    "custom_function: |\n", "  return 1;\n", "  while(true){}\n", "```js\n", "```yaml\n", "```\n", "~~~\n", "> ", "- ",
    "// @preprocess\n", "//@postprocess\n", "return {{x}};\n", "{{", "}}", "{{date}}", "{", "}", "[", "]", '"', "'",
    "`", ":", ": ", "|", ">", "#", "&a ", "*a", "!!int ", "<<: ", "? ", "\t", "\0", "\r", "\r\n", "\ufeff", "😀", "ä",
    "\u2028", "\x85", "\ufffe", "  ", " ", "eval(", "prev_step.output", "input.x", "\\", "${", "/*", "<!--", "0x", "~",
)  # fmt: skip
FRONT = "---\ntool: true\nname: x\ndescription: d\n"

texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=40).map("".join)
tool_texts = texts.map(lambda text: FRONT + text) | texts.map(lambda text: f"{FRONT}---\n{text}")
contents = st.binary(max_size=200) | (texts | tool_texts).map(lambda text: text.encode("utf-8", "surrogatepass"))


def assert_inside(problem: Problem, data: bytes) -> None:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines, span = text.split("\n"), problem.span
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1
    assert (span.end_line, span.end_column) >= (span.line, span.column)


def assert_tellable(problem: Problem) -> None:
    for language in LANGUAGES:
        with in_language(language):
            assert problem.message.strip()
            assert problem.hint is None or problem.hint.strip()


@settings(max_examples=400, deadline=None)
@given(contents)
def test_any_bytes_are_read_and_every_problem_can_be_told_at_a_place_in_the_file(data: bytes) -> None:
    for problem in read_markdown(data, "a.md").problems:
        assert_inside(problem, data)
        assert_tellable(problem)


@settings(max_examples=100, deadline=None)
@given(tool_texts)
def test_reading_says_the_same_twice(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert read_markdown(data, "a.md") == read_markdown(data, "a.md")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_problem_of_the_corpus_can_be_told_in_every_language(file: Path) -> None:
    data = file.read_bytes()
    for problem in read_markdown(data, file.name).problems:
        assert_inside(problem, data)
        assert_tellable(problem)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_a_file_cut_or_changed_anywhere_is_still_read(file: Path, data: st.DataObject) -> None:
    content = file.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 8, len(content))))
    changed = content[:start] + data.draw(st.binary(max_size=3)) + content[end:]
    for problem in read_markdown(changed, "a.md").problems:
        assert_inside(problem, changed)
        assert_tellable(problem)


@settings(deadline=None)
@given(st.text().filter(lambda text: "{{" not in text))
def test_a_text_without_references_is_its_own_template(text: str) -> None:
    pieces = read_template(text).pieces
    if not any(isinstance(piece, Reference) for piece in pieces):
        assert "".join(str(piece) for piece in pieces) in (text, text.removeprefix("\\"))
    else:
        assert text.split(".", 1)[0].split("[", 1)[0] in ("input", "preprocess", "output", "prev_step", "steps")


@settings(deadline=None)
@given(texts)
def test_the_pieces_of_a_template_lie_in_order_and_cover_the_references(text: str) -> None:
    end = 0
    for piece in read_template(text).pieces:
        if isinstance(piece, Reference | Malformed):
            assert end <= piece.start < piece.end <= len(text)
            assert piece.text in text[piece.start : piece.end]
            end = piece.end


def test_a_file_beyond_the_limit_is_refused_at_its_start() -> None:
    data = (FRONT + "---\n").encode() + b"x" * MAX_BYTES
    (problem,) = read_markdown(data, "big.md").problems
    assert (problem.code, problem.span.line, problem.span.column) == ("file-too-large", 1, 1)
    assert_tellable(problem)


@pytest.mark.parametrize(
    "piece",
    ["{{", "{{a", "[", "{", "- ", "> ", "```js\n", "((", "`${", "&a [", "*a ", "\\{{", "{{a.", "'", "  - a:\n", "a: {"],
)
@pytest.mark.parametrize("frame", [FRONT + "x: %s\n---\n", FRONT + "---\n%s", FRONT + "---\n```js\n// @preprocess\n%s"])
def test_a_piece_repeated_without_end_is_read_to_its_end(frame: str, piece: str) -> None:
    data = (frame % (piece * 5_000)).encode()
    for problem in read_markdown(data, "a.md").problems:
        assert_inside(problem, data)
