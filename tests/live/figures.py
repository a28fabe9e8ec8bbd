"""How long does a live page take, what comes over the wire, and how much memory does it want?

    make live WHEELS=folder
    python -m tests.live.figures

Prints medians of three visits, each in a new browser, to a site on this machine: what a network adds is the
size, told first, over its speed.
"""

from __future__ import annotations

import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, Response, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser, served

SITE = Path(__file__).resolve().parents[2] / "_build" / "live"
VISITS, LONG_MS = 3, 120_000
PAGES = {"chapter 2": "divergence-and-masks", "chapter 4": "coalescing", "the playground": "playground"}


def megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def renderers() -> float:
    """Bytes that the browsers' pages occupy."""
    found = (process for process in psutil.process_iter(["cmdline", "memory_info"]))
    return sum(
        one.info["memory_info"].rss for one in found if "--type=renderer" in (one.info["cmdline"] or [])
    )


def ready(page: Page) -> None:
    page.get_by_role("button", name="Run here").click()
    expect(page.locator(".live-said")).to_have_text(re.compile("Ready"), timeout=LONG_MS)


def ran(page: Page, cell: str) -> None:
    """Run the first cell of that kind, and wait until all that it changes is there."""
    page.locator(f"{cell} .live-tools button").first.dispatch_event("click")  # a playground folds its cell
    expect(page.locator(".live-said")).to_have_text(re.compile("Ran in"), timeout=LONG_MS)


def visit(address: str, found: dict[str, list[float]], wire: dict[str, int]) -> None:
    """One reader: three pages, each run once and once more."""

    def note(response: Response) -> None:
        name = Path(response.url).name
        if "/_live/" in response.url:
            packages = (each for each in ("numpy", "gpusim", "course") if name.startswith(each))
            kind = "Pyodide" if "/pyodide/" in response.url else next(packages, "scripts")
            wire[kind] += int(response.headers.get("content-length", 0))

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_page(reduced_motion="reduce")
        page.on("response", note)
        for name, file in PAGES.items():
            page.goto(f"{address}/book/{file}.html")
            found[f"{name}: click to ready, s"].append(seconds(lambda: ready(page)))
            page.wait_for_timeout(4000)  # the reader reads
            cell = ".tag_puzzle" if file == "coalescing" else ".cell"
            what = {"coalescing": "a puzzle", "playground": "the playground"}.get(
                file, "the first kernel's section"
            )
            found[f"{name}: {what}, s"].append(seconds(lambda cell=cell: ran(page, cell)))
            found[f"{name}: {what} once more, s"].append(seconds(lambda cell=cell: ran(page, cell)))
            found[f"{name}: memory, MB"].append(renderers() / 1e6)
        browser.close()


def main() -> None:
    found: dict[str, list[float]] = defaultdict(list)
    wire: dict[str, int] = defaultdict(int)
    with served(SITE) as address:
        for _ in range(VISITS):
            wire.clear()
            visit(address, found, wire)
    print(f"over the wire, three pages: {megabytes(sum(wire.values()))}")
    for kind, size in sorted(wire.items(), key=lambda item: -item[1]):
        print(f"  {kind:<8} {megabytes(size):>8}")
    for what, times in found.items():
        print(f"{what:<50} {statistics.median(times):8.2f}")


if __name__ == "__main__":
    main()
