"""Draws times beside those of others, as bars to both sides of a line, readable by day and by night."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from table import shown_ratio

LEFT, WIDTH, RIGHT = 420, 330, 110
TOP, HEIGHT = 64, 26
LEAST, MOST = 0.001, 10.0
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328; } .small { font-size: 12px; fill: #59636e; }
.page { fill: #ffffff; } .line { stroke: #59636e; } .grid { stroke: #d1d9e0; }
.less { fill: #1a7f37; } .more { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .small { fill: #9198a1; } .page { fill: #0d1117; } .line { stroke: #9198a1; }
.grid { stroke: #3d444d; } .less { fill: #3fb950; } .more { fill: #db6d28; } }"""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A time of ours as a share of a peer's."""

    label: str
    peer: str
    ratio: float


def drawing(bars: Sequence[Bar]) -> str:
    """The chart as SVG that fetches nothing."""
    across, down = LEFT + WIDTH + RIGHT, TOP + HEIGHT * len(bars) + 16
    size = f'width="{across}" height="{down}" viewBox="0 0 {across} {down}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        "<title>Times beside those of others</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{across}" height="{down}" rx="6"/>',
        '<text x="16" y="26" font-weight="600">Our time as a share of theirs</text>',
        '<text class="small" x="16" y="46">each line is ten times the one before; green is faster</text>',
        *(_grid(ratio, down) for ratio in (0.001, 0.01, 0.1, 1, 10)),
        *(_bar(number, bar) for number, bar in enumerate(bars)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _grid(ratio: float, down: int) -> str:
    x, kind = _across(ratio), "line" if ratio == 1 else "grid"
    name = "as fast" if ratio == 1 else f"{ratio:g}×"
    return (
        f'<line class="{kind}" x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{down - 12}"/>'
        f'<text class="small" x="{x}" y="{TOP - 12}" text-anchor="middle">{name}</text>'
    )


def _bar(number: int, bar: Bar) -> str:
    middle, end, y = _across(1), _across(bar.ratio), TOP + HEIGHT * number
    start, length = min(middle, end), max(abs(end - middle), 1.5)
    kind = "less" if bar.ratio <= 1 else "more"
    return (
        f'<text x="{LEFT - 14}" y="{y + 17}" text-anchor="end">{escape(bar.label)}'
        f'<tspan class="small"> / {escape(bar.peer)}</tspan></text>'
        f'<rect class="{kind}" x="{start:.1f}" y="{y + 5}" width="{length:.1f}" height="{HEIGHT - 9}" rx="2"/>'
        f'<text x="{LEFT + WIDTH + 14}" y="{y + 17}">{shown_ratio(bar.ratio)}×</text>'
    )


def _across(ratio: float) -> float:
    """Where a ratio stands: each tenth part as far as the other."""
    held = min(max(ratio, LEAST), MOST)
    return round(LEFT + WIDTH * math.log(held / LEAST) / math.log(MOST / LEAST), 1)
