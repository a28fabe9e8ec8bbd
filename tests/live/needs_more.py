"""A test that needs more than NumPy is skipped in the Python of a browser, and the reason is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

# what tests import and a browser has not: packages with compiled parts, and those that need them
LACKING = {
    "IPython",
    "anywidget",
    "axe_playwright_python",
    "clang",
    "ipywidgets",
    "jsonschema",
    "jupyter_client",
    "matplotlib",
    "myst_nb",
    "nbclient",
    "nbformat",
    "nbgrader",
    "numba",
    "pandas",
    "playwright",
    "pydata_sphinx_theme",
    "sphinx",
    "sphinx_external_toc",
    "tqdm",
    "traitlets",
    "xdist",
}


def lacking(error: BaseException | None) -> str:
    """What was not there, among this error and those that led to it; empty if that was not why."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in LACKING:
            return f"needs {error.name}"
        if isinstance(error, OSError) and "does not support processes" in str(error):
            return "needs processes"
        if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
            return "needs threads"
        if isinstance(error, RuntimeError) and "stack switching not supported" in str(error):
            return "needs an event loop that waits"
        error = error.__cause__ or error.__context__
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    report: pytest.TestReport = yield
    why = lacking(call.excinfo.value) if call.excinfo is not None and report.failed else ""
    if why:
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: {why}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[pytest.CollectReport]:
    report: pytest.CollectReport = yield
    if report.failed and any(f"No module named '{name}" in str(report.longrepr) for name in LACKING):
        report.outcome, report.longrepr = (
            "skipped",
            (str(collector.path), 0, "Skipped: needs more than NumPy"),
        )
    return report
