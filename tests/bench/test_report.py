"""The report is what its results say, every bench has one, and any figure can be shown and drawn."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as some

import chart
import report
import result_files
import run
from result_files import Machine, Result
from table import Row, shown_ratio, table

TEXT = some.text(some.characters(min_codepoint=32, exclude_categories=("Cs", "Cn"), exclude_characters="\ufffe\uffff"))
MACHINE = Machine(processors=2, kernel="Linux 7", python="3.13.1", load=0.25, commit="abc")


def made_up(*rows: Row, note: str = "") -> Result:
    return Result(bench="made-up", date="2026-01-02", machine=MACHINE, rows=rows, peers={"rival": "1.2"}, note=note)


MET = Row(bench="made-up", measure="fast | quick", ours="1 ms", theirs="2 ms", ratio=0.5, bar="≤ 1", met=True)
MISSED = Row(bench="made-up", measure="slow", ours="3 ms", theirs="2 ms", ratio=1.5, bar="≤ 1", met=False)
WITHOUT = Row(bench="made-up", measure="only to know", ours="7 files")


@pytest.mark.parametrize("file", report.made(), ids=lambda file: file.name)
def test_the_report_is_what_the_results_say(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == report.made()[file], "python -I bench/report.py makes it anew"


def test_every_bench_has_results() -> None:
    named = {result.bench for result in result_files.stored()}
    assert set(run.every_bench()) - named == set()
    assert [result.bench for result in result_files.stored() if not result.rows] == []


def test_every_remark_is_about_a_bench() -> None:
    remarks = tomllib.loads((report.HERE / "remarks.toml").read_text(encoding="utf-8"))
    assert set(remarks) <= {result.bench for result in result_files.stored()} | set(run.every_bench())


def test_the_chart_shows_good_and_bad() -> None:
    bars = list(report.headlines(result_files.stored()))
    assert len(bars) >= 10
    assert any(bar.ratio > 1 for bar in bars)


def test_bars_come_first_and_the_rest_by_bench() -> None:
    page = report.page([made_up(MET, MISSED, WITHOUT, note="It rained.")], {"made-up": "A remark."})
    judged, _, rest = page.partition("## The benches")
    assert "1 of 2 bars are met, 1 missed." in judged
    assert "| made-up | slow | 3 ms | 2 ms | 1.50 | ≤ 1 | missed |" in judged
    assert "only to know" not in judged
    assert "2026-01-02, 2 processors, Linux 7, Python 3.13.1, load 0.25 before, commit abc. Beside rival 1.2." in rest
    assert rest.index("It rained.") < rest.index("A remark.") < rest.index("only to know")
    assert "slow" not in rest.partition("## Run it yourself")[0]


def test_the_figures_of_the_readme_stand_between_their_comments() -> None:
    text = "before\n<!-- generated: figures -->\nold\n<!-- end -->\nafter\n"
    renewed = report.with_figures(text, [made_up(MET)])
    assert renewed.startswith("before\n<!-- generated: figures -->\n")
    assert renewed.endswith("<!-- end -->\nafter\n")
    assert "old" not in renewed
    assert "1 of 1 bars are met, 0 missed." in renewed
    assert report.with_figures(renewed, [made_up(MET)]) == renewed


def test_a_bar_inside_a_cell_does_not_end_it() -> None:
    assert "fast &#124; quick" in table([MET])


@pytest.mark.parametrize(("ratio", "shown"), [(8.341, "8.34"), (0.63, "0.63"), (0.0441, "0.044"), (0.00141, "0.0014")])
def test_ratios_keep_the_digits_that_count(ratio: float, shown: str) -> None:
    assert shown_ratio(ratio) == shown


@given(
    rows=some.lists(
        some.builds(Row, bench=TEXT, measure=TEXT, ours=TEXT, ratio=some.none() | some.floats(allow_nan=False)),
        max_size=4,
    )
)
def test_a_result_is_read_as_it_was_kept(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    folder = tmp_path_factory.mktemp("results")
    result_files.store(made_up(*rows), folder)
    (read,) = result_files.stored(folder)
    assert list(read.rows) == rows
    assert (read.machine, read.peers, read.date) == (MACHINE, {"rival": "1.2"}, "2026-01-02")


@given(label=TEXT, ratio=some.floats(min_value=0, allow_nan=False))
def test_any_ratio_can_be_drawn(label: str, ratio: float) -> None:
    picture = ET.fromstring(chart.drawing([chart.Bar(label=label, peer="<&>", ratio=ratio)]))
    bar = next(each for each in picture.iter() if each.get("class") in ("less", "more"))
    assert chart.LEFT <= float(bar.attrib["x"]) <= chart.LEFT + chart.WIDTH
    assert float(bar.attrib["x"]) + float(bar.attrib["width"]) <= chart.LEFT + chart.WIDTH + 2


def test_the_chart_fetches_nothing() -> None:
    text = (report.ROOT / "docs" / "figures.svg").read_text(encoding="utf-8")
    assert text.count("://") == text.count('xmlns="http://') == 1
