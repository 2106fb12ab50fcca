"""The pages under weight: two thousand tools, results of five megabytes, ten thousand steps, fifty tabs.

    python bench/web.py          the table

A real Chromium looks at a real server. The slow computer is Chromium's own slow-down of four times. While a task goes
on nothing else can happen in a page; how long one takes is told by the time of the processor, which other programs on
the computer do not change, and beside it as it passes on the wall. What a page is sent is counted as it arrives,
messages of its WebSocket and responses alike.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import httpx2  # noqa: E402  after the path is known
from playwright.sync_api import Browser, CDPSession, Page  # noqa: E402  after ours
from websockets.sync.client import ClientConnection, connect  # noqa: E402  after ours

from browser import Served, chromium, serving  # noqa: E402  its folder is known only now
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

TOOLS = 2_000
STEPS = 10_000
FOLLOWED = 2_000
TABS = 50
SLOW = 4
LARGEST_FIRST_PAGE = 60_000
LATEST_USABLE = 1_000
LATEST_RESULT = 1_500
LONGEST_TASK = 100
MOST_MESSAGES = 20
RESULTS = {
    "rows": "return Array.from({length: 20000}, (_, n) => ({n, text: 'x'.repeat(230)}));",
    "text": "return 'five megabytes of words '.repeat(210000);",
    "markdown": "return '# Heading\\n\\n- *one* [[note]]\\n- **two**\\n\\n'.repeat(125000);",
    "tree": "return Object.fromEntries(Array.from({length: 2000}, (_, n) => ['k' + n, {a: {b: ['y'.repeat(2480)]}}]));",
}
"""Five megabytes of each kind."""
WATCH = """
  // When something is seen: there, and drawn.
  window.whenSeen = (selector, clock) => new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector(selector)) return;
      watcher.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(clock())));
    };
    const watcher = new MutationObserver(look);
    watcher.observe(document, { subtree: true, childList: true, attributes: true });
    look();
  });
  window.usable = whenSeen("html[data-connection=open]", () => performance.now());
