"""A lab in JupyterLite: it runs, checks, remembers, and what a reader downloads is graded by nbgrader."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LIVE, needs_live, served

ROOT = Path(__file__).resolve().parents[2]
LABS = ROOT / "labs"
LAB = "threads-warps-and-waves"
LONG = 120_000  # ms, on a busy computer
CELLS = "jupyterapp.shell.currentWidget.content.model.toJSON().cells"
RAN = f"{CELLS}.filter((cell) => cell.cell_type === 'code').every((cell) => cell.execution_count > (%d))"
CPP = """try:
    gpusim.RawKernel("__global__ void f() {}", "f")[1, 1]()
except ModuleNotFoundError as missing:
    print(missing)
"""
GRADED = """
import json, sys, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import release
root, lab = Path(sys.argv[2]), sys.argv[3]
grader = release.grader(root)
made = [grader.generate_assignment(lab), grader.autograde(lab, "ada")]
with grader.gradebook as gradebook:
    (submitted,) = gradebook.find_submission(lab, "ada").notebooks
    scores = {grade.name: grade.auto_score for grade in submitted.grades if grade.name != "explain"}
print(json.dumps([[each["success"] for each in made], scores]))
"""


@pytest.fixture(scope="module")
def lite_site(browser, wheels, tmp_path_factory) -> Iterator[str]:
    """The labs as `make lite` builds them, served; the page shows its application to the test."""
    if find_spec("jupyterlite_core") is None:
        needs_live("labs in a browser need jupyterlite-core, which requirements.txt pins")
    site = tmp_path_factory.mktemp("lite") / "site"
    subprocess.run([sys.executable, LIVE / "lite.py", wheels, site], check=True)
    settings = site / "jupyter-lite.json"
    told = json.loads(settings.read_text(encoding="utf-8"))
    told["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(told), encoding="utf-8")
    with served(site) as address:
        yield address


def menu(page: Page, name: str, entry: str) -> None:
    page.get_by_role("menuitem", name=name, exact=True).click()
    page.get_by_role("menuitem", name=entry, exact=True).click()


def outputs(page: Page, cell: str) -> list[dict[str, Any]]:
    """What does a cell show now? `cell` is its name for nbgrader."""
    (found,) = (
        each for each in page.evaluate(CELLS) if each["metadata"].get("nbgrader", {}).get("grade_id") == cell
    )
    return found["outputs"]


def run_all(page: Page) -> None:
    """All cells run, also behind one that fails."""
    counts = page.evaluate(f"{CELLS}.map((cell) => cell.execution_count ?? 0)")
    menu(page, "Run", "Run All Cells")
    page.wait_for_function(RAN % max(counts), timeout=LONG)


def write(page: Page, where: str, text: str) -> None:
    """Replace the text of the first cell that has these words."""
    page.locator(".jp-CodeCell", has_text=where).first.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def text_of(page: Page, cell: str) -> str:
    return str(outputs(page, cell))


def solution(cell: str) -> str:
    notebook = json.loads((LABS / "instructor" / LAB / f"{LAB}.ipynb").read_text(encoding="utf-8"))
    (found,) = (each for each in notebook["cells"] if each["id"] == cell)
    return "".join(found["source"])


@pytest.fixture
def opened(open_page, lite_site) -> Page:
    address = f"{lite_site}/lab/index.html?path={LAB}.ipynb"
    page = open_page(address, alone=True, accept_downloads=True).page
    expect(page.locator(".jp-Notebook")).to_contain_text("def lanes_of", timeout=LONG)
    return page


def test_a_lab_is_done_in_the_browser_and_its_download_is_graded(opened: Page, tmp_path):
    page = opened
    run_all(page)
    (failed,) = outputs(page, "check-find-place")
    assert "CheckFailed" in failed["ename"]
    assert "has linear number" in failed["evalue"]
    # the answer to the prediction reaches the kernel, which answers where it was asked
    question = page.locator(".prediction").first
    for place, value in enumerate((43, 1, 11, 0, 43)):
        question.locator("input").nth(place).fill(str(value))
    question.get_by_role("button", name="Keep").click()
    page.wait_for_function(f"JSON.stringify({CELLS}).includes('You predicted')", timeout=LONG)
    write(page, "def find_place", CPP)
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"JSON.stringify({CELLS}).includes('no browser has it')", timeout=LONG)
    # a right answer passes
    write(page, "__global__", solution("find-place"))
    run_all(page)
    assert "agree with the device" in text_of(page, "check-find-place")
    # it is still there tomorrow
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-current .jp-mod-dirty")).to_have_count(0)
    page.wait_for_timeout(500)
    page.reload()
    expect(page.locator(".jp-Notebook")).to_contain_text("my_linear // cuda.warpsize", timeout=LONG)
    page.get_by_role("menuitem", name="File", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download", exact=True).click()
    root = tmp_path / "labs"
    shutil.copytree(LABS / "instructor" / LAB, root / "instructor" / LAB)
    shutil.copy(LABS / "nbgrader_config.py", root)
    assert download.value.suggested_filename == f"{LAB}.ipynb"
    handed_in = root / "grading" / "submitted" / "ada" / LAB / f"{LAB}.ipynb"
    download.value.save_as(handed_in)
    command = [sys.executable, "-c", GRADED, LABS, root, LAB]
    graded = subprocess.run(command, capture_output=True, text=True, check=True)
    succeeded, scores = json.loads(graded.stdout.splitlines()[-1])
    assert succeeded == [True, True], graded.stderr
    assert {name for name, points in scores.items() if points} == {
        "check-find-place",
        "check-find-place-lane",
    }
