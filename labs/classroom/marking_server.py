"""What does `make mark` serve? nbgrader's pages for marking by hand, and nothing that could run a notebook.

nbgrader's other pages generate, collect, autograde and release at a click, without a box: they are not there.
Nor are kernels, terminals, files, or other extensions of Jupyter.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupyter_server.utils import url_path_join
from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
from nbgrader.server_extensions.formgrader import apihandlers, handlers
from nbgrader.server_extensions.formgrader.base import BaseHandler
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from tornado import web

from classroom.course import Course, assigned
from classroom.grades import parts, state_of
from classroom.grading import is_of_another, typed_again
from classroom.safe_templates import POLICY, SubmissionPage, Templates
from classroom.settings import TEMPLATES, NoExchange

FIRST = "/formgrader/gradebook"
PAGES = (
    *(handlers.GradebookAssignmentsHandler, handlers.GradebookNotebooksHandler),
    *(handlers.GradebookNotebookSubmissionsHandler, handlers.SubmissionHandler),
    *(handlers.SubmissionNavigationHandler, web.StaticFileHandler),
    *(apihandlers.GradeCollectionHandler, apihandlers.CommentCollectionHandler, apihandlers.GradeHandler),
    *(apihandlers.CommentHandler, apihandlers.FlagSubmissionHandler, apihandlers.AssignmentCollectionHandler),
    *(apihandlers.NotebookCollectionHandler, apihandlers.SubmittedNotebookCollectionHandler),
)


class Marks(apihandlers.GradeHandler):
    """A mark is a number from 0 to the points that there are, or none."""

    @web.authenticated
    def put(self, grade_id: str) -> None:
        told = self.get_json_body() or {}
        grade = self.gradebook.find_grade_by_id(grade_id)
        most = grade.max_score
        for name, bound in (("manual_score", most), ("extra_credit", float("inf"))):
            if told.get(name) is not None and not _is_mark(told[name], bound):
                raise web.HTTPError(
                    400, f"{told[name]} is no mark from 0 to {bound}, such as 1.5: nothing was saved"
                )
        asked, submission = is_of_another(grade), grade.notebook.assignment
        lab, student = submission.name, submission.student.id
        super().put(grade_id)
        if asked:
            root = Path(self.coursedir.root, "autograded")
            typed_again(root / student / lab / f"{lab}.ipynb", grade.name)


def _is_mark(told: object, most: float) -> bool:
    try:
        return 0 <= float(str(told)) <= most
    except ValueError:
        return False


class Labs(apihandlers.AssignmentCollectionHandler):
    """The labs that the course assigns; what it assigned once is in the gradebook only."""

    @web.authenticated
    def get(self) -> None:
        known = assigned(Path(self.coursedir.root))
        labs = [each for each in self.api.get_assignments() if each["name"] in known]
        for each in labs:
            each |= _averages(self, each["name"])
        self.write(json.dumps(labs))


class Notebooks(apihandlers.NotebookCollectionHandler):
    """The notebook of a lab; an average is that of who has points."""

    @web.authenticated
    def get(self, assignment_id: str) -> None:
        found = self.api.get_notebooks(assignment_id)
        for each in found:
            each |= _averages(self, assignment_id)
        self.write(json.dumps(found))


class Submissions(apihandlers.SubmittedNotebookCollectionHandler):
    """The list of a lab's submissions, with why one is to be looked at by hand."""

    @web.authenticated
    def get(self, assignment_id: str, notebook_id: str) -> None:
        states = _states(self, assignment_id)
        found = self.api.get_notebook_submissions(assignment_id, notebook_id)
        self.write(json.dumps([each | states.get(each["student"], {}) for each in found]))


