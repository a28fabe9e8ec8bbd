"""A real browser for the built pages, with everything outside this machine refused."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from gpusim.views import embed

REQUIRED = "GPUSIM_REQUIRE_BROWSER"
COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
ARGUMENTS = (
    "--no-sandbox",  # a container's root user may not make one
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
OUTSIDE = re.compile(r"^(?!file:|data:|blob:|about:|http://127\.0\.0\.1:)")


def find_browser() -> str | None:
    """Which Chromium is on this machine? The path of the first one found."""
    found = (shutil.which(command) for command in COMMANDS)
    return next((path for path in (*found, *PLACES) if path and Path(path).exists()), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for a file of tests; while it lives, it occupies the event loop that others need."""
    path = find_browser()
    if path is None:
        missing = "no Chromium or Chrome found: install one, for example with `apt-get install chromium`"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{missing} ({REQUIRED} is set)", pytrace=False)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


# what predictions hide keeps to the same rules
ANSWER = "for (const hidden of document.querySelectorAll('[data-revealed-by]')) hidden.dataset.open = ''"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture(scope="module")
def site(browser: Browser, book: Path) -> Iterator[str]:
    """Where is the book served? An address such as `http://127.0.0.1:41234`, without a closing slash."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(book))
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@dataclass
class Visit:
    """An open page, what it asked of other machines and what it complained about."""

    page: Page
    outside_requests: list[str] = field(default_factory=list)
    console_errors: list[str] = field(default_factory=list)


class OpenPage(Protocol):
    def __call__(
        self, address: str | Path, width: int = 1280, height: int = 800, **context: Any
    ) -> Visit: ...


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open a page: `open_page(f"{site}/book/introduction.html")`, or a file's path for `file://`.

    Further arguments go to Playwright's `new_context`: `color_scheme="dark"`, `reduced_motion="reduce"`,
    `java_script_enabled=False`. When the test ends, no page may have asked for anything outside or logged
    an error.
    """
    visits: list[Visit] = []

    def open_page(address: str | Path, width: int = 1280, height: int = 800, **context: Any) -> Visit:
        settings = {"viewport": {"width": width, "height": height}, "service_workers": "block", **context}
        page = browser.new_context(**settings).new_page()
        visit = Visit(page)
        visits.append(visit)
        page.on(
            "request",
            lambda request: OUTSIDE.match(request.url) and visit.outside_requests.append(request.url),
        )
        page.on(
            "console",
            lambda text: (
                text.type == "error" and visit.console_errors.append(f"{text.text} {text.location['url']}")
            ),
        )
        page.on("pageerror", lambda error: visit.console_errors.append(str(error)))
        page.context.route(OUTSIDE, lambda route: route.abort())
        page.goto(address.resolve().as_uri() if isinstance(address, Path) else address, wait_until="load")
        return visit

    yield open_page
    for visit in visits:
        visit.page.context.close()
    assert [visit.outside_requests for visit in visits if visit.outside_requests] == []
    assert [visit.console_errors for visit in visits if visit.console_errors] == []


@pytest.fixture
def open_fragments(open_page: OpenPage, tmp_path: Path) -> Callable[..., Page]:
    """Open a page of views, from `file://`, as the book embeds them."""

    def open_fragments(*fragments: str, theme: str = "light", **settings: Any) -> Page:
        (tmp_path / "views.js").write_text(embed.static_script(), encoding="utf-8")
        (tmp_path / "page.html").write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Views</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><body style="margin: 0">'
            f'<main><h1>Views</h1>{"".join(fragments)}</main><script src="views.js" defer></script></html>',
            encoding="utf-8",
        )
        return open_page(tmp_path / "page.html", **settings).page

    return open_fragments


class Violations(Protocol):
    def __call__(
        self,
        page: Page,
        within: str | None = None,
        impacts: tuple[str, ...] = ...,
        only: tuple[str, ...] = ...,
    ) -> list[str]: ...


@pytest.fixture(scope="session")
def violations() -> Violations:
    """Which accessibility rules of axe-core does a page break? One line for each rule and element.

    `within` is a CSS selector (default: the whole page); `impacts` names the severities that count, and
    `only` the rules that are tried (all, by default).
    """
    axe = Axe()

    def violations(
        page: Page,
        within: str | None = None,
        impacts: tuple[str, ...] = ("minor", "moderate", "serious", "critical"),
        only: tuple[str, ...] = (),
    ) -> list[str]:
        # preloading asks for styles at wrong places
        options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
        if only:
            options["runOnly"] = list(only)
        found = axe.run(page, context=within, options=options).response["violations"]
        return [
            f"{rule['id']} ({rule['impact']}) {' '.join(map(str, node['target']))}: {node['html'][:120]}"
            for rule in found
            if rule["impact"] in impacts
            for node in rule["nodes"]
        ]

    return violations
