"""What surrounds a lab in the browser: pages of JupyterLite of a few lines, and what they get."""

from __future__ import annotations

import re
import sys

import pytest

from tests.browser.conftest import LIVE

PAGES = ("<html><head></head><body></body></html>", "<html><head></head></html>")  # both are JupyterLite's


@pytest.fixture
def labs(monkeypatch):
    monkeypatch.syspath_prepend(LIVE)
    import around_labs

    yield around_labs
    sys.modules.pop("around_labs")


@pytest.mark.parametrize(("book", "root"), [(None, ".."), ("book", "../..")])
def test_a_page_of_a_lab_that_is_opened_as_a_file_says_so_in_its_body(labs, tmp_path, book, root):
    site = tmp_path / "lab"
    for app, page in zip(labs.APPS, PAGES, strict=True):
        (site / app).mkdir(parents=True)
        (site / app / "index.html").write_text(page, encoding="utf-8")
        (site / app / "favicon.ico").touch()
    lab = labs.Lab(1, "scan", "Scan", "add up", 30, cpp=False)
    labs.surround(site, [lab], tmp_path if book else None)
    for app in labs.APPS:
        made = (site / app / "index.html").read_text(encoding="utf-8")
        (seen,) = re.findall('data-root="([^"]+)" data-lacks="run a lab"', made)
        assert (site / app / seen).resolve() == (site / app / root).resolve()
        assert made.count("<body>") == 1
        assert made.index("<body>") < made.index("data-root")