"""
SCROLL = """async () => {
  for (let turn = 0; turn < 30; turn++) {
    scrollBy(0, 2000);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}"""


def measure(rounds: int = 5) -> list[Row]:
    """All rows of this bench."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        vault = Path(folder) / "vault"
        fill(vault)
        with serving(vault, Path(folder) / "settings") as served:
            return [
                *first_page(browser, served, rounds),
                *big_results(browser, served),
                *many_steps(browser, served),
                *long_lists(browser, served),
                followers(served),
                *tabs(browser, served, rounds),
            ]


def fill(vault: Path) -> None:
    """A vault with so many tools, some with a big answer and one with many steps."""
    (vault / ".paper").mkdir(parents=True)
    for number in range(TOOLS):
        _tool(
            vault,
            f"tool_{number}",
            f"category: category {number % 40}\nparameters:\n"
            f"  - {{name: text, type: string, description: What to work on}}\ncustom_function: return input;\n",
        )
    for name, code in RESULTS.items():
        _tool(vault, f"big_{name}", f"custom_function: |\n  {code}\n")
    _tool(vault, "one", "custom_function: return 1;\n")
    for name, count, loops in (("many", STEPS, 1), ("followed", FOLLOWED, 1), ("long", STEPS, 3)):
        loop = f"  - {{name: again, tool: one, for_each: {json.dumps(list(range(count)))}, max_parallel: 4}}\n"
        _tool(vault, name, f"timeout: 600\nsteps:\n{loop * loops}")
    _tool(vault, "ask", "steps:\n  - {tool: write_file, parameters: {filePath: x.md, content: y, overwrite: true}}\n")


def _tool(vault: Path, name: str, more: str) -> None:
    head = f"tool: true\nid: {name}\nname: {name.replace('_', ' ').title()}\ndescription: Does {name} well.\n"
    (vault / f"{name}.md").write_text(f"---\n{head}{more}---\n", encoding="utf-8")


# --- the first page


def first_page(browser: Browser, served: Served, rounds: int) -> Iterator[Row]:
    """What goes over the line at first, and when the page, and the form of a tool, can be used."""
    with _page(browser, served) as (page, line):
        page.goto(served.url)
        page.evaluate("usable")
        page.wait_for_load_state("networkidle")
        size = line.bytes
    yield _row(f"first page with {TOOLS:,} tools, over the line", size, "B", LARGEST_FIRST_PAGE, strict=False)
    for path, name in (("/", "first page"), ("/tools/tool_7", "form of a tool")):
        for factor in (1, SLOW):
            times = []
            for _ in range(rounds):
                with _page(browser, served, factor) as (page, _):
                    page.goto(f"{served.url}{path}")
                    times.append(page.evaluate("usable"))
            told = f"{name} with {TOOLS:,} tools can be used, {factor}× slower computer"
            yield _row(told, statistics.median(times), "ms", LATEST_USABLE)


# --- results of five megabytes


def big_results(browser: Browser, served: Served) -> Iterator[Row]:
    """From the end of the run, as its record has it, to the result on the screen; and who has to wait meanwhile."""
    answers: list[float] = []
    for name in RESULTS:
        times, tasks = [], list[Task]()
        for _ in range(3):
            with _page(browser, served) as (page, _), _client(served) as client, _asking(served, answers):
                page.goto(f"{served.url}/tools/big_{name}")
                page.evaluate("usable")
                with _tasks(browser, page, tasks):
                    page.get_by_role("button", name="Run", exact=True).click()
                    seen = page.evaluate("whenSeen('.run[data-status=succeeded] .result .view', Date.now)")
                    page.evaluate(SCROLL)
                run = client.get("/api/runs", params={"tool": f"big_{name}", "limit": 1}).json()[0]
                began = datetime.fromisoformat(run["started"]).timestamp() * 1000
                times.append(seen - began - run["duration_ms"])
        yield _row(f"5 MB of {name} shown after the run ended", statistics.median(times), "ms", LATEST_RESULT)
        yield _task_row(f"a run that ends with 5 MB of {name}, scrolled", tasks)
    yield _answers_row("results of 5 MB", answers)


@contextmanager
def _asking(served: Served, answers: list[float]) -> Iterator[None]:
    """Somebody else asks for something small, over and over; how long each answer took is added."""
    is_over = threading.Event()

    def ask() -> None:
        with _client(served) as client:
            while not is_over.wait(0.02):
                began = time.perf_counter()
                client.get("/approvals/count")
                answers.append((time.perf_counter() - began) * 1000)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        is_over.set()
        asking.join()


# --- ten thousand steps


def many_steps(browser: Browser, served: Served) -> Iterator[Row]:
    """A run of so many steps, followed from its first to its last."""
    with _page(browser, served) as (page, line), _client(served) as client:
        page.goto(f"{served.url}/tools/many")
        page.evaluate("usable")
        tasks = list[Task]()
        with _tasks(browser, page, tasks):
            page.get_by_role("button", name="Run", exact=True).click()
            page.wait_for_selector(".run[data-status=running] .row[data-total]")
            page.locator(".row > details > summary").first.click()
            line.messages.clear()
            page.evaluate("whenSeen('.run[data-status=succeeded]', Date.now)")
        most = line.most_in_a_second()
        many = client.get("/api/runs", params={"tool": "many", "limit": 1}).json()[0]["run_id"]
    yield _row(
        f"a run of {STEPS:,} steps followed: messages in the fullest second", most, "", MOST_MESSAGES, strict=False
    )
    yield _task_row(f"a run of {STEPS:,} steps followed, its rounds unfolded", tasks)
    yield _task_row(f"{STEPS:,} steps, afterwards", [_longest(browser, served, f"/runs/{many}") for _ in range(3)])


# --- long lists


def long_lists(browser: Browser, served: Served) -> Iterator[Row]:
    """The longest time in which a page answers to nothing."""
    for path, name in (("/", f"{TOOLS:,} tools"), ("/runs", "the history")):
        yield _task_row(name, [_longest(browser, served, path) for _ in range(3)])
    yield _task_row(f"searching {TOOLS:,} tools as one types", [_searching(browser, served) for _ in range(3)])


def _longest(browser: Browser, served: Served, path: str) -> Task:
    tasks = list[Task]()
    with _page(browser, served) as (page, _), _tasks(browser, page, tasks):
        page.goto(f"{served.url}{path}")
        page.evaluate(SCROLL)
    return tasks[0]


def _searching(browser: Browser, served: Served) -> Task:
    tasks = list[Task]()
    with _page(browser, served) as (page, _):
        page.goto(f"{served.url}/tools/tool_7")
        page.evaluate("usable")
        with _tasks(browser, page, tasks):
            page.locator("#side-search").press_sequentially("tool 19", delay=60)
            page.wait_for_selector("#side-tools a[href='/tools/tool_19']")
    return tasks[0]


# --- many tabs


def tabs(browser: Browser, served: Served, rounds: int) -> Iterator[Row]:
    """Many tabs of one browser follow a run: all hear what happens, and one more is quick."""
    context = served.context(browser)
    context.add_init_script(WATCH)
    with _client(served) as client:
        run = client.post("/api/runs", params={"wait": 0}, json={"tool": "long"}).json()["run_id"]
        pages = [context.new_page() for _ in range(TABS)]
        for page in pages:
            page.goto(f"{served.url}/runs/{run}", wait_until="commit")
        for page in pages:
            page.evaluate("usable")
        answers: list[float] = []
        with _asking(served, answers):
            times = [_open_one_more(context.new_page(), f"{served.url}/tools/tool_{n}") for n in range(rounds)]
        yield _row(f"one more tab beside {TABS} that follow {3 * STEPS:,} steps", statistics.median(times), "ms", 2_000)
        yield _answers_row(f"{TABS} tabs", answers)
        for page in pages:
            page.evaluate("void (window.counted = whenSeen('#waiting-count:not([hidden])', Date.now))")
            page.evaluate("void (window.over = whenSeen('.run[data-status=cancelled]', Date.now))")
        client.post("/api/runs", params={"wait": 30}, json={"tool": "ask"})
        asked = time.time() * 1000
        heard = max(page.evaluate("counted") for page in pages) - asked
        yield _row(f"a question is counted in all of {TABS} tabs", heard, "ms", 3_000)
        client.post(f"/api/runs/{run}/cancel", params={"wait": 30})
        ended = time.time() * 1000
        seen = max(page.evaluate("over") for page in pages) - ended
        yield _row(f"the end of the run is seen in all of {TABS} tabs", seen, "ms", 3_000)
    context.close()


def followers(served: Served) -> Row:
    """What so many pages that follow a run cost the server beside the run itself."""
    alone, followed = (_busy_with(served, readers) for readers in (0, TABS))
    return Row(
        bench="web",
        measure=f"the server's time for {FOLLOWED:,} steps that {TABS} pages follow; theirs: that nobody follows",
        ours=f"{followed:.1f} s",
        theirs=f"{alone:.1f} s",
        ratio=followed / alone,
        bar="≤ 2",
        met=followed <= 2 * alone,
    )


def _busy_with(served: Served, readers: int) -> float:
    """Seconds of the processor for a run with so many readers; each of them hears its end."""
    address = f"{served.url.replace('http', 'ws')}/api/events"
    headers = {"authorization": f"Bearer {served.token}"}
    with _client(served) as client, ExitStack() as open_now:
        run = client.post("/api/runs", params={"wait": 0}, json={"tool": "followed"}).json()["run_id"]
        began = _processor_seconds(served.process)
        sockets = [connect(f"{address}?about={run}", additional_headers=headers) for _ in range(readers)]
        reading = [threading.Thread(target=_hear_the_end, args=(open_now.enter_context(each), run)) for each in sockets]
        for each in reading:
            each.start()
        while client.get(f"/api/runs/{run}", headers={"Prefer": "return=minimal"}).json()["status"] == "running":
            time.sleep(0.2)
        for each in reading:
            each.join()
        return _processor_seconds(served.process) - began


def _hear_the_end(socket: ClientConnection, run: str) -> None:
    while not any((each["type"], each.get("run_id")) == ("run-finished", run) for each in json.loads(socket.recv())):
        pass


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _open_one_more(page: Page, address: str) -> float:
    page.goto(address)
    took = float(page.evaluate("usable"))
    page.close()
    return took


# --- what all of them need


@dataclass(kw_only=True)
class Line:
    """What a page is sent."""

    bytes: float = 0
    messages: list[float] = field(default_factory=list)

    def follow(self, session: CDPSession) -> None:
        """Count everything from now on."""
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._loaded)
        session.on("Network.webSocketFrameReceived", lambda told: self.messages.append(told["timestamp"]))

    def _loaded(self, told: dict[str, Any]) -> None:
        self.bytes += told["encodedDataLength"]
        self.messages.append(told["timestamp"])

    def most_in_a_second(self) -> int:
        """How many arrived in the second in which most did."""
        times = sorted(self.messages)
        return max((sum(begin <= each < begin + 1 for each in times) for begin in times), default=0)