def _states(handler: Any, lab: str) -> dict[str, dict[str, Any]]:
    """What is left to do, and the points so far, by student; what has none yet is None, and no zero."""
    tables = (SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
    found = handler.gradebook.db.query(Grade, SubmittedAssignment.student_id).join(*tables)
    found = found.join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    found = found.join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
    grades = dict[str, list[Grade]]()
    for grade, student in found.filter(Assignment.name == lab):
        grades.setdefault(student, []).append(grade)
    states = dict[str, dict[str, Any]]()
    for student, given in grades.items():
        file = Path(handler.coursedir.root, "records", lab, f"{student}.json")
        if not file.exists():
            continue
        known = json.loads(file.read_text(encoding="utf-8"))
        state, asked = state_of(known, given)
        code, written = parts(given)
        look = known["look"][:1]
        states[student] = {
            "state": state,
            "needs_manual_grade": state != "graded",
            "unread": "".join(look) if known.get("unread") else "",
            "look": "; ".join([*asked, *look]),
            "code_score": code,
            "written_score": written,
            "score": (code or 0.0) + (written or 0.0) if state == "graded" else None,
        }
    return states


def _averages(handler: Any, lab: str) -> dict[str, float | None]:
    """Of those who have points; None where nobody has."""
    states, said = _states(handler, lab), dict[str, float | None]()
    for name in ("score", "code_score", "written_score"):
        given = [each[name] for each in states.values() if each[name] is not None]
        said[f"average_{name}"] = sum(given) / len(given) if given else None
    return said


class ToTheFirst(BaseHandler):
    """Where nbgrader's other pages were."""

    @web.authenticated
    def get(self) -> None:
        self.redirect(f"{self.base_url}{FIRST}")


OURS = {
    apihandlers.GradeHandler: Marks,
    apihandlers.AssignmentCollectionHandler: Labs,
    apihandlers.NotebookCollectionHandler: Notebooks,
    apihandlers.SubmittedNotebookCollectionHandler: Submissions,
}


class ManualGrading(FormgradeExtension):
    """nbgrader's formgrader with the pages that `PAGES` lists."""

    def build_extra_config(self) -> Any:
        config = super().build_extra_config()
        config.ExchangeFactory.list = NoExchange
        config.HTMLExporter.template_name = "course_marking"
        config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), handlers.template_path]
        config.HTMLExporter.extra_template_paths = [handlers.template_path]
        return config

    def init_tornado_settings(self, webapp: Any) -> None:
        super().init_tornado_settings(webapp)
        known = webapp.settings["nbgrader_jinja2_env"]
        known.loader = Templates(ChoiceLoader([FileSystemLoader(TEMPLATES), known.loader]))
        known.autoescape = True
        webapp.settings["nbgrader_exporter"] = SubmissionPage(config=self.config)
        webapp.settings.setdefault("headers", {})["Content-Security-Policy"] = POLICY

    def init_handlers(self, webapp: Any) -> None:
        known = [*handlers.default_handlers, *apihandlers.default_handlers]
        served = [each for each in known if each[1] in PAGES]
        served = [(each[0], OURS.get(each[1], each[1]), *each[2:]) for each in served]
        served += [
            (r"/formgrader/static/(.*)", web.StaticFileHandler, {"path": handlers.static_path}),
            (r"/formgrader/api/.*", handlers.Template404),
            (r"/formgrader/submissions/.*", handlers.Template404),
            (r"/formgrader(?:/.*)?", ToTheFirst),
        ]
        base = webapp.settings["base_url"]
        webapp.add_handlers(".*$", [(url_path_join(base, at), *rest) for at, *rest in served])


class NoFiles(LargeFileManager):
    """A student's file could pose as a page of this server."""

    def get_extra_handlers(self) -> list[Any]:
        return []


class MarkingServer(ServerApp):
    """A server of Jupyter for these pages alone."""

    default_services = ("auth",)  # type: ignore[assignment] # it has them all

    def init_configurables(self) -> None:
        self.contents_manager_class = NoFiles
        super().init_configurables()

    def find_server_extensions(self) -> None:
        """None of those that are installed: they run notebooks, or show a student's files."""

    def load_server_extensions(self) -> None:
        pages = ManualGrading(parent=self)
        pages.root_dir, pages.log = self.root_dir, self.log
        pages.initialize([])
        pages.init_tornado_settings(self.web_app)
        pages.init_handlers(self.web_app)


def serve(course: Course, port: int, *, browser: bool) -> None:
    """Until Ctrl+C. nbgrader looks for its settings in the working directory."""
    os.chdir(course.root)
    settings = {
        "root_dir": str(course.root),
        "default_url": FIRST,
        "port": port,
        "open_browser": browser,
        "answer_yes": True,
        "log_level": 50,  # the address, and what ends the server
    }
    sys.argv[1:] = []
    MarkingServer.launch_instance([f"--ServerApp.{name}={value}" for name, value in settings.items()])
