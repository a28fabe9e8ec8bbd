"""A lab in JupyterLite: it runs, checks, counts points, remembers, and its download is graded by nbgrader."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
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
SOURCES = f"{CELLS}.map((cell) => cell.source).join()"
STATUS = "jupyterapp.shell.currentWidget?.sessionContext?.kernelDisplayStatus"
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
    """The labs as `make lite` builds them, served."""
    if find_spec("jupyterlite_core") is None:
        needs_live("labs in a browser need jupyterlite-core, which requirements.txt pins")
    site = tmp_path_factory.mktemp("lite") / "site"
    subprocess.run([sys.executable, LIVE / "lite.py", wheels, site], check=True)
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


def is_open(page: Page, text: str = "def find_place") -> None:
    """The notebook is there, and takes what is asked of it."""
    ready = "window.jupyterapp?.shell?.currentWidget?.context?.isReady"
    page.wait_for_function(f"{ready} && {SOURCES}.includes({json.dumps(text)})", timeout=LONG)
    page.locator(".jp-CodeCell .cm-content").first.wait_for(timeout=LONG)


@pytest.fixture
def open_lab(open_page, lite_site) -> Callable[..., Page]:
    def open_lab(**context: Any) -> Page:
        address = f"{lite_site}/notebooks/index.html?path={LAB}.ipynb"
        page = open_page(address, alone=True, accept_downloads=True, **context).page
        is_open(page)
        return page

    return open_lab


def handed_in(page: Page, folder: Path) -> Path:
    """The file that the bar gives, under the name that a course asks for."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Download to hand in").click()
    assert download.value.suggested_filename == f"{LAB}.ipynb"
    download.value.save_as(folder / f"{LAB}.ipynb")
    return folder / f"{LAB}.ipynb"


def test_a_lab_is_done_in_the_browser_and_its_download_is_graded(open_lab, tmp_path):
    page = open_lab()
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
    # two checks of two points, of six
    (points,) = outputs(page, "points-so-far")
    assert "4 of 17 points" in "".join(points["data"]["text/plain"])
    # it is still there tomorrow
    page.keyboard.press("Control+s")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    page.reload()
    is_open(page, "my_linear // cuda.warpsize")
    root = tmp_path / "labs"
    shutil.copytree(LABS / "instructor" / LAB, root / "instructor" / LAB)
    shutil.copy(LABS / "nbgrader_config.py", root)
    # what is not saved yet is handed in, too
    write(page, "def scale_all", solution("scale-all"))
    handed_in(page, root / "grading" / "submitted" / "ada" / LAB)
    command = [sys.executable, "-c", GRADED, LABS, root, LAB]
    graded = subprocess.run(command, capture_output=True, text=True, check=True)
    succeeded, scores = json.loads(graded.stdout.splitlines()[-1])
    assert succeeded == [True, True], graded.stderr
    assert {name for name, points in scores.items() if points} == {
        "check-find-place",
        "check-find-place-lane",
        "check-scale-all",
    }


def test_a_fresh_copy_keeps_what_was_written(open_lab, violations, tmp_path):
    page = open_lab()
    write(page, "def find_place", "mine = 'def find_place'")
    page.locator("#lab-bar summary").click()
    assert violations(page, within="#lab-bar") == []
    with page.expect_navigation():
        page.get_by_role("button", name="Fresh copy").click()
    is_open(page, "def find_place(linear")
    assert "mine" not in page.evaluate(SOURCES)
    write(page, "def find_place", "later = 'def find_place'")
    page.locator("#lab-bar summary").click()
    page.get_by_role("link", name=f"{LAB}-kept-1", exact=True).click()
    is_open(page, "mine")
    assert "mine" in handed_in(page, tmp_path).read_text(encoding="utf-8")
    # a fresh copy that is asked for here is one of the lab, whose answers are kept as well
    page.locator("#lab-bar summary").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Fresh copy").click()
    is_open(page, "def find_place(linear")
    for number, written in enumerate(("mine", "later"), start=1):
        page.locator("#lab-bar summary").click()
        page.get_by_role("link", name=f"{LAB}-kept-{number}", exact=True).click()
        is_open(page, written)


def test_a_cell_that_never_ends_is_ended_by_a_restart_and_nothing_is_lost(open_lab):
    page = open_lab()
    write(page, "def find_place", "find_place = 6 * 7  # def find_place\nwhile True:\n    pass")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(f"{STATUS} === 'busy'", timeout=LONG)
    # what a browser cannot do is not offered
    expect(page.get_by_role("button", name="Restart the kernel", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Interrupt the kernel")).to_have_count(0)
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    expect(page.get_by_role("menuitem", name="Interrupt Kernel")).to_have_count(0)
    page.locator('.lm-Menu [data-command="kernelmenu:restart"]').click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    write(page, "while True", "print(find_place := 6 * 7)")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(f"JSON.stringify({CELLS}).includes('42\\\\n')", timeout=LONG)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_a_lab_takes_the_width_and_the_colours_of_the_reader(open_lab, width, scheme):
    page = open_lab(width=width, color_scheme=scheme)
    page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str(scheme == 'light').lower()}'")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".jp-NotebookPanel").bounding_box()["width"] == width
    assert page.locator(".jp-CodeCell").first.bounding_box()["width"] > 0.85 * width
    folded = page.locator(".jp-Placeholder:visible .jp-Placeholder-contentContainer").first.bounding_box()
    assert folded["x"] + folded["width"] <= width
    bar, menus = (page.locator(each).bounding_box() for each in ("#lab-bar", "#menu-panel"))
    assert bar["y"] + bar["height"] <= menus["y"]  # it hides nothing
    for each in page.locator("#lab-bar :is(a, button, summary):visible").all():
        box = each.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_all_labs_are_listed_and_lead_to_each_other(open_page, lite_site, violations):
    page = open_page(f"{lite_site}/index.html", alone=True, width=390).page
    assert violations(page) == []
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len([*LABS.glob("instructor/*")]))
    assert page.locator("tr", has_text="CUDA C++").locator("th").all_inner_texts() == ["Lab 14"]
    expect(rows.first).to_contain_text("50 min")
    page.get_by_role("link", name="Lab 1", exact=True).click()
    expect(page.get_by_role("link", name="Next: Lab 2")).to_have_attribute(
        "href", "index.html?path=divergence-and-masks.ipynb"
    )
    page.get_by_role("link", name="All labs").click()
    expect(rows.first).to_be_visible()
    # an address of an earlier edition
    page.goto(f"{lite_site}/lab/index.html?path={LAB}.ipynb")
    page.wait_for_url(f"{lite_site}/notebooks/index.html?path={LAB}.ipynb")