@contextmanager
def _page(browser: Browser, served: Served, factor: int = 1) -> Iterator[tuple[Page, Line]]:
    context = served.context(browser)
    context.add_init_script(WATCH)
    page, line = context.new_page(), Line()
    session = context.new_cdp_session(page)
    line.follow(session)
    if factor > 1:
        session.send("Emulation.setCPUThrottlingRate", {"rate": factor})
    yield page, line
    context.close()


def _client(served: Served) -> httpx2.Client:
    return httpx2.Client(base_url=served.url, headers={"authorization": f"Bearer {served.token}"}, timeout=120)


def _answers_row(name: str, answers: list[float]) -> Row:
    cuts = statistics.quantiles(answers, n=100)
    ours = f"{cuts[49]:,.0f} ms, 99 of 100 in {cuts[98]:,.0f} ms"
    return Row(bench="web", measure=f"small requests of somebody else beside {name}", ours=ours)


class Task(NamedTuple):
    """The longest task of a page, in milliseconds of the processor, and on the wall."""

    busy: float
    passed: float


@contextmanager
def _tasks(browser: Browser, page: Page, found: list[Task]) -> Iterator[None]:
    """Trace the main thread of a page; its longest task is added."""
    browser.start_tracing(page=page, categories=["toplevel"])
    yield
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(each["pid"], each["tid"]) for each in events if each["args"].get("name") == "CrRendererMain"}
    # One that has not ended has no duration.
    tasks = [each for each in events if "dur" in each and (each["pid"], each["tid"]) in main]
    found.append(Task(max(each.get("tdur", 0) for each in tasks) / 1000, max(each["dur"] for each in tasks) / 1000))


def _task_row(name: str, tasks: list[Task]) -> Row:
    busy, passed = (statistics.median(each) for each in zip(*tasks, strict=True))
    row = _row(f"longest task: {name}", busy, "ms", LONGEST_TASK, strict=False)
    return replace(row, ours=f"{row.ours} ({passed:,.0f} on the wall)")


def _row(measure: str, value: float, unit: str, limit: int, *, strict: bool = True) -> Row:
    is_met: Callable[[float], bool] = (lambda each: each < limit) if strict else (lambda each: each <= limit)
    shown = f" {unit}" if unit else ""
    return Row(
        bench="web",
        measure=measure,
        ours=f"{value:,.0f}{shown}",
        bar=f"{'<' if strict else '≤'} {limit:,}{shown}",
        met=is_met(value),
    )


if __name__ == "__main__":
    record("web", measure)
