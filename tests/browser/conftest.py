"""A real browser for the built pages, with everything outside this machine refused."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Protocol

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

from gpusim.views import embed

REQUIRED = "GPUSIM_REQUIRE_BROWSER"
# the first draws nothing that nobody sees, in half the time
COMMANDS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
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


def installed_browser() -> str:
    """The path of Chromium; without one the test is skipped, or fails where a browser is required."""
    path = find_browser()
    if path is None:
        missing = "no Chromium or Chrome found: install one, for example with `apt-get install chromium`"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{missing} ({REQUIRED} is set)", pytrace=False)
        pytest.skip(missing)
    return path


class OneBrowser:
    """The browser of all tests here; while it lives, it occupies the event loop that others need."""

    def __init__(self) -> None:
        self.closing = ExitStack()
        self.browser: Browser | None = None

    def get(self, path: str) -> Browser:
        if self.browser is None:
            playwright = self.closing.enter_context(sync_playwright())
            self.browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
            self.closing.callback(self.browser.close)
        return self.browser

    def close(self) -> None:
        self.closing.close()
        self.browser = None


ONE = OneBrowser()
HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser before a test from elsewhere."""
    if nextitem is None or HERE not in nextitem.path.parents:
        ONE.close()


@pytest.fixture(scope="module")
def browser() -> Browser:
    """The browser that is installed here: started once."""
    return ONE.get(installed_browser())


# what predictions hide keeps to the same rules
ANSWER = "for (const hidden of document.querySelectorAll('[data-revealed-by]')) hidden.dataset.open = ''"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...


@contextmanager
def served(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """Where is a folder served? An address such as `http://127.0.0.1:41234`, without a closing slash."""
    within = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), within) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


LIVE = Path(__file__).resolve().parents[2] / "book" / "live"
WHEELS, REQUIRED_LIVE = "GPUSIM_PYODIDE_WHEELS", "GPUSIM_REQUIRE_LIVE"


def needs_live(missing: str) -> NoReturn:
    """Skip what tries live pages, or fail where they are to be tried."""
    if os.environ.get(REQUIRED_LIVE):
        pytest.fail(f"{missing} ({REQUIRED_LIVE} is set)", pytrace=False)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def wheels() -> Path:
    """The folder with NumPy for Pyodide, where Python for browsers is at hand as well."""
    asked = [sys.executable, LIVE / "wheels.py", folder := os.environ.get(WHEELS, "")]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.returncode:
        needs_live(answer.stderr.strip())
    return Path(folder)


class Cached(Quiet):
    """Serves as a published site does: what was fetched may be kept for ten minutes."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(Path(self.path).name)
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


@pytest.fixture(scope="session")
def live_book(book: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book with pages that run."""
    site = tmp_path_factory.mktemp("live")
    subprocess.run([sys.executable, LIVE / "build.py", wheels, book, site], check=True)
    return site


@pytest.fixture(scope="module")
def live_site(browser: Browser, live_book: Path) -> Iterator[str]:
    """Where are the pages that run served?"""
    with served(live_book, Cached) as address:
        yield address


@pytest.fixture(scope="module")
def site(browser: Browser, book: Path) -> Iterator[str]:
    """Where is the book served?"""
    with served(book) as address:
        yield address


@dataclass
class Visit:
    """An open page, what it asked of other machines and what it complained about."""

    page: Page
    outside_requests: list[str] = field(default_factory=list)
    console_errors: list[str] = field(default_factory=list)

    def note_request(self, request: Request) -> None:
        if OUTSIDE.match(request.url):
            self.outside_requests.append(request.url)

    def note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console_errors.append(f"{message.text} {message.location['url']}")

    def note_error(self, error: Error) -> None:
        self.console_errors.append(str(error))


class OpenPage(Protocol):
    def __call__(
        self, address: str | Path, width: int = 1280, height: int = 800, alone: bool = False, **context: Any
    ) -> Visit: ...


@pytest.fixture(scope="module")
def idle_pages() -> dict[str, list[Page]]:
    """Pages that no test uses now, by their settings: a new one costs five times as much as another visit."""
    return {}


FORGET = "try { localStorage.clear(); sessionStorage.clear() } catch { /* a page without a memory */ }"


