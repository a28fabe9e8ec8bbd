"""Does `make mark` serve what marks by hand, and nothing that could run what a student wrote?"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from playwright.sync_api import Page, sync_playwright

from classroom.course import Course
from classroom.grading import Saving, digest, record
from classroom.settings import config_of
from classroom.twice import note_on
from tests.browser.conftest import ARGUMENTS, installed_browser
from tests.classroom.conftest import hand_in
from tests.classroom.odd import as_file, right
from tests.classroom.small_lab import LAB

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's and SQLAlchemy's are not ours
SAID = "said.txt"  # what the server writes to the terminal
Ask = Callable[..., tuple[int, str]]


def saved(
    made: Course,
    student: str,
    *,
    look: tuple[str, ...] = (),
    seen: Sequence[NotebookNode] = (),
    **answers: str,
) -> None:
    """A submission as it is after its two runs, without running: all checks passed, 12 points."""
    notebook = right(nbformat.read(made.released(LAB), 4), **answers)
    folder = made.handed_in(LAB, student)
    if not folder.exists():
        hand_in(made, student, {})
    (folder / f"{LAB}.ipynb").write_bytes(as_file(notebook))
    for cell in notebook.cells:
        if cell.id.startswith("check-"):
            cell.metadata["classroom"] = {
                "seen": copy.deepcopy([*seen]),
                "released": cell.source,
                "score": 4.0,
            }
            cell.outputs = copy.deepcopy([*seen])
    notebook.metadata["classroom"] = {"look": list(look), "notes": []}
    notebook.cells.insert(0, note_on(list(look), []))
    mark = digest(made, LAB, student)
    Saving(made).save(LAB, student, mark, nbformat.writes(notebook), isolated=True, seconds=0.0)


def unread(made: Course) -> None:
    hand_in(made, "ada", {f"{LAB}.ipynb": b"cut"})
    notebook = nbformat.read(made.released(LAB), 4)
    notebook.metadata["classroom"] = {"look": ["a part of a notebook"], "unread": True, "nothing": True}
    notebook.cells.insert(0, note_on(["a part of a notebook"], []))
    text, mark = nbformat.writes(notebook), digest(made, LAB, "ada")
    Saving(made).save(LAB, "ada", mark, text, isolated=True, seconds=0.0)


def wait_for_grades(page: Page) -> None:
    """`wait_for_function` asks again by `eval`, which the page forbids."""
    for _ in range(100):
        if page.evaluate("formgrader.loaded && Boolean(formgrader.grades?.loaded)"):
            return
        page.wait_for_timeout(100)
    raise TimeoutError("the page has no grades")


@pytest.fixture
def ask(made: Course) -> Iterator[Ask]:
    """The server that `make mark` starts, asked for an address: status and text."""
    saved(made, "ada")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = [f"--ServerApp.port={port}", "--IdentityProvider.token=known", "--ServerApp.allow_root=True"]
    options += [f"--ServerApp.root_dir={made.root}", "--ServerApp.open_browser=False"]
    program = (
        f"from classroom.marking_server import MarkingServer\nMarkingServer.launch_instance({options!r})"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    with (
        (made.root / SAID).open("w") as said,
        subprocess.Popen(command, cwd=made.root, env=environment, stderr=said) as server,
    ):

        def answer(address: str, method: str = "GET", told: object = None) -> tuple[int, str]:
            if not address:
                return 0, f"http://127.0.0.1:{port}"
            body = None if told is None else json.dumps(told).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{port}{address}", body, method=method)
            request.add_header("Authorization", "token known")
            try:
                with urllib.request.urlopen(request, timeout=30) as opened:
                    return opened.status, opened.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        try:
            for _ in range(300):
                assert server.poll() is None
                try:
                    answer("/formgrader/gradebook")
                    break
                except OSError:
                    time.sleep(0.1)
            yield answer
        finally:
            server.terminate()


def test_it_serves_marking_and_nothing_that_runs(ask: Ask, made: Course) -> None:
    before = record(made, LAB, "ada")
    (made.source(LAB).parents[1] / "no-longer-assigned").mkdir()
    assert [each["name"] for each in json.loads(ask("/formgrader/api/assignments")[1])] == [LAB]
    for page in ("", "/manage_assignments", f"/manage_submissions/{LAB}", "/manage_students"):
        shown = ask(f"/formgrader{page}")[1]
        assert "Manual Grading" in shown
        assert "Manage Assignments" not in shown
    api = "/formgrader/api"
    for address in (
        *(f"{api}/submission/{LAB}/ada/autograde", f"{api}/assignment/{LAB}/assign"),
        *(f"{api}/assignment/{LAB}/release", f"{api}/assignment/{LAB}/collect", f"{api}/student/eve"),
        *(f"{api}/assignment/{LAB}/ada/generate_feedback", "/api/kernels", "/api/terminals", "/api/sessions"),
    ):
        assert ask(address, "POST", {})[0] in (404, 405), address
    for address in ("/api/contents", f"/files/autograded/ada/{LAB}/{LAB}.ipynb", "/lab", "/tree"):
        assert ask(address)[0] == 404, address
    assert record(made, LAB, "ada") == before != {}

    ((index,),) = [[each["id"] for each in json.loads(ask(f"{api}/submitted_notebooks/{LAB}/{LAB}")[1])]]
    page = ask(f"/formgrader/submissions/{index}/")[1]
    for part in ("nothing was saved", "To the written answer", "For the marker"):
        assert part in page
    assert "//cdnjs" not in page
    assert '"unread": ""' in ask(f"{api}/submitted_notebooks/{LAB}/{LAB}")[1]
    grades = json.loads(ask(f"{api}/grades?submission_id={index}")[1])
    (written,) = [each for each in grades if each["name"] == "explain"]
    for typed in (7, -1, "much", float("nan")):
        assert ask(f"{api}/grade/{written['id']}", "PUT", {"manual_score": typed})[0] == 400
    status, told = ask(f"{api}/grade/{written['id']}", "PUT", {"manual_score": 2.5})
    assert (status, json.loads(told)["manual_score"]) == (200, 2.5)
    with Gradebook(made.database, made.name) as gradebook:
        assert gradebook.find_grade("explain", LAB, LAB, "ada").score == 2.5
    saved(made, "ada", explain="Another reason.")
    assert "Type them again" in made.autograded(LAB, "ada").read_text()
    assert ask(f"{api}/grade/{written['id']}", "PUT", {"manual_score": 1})[0] == 200
    assert "Type them again" not in made.autograded(LAB, "ada").read_text()
    (double,) = [each for each in grades if each["name"] == "check-double"]
    assert ask(f"{api}/grade/{double['id']}", "PUT", {"manual_score": 1})[0] == 200
    saved(made, "ada", explain="Another reason.", double="def double(x):\n    return x + x")
    assert "an empty field takes the machine's 4" in made.autograded(LAB, "ada").read_text()

    def listed() -> tuple[str, str]:
        (found,) = json.loads(ask(f"{api}/submitted_notebooks/{LAB}/{LAB}")[1])
        return found["state"], found["look"]

    assert listed() == (
        "look by hand",
        "`check-double`: marked before, and changed since: type its points again",
    )
    assert ask(f"{api}/grade/{double['id']}", "PUT", {"manual_score": None})[0] == 200
    assert listed() == ("graded", "")
    assert "Type them again" not in made.autograded(LAB, "ada").read_text()
    assert "exchange" not in (made.root / SAID).read_text()


def test_a_browser_marks_and_refuses(ask: Ask, made: Course) -> None:
    """Too many points are not saved, and it says so; no script fails, and nothing comes from elsewhere."""
    browser = installed_browser()
    (index,) = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    saved(made, "adam", look=("the answer `double` is there 2 times",))
    ids = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    to_the_other = "next" if index == min(ids) else "previous"  # they come in the order of their ids
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        failed, asked = [], []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")  # as the browser is opened
        page.goto(f"{ask('')[1]}/formgrader/gradebook/{LAB}/{LAB}")
        page.get_by_text("look by hand").wait_for()
        rows = page.locator("tbody tr")
        page.get_by_text("Show All Names").click()
        listed = [" ".join(each.split()) for each in rows.all_inner_texts()]
        assert any("adam" in each and "look by hand" in each for each in listed)
        assert any("ada" in each and "to be marked" in each for each in listed)
        assert (
            page.get_by_text("look by hand").get_attribute("title") == "the answer `double` is there 2 times"
        )
        page.goto(f"{ask('')[1]}/formgrader/submissions/{index}/")
        page.get_by_text("To the written answer").click()
        assert page.locator(".text_cell .score").get_attribute("step") == "0.5"
        field = page.locator(".text_cell .score")
        wait_for_grades(page)
        for typed, refused in (("7", 1), ("2.5", 0)):
            field.fill(typed)
            with contextlib.nullcontext() if refused else page.expect_response("**/api/grade/*"):
                field.dispatch_event("change")
            assert page.locator(".refused").count() == refused
        page.locator(f"li.{to_the_other} a").click()
        page.wait_for_url(lambda url: index not in url and f"/{to_the_other[:4]}" not in url, timeout=9000)
        assert page.url.endswith("#explain")
        page.wait_for_load_state()
        assert page.locator(".text_cell .score").bounding_box()["y"] > 60  # below the bar
        home = page.url.partition("/formgrader")[0]
        page.context.browser.close()
    assert failed == []
    assert {each for each in asked if not each.startswith(home)} == set()
    with Gradebook(made.database, made.name) as gradebook:
        assert gradebook.find_grade("explain", LAB, LAB, "ada").manual_score == 2.5


NAMES = {
    "ada": ("<img src=x onerror='document.title = 1'>", "<script>document.title = 2</script>"),
    "adam": ('" onclick="document.title = 3', "'; alert(1); //"),
}


def test_a_name_is_a_text_wherever_it_stands(ask: Ask, made: Course) -> None:
    """On every page that names somebody; and what would run there without the nonce does not."""
    saved(made, "adam")
    with Gradebook(made.database, made.name) as gradebook:
        for student, (first, last) in NAMES.items():
            gradebook.update_or_create_student(student, first_name=first, last_name=last)
    found = json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])
    pages = [f"gradebook/{LAB}/{LAB}", *(f"submissions/{each['id']}/" for each in found)]
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(
            executable_path=installed_browser(), args=list(ARGUMENTS)
        ).new_page()
        asked, refused = [], []
        page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: refused.append(message.text))
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")
        shown = ""
        for each in pages:
            page.goto(f"{ask('')[1]}/formgrader/{each}")
            page.wait_for_load_state("networkidle")
            shown += " ".join(page.locator(".name-shown").all_text_contents())
            assert page.locator("[onerror], [onclick*=title]").count() == 0
            assert page.title() in (LAB, "nbgrader formgrade")
        assert all(part in shown for names in NAMES.values() for part in names)
        assert [each for each in refused if "Content Security Policy" in each] == []
        page.locator(".glyphicon-eye-open").click()  # nbgrader's own attribute runs
        assert page.locator("a.name-shown").is_visible()
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')")
        page.wait_for_timeout(300)
        assert any("Content Security Policy" in each for each in refused)
        page.context.browser.close()
    assert asked == []


def test_nbgrader_itself_runs_no_submission(made: Course) -> None:
    """`nbgrader autograde` reads the same settings; what it takes away is graded anew."""
    saved(made, "ada")
    result = NbGraderAPI(config=config_of(made)).autograde(LAB, "ada")
    assert not result["success"]
    assert "make grade" in result["log"]
    assert record(made, LAB, "ada") == {}


def test_no_field_hides_behind_the_bar(ask: Ask, made: Course) -> None:
    """Neither the one that the next submission opens at, nor those that Tab and Shift+Tab go to."""
    browser = installed_browser()
    saved(made, "adam")
    ids = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    seen = """() => {
        const box = document.activeElement.getBoundingClientRect();
        const bar = document.querySelector(".navbar-fixed-top").getBoundingClientRect().bottom;
        const own = document.activeElement.closest(".navbar-fixed-top");
        return Boolean(own) || (box.top >= bar && box.bottom <= innerHeight);
    }"""
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")
        for width in (700, 800, 900, 1280):
            page.set_viewport_size({"width": width, "height": 500})
            page.goto(f"{ask('')[1]}/formgrader/submissions/{ids[0]}/")
            wait_for_grades(page)
            bar, link = page.locator(".navbar-fixed-top").bounding_box(), page.get_by_text("To the written")
            assert bar["y"] + bar["height"] <= link.bounding_box()["y"], width
            for each in ("li.previous a", "li.next a"):
                box = page.locator(each).bounding_box()
                assert 0 <= box["x"] <= width - box["width"], (width, each)
                assert box["y"] + box["height"] <= bar["y"] + bar["height"], (width, each)
        page.set_viewport_size({"width": 900, "height": 500})
        page.goto(f"{ask('')[1]}/formgrader/submissions/{ids[0]}/#explain")
        wait_for_grades(page)
        page.wait_for_timeout(800)
        field = page.locator(".text_cell .score").bounding_box()
        bar = page.locator(".navbar-fixed-top").bounding_box()
        assert bar["y"] + bar["height"] <= field["y"] <= 500 - field["height"]
        page.locator(".text_cell .score").focus()
        hidden = []
        for key in [*["Shift+Tab"] * 4, *["Tab"] * 6]:
            page.keyboard.press(key)
            page.wait_for_timeout(700)  # nbgrader scrolls for half a second
            hidden += [] if page.evaluate(seen) else [key]
        page.context.browser.close()
    assert hidden == []


def test_the_rubric_stands_beside_the_answer(ask: Ask, made: Course) -> None:
    """From its head on, whether the marker goes to the answer, comes to it from another, or presses Tab."""
    browser = installed_browser()
    (index,) = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        page.set_viewport_size({"width": 1300, "height": 280})  # the rubric is at the end of a short page
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")

        def tops() -> tuple[float, float, float]:
            bar = page.locator(".navbar-fixed-top").bounding_box()
            rubric, answer = (
                page.locator(f".beside > {each}").bounding_box() for each in (".rubric", ".cell")
            )
            return bar["y"] + bar["height"], rubric["y"], answer["y"]

        for at in ("", "#explain"):
            page.goto(f"{ask('')[1]}/formgrader/submissions/{index}/{at}")
            wait_for_grades(page)
            if not at:
                page.get_by_text("To the written answer").click()
            for key in ("", "Tab", "Shift+Tab"):
                if key:
                    page.keyboard.press(key)
                page.wait_for_timeout(700)  # nbgrader scrolls for half a second
                bar, rubric, answer = tops()
                assert bar <= rubric == answer < 120, (at, key)
        page.context.browser.close()


def test_more_extra_credit_than_points_is_asked_about(ask: Ask, made: Course) -> None:
    """9 beside a question of 3 points may be a mark in the wrong field; Tab does not go there."""
    browser = installed_browser()
    (index,) = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    asked: list[str] = []

    def extra() -> float | None:
        grades = json.loads(ask(f"/formgrader/api/grades?submission_id={index}")[1])
        return next(each["extra_credit"] for each in grades if each["name"] == "explain")

    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")
        page.goto(f"{ask('')[1]}/formgrader/submissions/{index}/")
        wait_for_grades(page)
        field = page.locator("#explain_extra_credit")
        for typed, answer, saved_is in ((9, "dismiss", None), (9, "accept", 9.0), (2, "", 2.0)):
            if answer:
                page.once("dialog", lambda told, do=answer: (asked.append(told.message), getattr(told, do)()))
            field.fill(str(typed))
            saves = answer != "dismiss"
            with page.expect_response("**/api/grade/*") if saves else contextlib.nullcontext():
                field.dispatch_event("change")
            assert (extra(), field.input_value()) == (saved_is, f"{saved_is:g}" if saves else "")
        page.locator("#check-triple").focus()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "explain"
        page.context.browser.close()
    assert asked == ["9 points of extra credit for a question of 3 points. Is it meant?"] * 2


def test_what_has_no_points_yet_is_no_zero_in_an_average(ask: Ask, made: Course) -> None:
    """Two submissions of 12 points by checks: first none is marked, then one with 3."""
    browser = installed_browser()
    saved(made, "adam")
    home, api = "/formgrader/gradebook", "/formgrader/api"
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        page.goto(f"{ask('')[1]}{home}?token=known")

        def rows(address: str) -> list[str]:
            page.goto(f"{ask('')[1]}{address}")
            page.locator("tbody tr .name a").first.wait_for(state="attached")
            return sorted(" ".join(each.split()) for each in page.locator("tbody tr").all_inner_texts())

        assert rows(home)[0].endswith(" 2 –")
        assert rows(f"{home}/{LAB}")[0].startswith(f"{LAB} – 12 / 12 – ")
        assert all("– 12 / 12 – " in each for each in rows(f"{home}/{LAB}/{LAB}"))
        index = json.loads(ask(f"{api}/submitted_notebooks/{LAB}/{LAB}")[1])[0]["id"]
        grades = json.loads(ask(f"{api}/grades?submission_id={index}")[1])
        (written,) = [each["id"] for each in grades if each["name"] == "explain"]
        assert ask(f"{api}/grade/{written}", "PUT", {"manual_score": 3})[0] == 200
        assert rows(home)[0].endswith(" 2 15 / 15")
        assert rows(f"{home}/{LAB}")[0].startswith(f"{LAB} 15 / 15 12 / 12 3 / 3 ")
        assert sum("15 / 15 12 / 12 3 / 3 " in each for each in rows(f"{home}/{LAB}/{LAB}")) == 1
        page.context.browser.close()


def test_what_could_not_be_read_gets_no_credit_in_one_press(ask: Ask, made: Course) -> None:
    browser = installed_browser()
    shutil.rmtree(made.handed_in(LAB, "ada"))
    unread(made)
    (index,) = [each["id"] for each in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])]
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page()
        page.goto(f"{ask('')[1]}/formgrader/gradebook?token=known")
        page.goto(f"{ask('')[1]}/formgrader/submissions/{index}/")
        wait_for_grades(page)
        page.get_by_role("button", name="No credit for all").click()
        page.wait_for_load_state("networkidle")
        page.context.browser.close()
    (found,) = json.loads(ask(f"/formgrader/api/submitted_notebooks/{LAB}/{LAB}")[1])
    assert (found["state"], found["score"]) == ("graded", 0)