@pytest.fixture
def open_page(browser: Browser, idle_pages: dict[str, list[Page]]) -> Iterator[OpenPage]:
    """Open a page: `open_page(f"{site}/book/introduction.html")`, or a file's path for `file://`.

    Further arguments go to Playwright's `new_context`: `color_scheme="dark"`, `reduced_motion="reduce"`,
    `java_script_enabled=False`. A page may have been visited before and has forgotten it; a test that
    changes what outlasts a visit, such as the clock, opens one `alone`. When the test ends, no page may
    have asked for anything outside or logged an error.
    """
    visits: list[tuple[Visit, str]] = []

    def open_page(
        address: str | Path, width: int = 1280, height: int = 800, alone: bool = False, **context: Any
    ) -> Visit:
        size: ViewportSize = {"width": width, "height": height}
        settings, idle = repr(sorted(context.items())), []
        if not alone:
            idle = idle_pages.setdefault(settings, [])
        if idle:
            page = idle.pop()
            page.set_viewport_size(size)
        else:
            page = browser.new_context(viewport=size, service_workers="block", **context).new_page()
            page.context.route(OUTSIDE, lambda route: route.abort())
        visit = Visit(page)
        visits.append((visit, "" if alone else settings))
        page.on("request", visit.note_request)
        page.on("console", visit.note_message)
        page.on("pageerror", visit.note_error)
        page.goto(address.resolve().as_uri() if isinstance(address, Path) else address, wait_until="load")
        return visit

    yield open_page
    for visit, settings in visits:
        visit.page.remove_listener("request", visit.note_request)
        visit.page.remove_listener("console", visit.note_message)
        visit.page.remove_listener("pageerror", visit.note_error)
        if not settings:
            visit.page.context.close()
            continue
        visit.page.evaluate(FORGET)
        visit.page.emulate_media(media="null")
        visit.page.mouse.move(0, 0)
        visit.page.goto("about:blank")
        idle_pages[settings].append(visit.page)
    assert [visit.outside_requests for visit, _ in visits if visit.outside_requests] == []
    assert [visit.console_errors for visit, _ in visits if visit.console_errors] == []


@pytest.fixture
def open_fragments(open_page: OpenPage, tmp_path: Path) -> Callable[..., Page]:
    """Open a page of views, from `file://`, as the book embeds them."""

    def open_fragments(*fragments: str, **settings: Any) -> Page:
        (tmp_path / "views.js").write_text(embed.static_script(), encoding="utf-8")
        (tmp_path / "page.html").write_text(
            f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Views</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><body style="margin: 0">'
            f'<main><h1>Views</h1>{"".join(fragments)}</main><script src="views.js" defer></script></html>',
            encoding="utf-8",
        )
        return open_page(tmp_path / "page.html", **settings).page

    return open_fragments


SWITCH = """(theme) => {
    document.documentElement.dataset.theme = theme;
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
}"""
# the rules that the dark theme decides anew
OF_COLOURS = ("color-contrast", "link-in-text-block")


class Violations(Protocol):
    def __call__(
        self, page: Page, within: str | None = None, impacts: tuple[str, ...] = ...
    ) -> list[str]: ...


@pytest.fixture(scope="session")
def violations() -> Violations:
    """Which accessibility rules of axe-core does a page break? One line for each rule and element.

    All rules are tried in the light theme, and those about colours in the dark one again. `within` is a
    CSS selector (default: the whole page); `impacts` names the severities that count.
    """
    axe = Axe()

    def violations(
        page: Page,
        within: str | None = None,
        impacts: tuple[str, ...] = ("minor", "moderate", "serious", "critical"),
    ) -> list[str]:
        found = []
        for theme, only in (("dark", OF_COLOURS), ("light", ())):
            page.evaluate(SWITCH, theme)
            # preloading asks for styles at wrong places
            options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
            if only:
                options["runOnly"] = list(only)
            found += [
                f"{theme}: {rule['id']} ({rule['impact']}) {' '.join(map(str, node['target']))}: "
                f"{node['html'][:120]}"
                for rule in axe.run(page, context=within, options=options).response["violations"]
                if rule["impact"] in impacts
                for node in rule["nodes"]
            ]
        return found

    return violations
