"""How does nbgrader read a course? Its folders, the settings of the labs, and pages that run nothing.

`nbgrader_config.py` in the folder of a course calls `configure`, so nbgrader's own commands see the same.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import Any

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeList
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from classroom.course import LABS, Course
from classroom.pages import AsStudentsSeeIt, Harmless, InOrder, Points

TEMPLATES = Path(__file__).parent / "marking"
CONFIG_FILE = """\
\"\"\"Written by `make course`: nbgrader's settings for this course.\"\"\"

import sys
from pathlib import Path

sys.path[:0] = [{labs!r}, {package!r}]
from classroom.settings import configure

configure(get_config(), Path(__file__).resolve().parent, {name!r}, {zone!r})  # noqa: F821
"""


class InABoxOnly(NbGraderPreprocessor):
    """nbgrader's own autograding runs a notebook as whoever calls it: never here."""

    def preprocess(self, nb: Any, resources: Any) -> Any:
        raise RuntimeError("nbgrader would run this without a box. `make grade` runs it in one.")


class NoExchange(ExchangeList):
    """Nothing here goes through nbgrader's exchange, and nobody has to be told that it is missing."""

    def start(self) -> None:
        raise ExchangeError("there is none")


def configure(config: Any, root: Path, name: str, zone: str = "UTC") -> None:
    """Add a course's settings to nbgrader's."""
    config.NbGraderAPI.timezone = zone
    config.merge(PyFileConfigLoader("nbgrader_config.py", path=str(LABS)).load_config())
    folder = config.CourseDirectory
    folder.root, folder.course_id = str(root), name
    folder.db_url = f"sqlite:///{root / 'gradebook.db'}?timeout=60"
    folder.source_directory, folder.release_directory = "source", "release"
    folder.submitted_directory, folder.autograded_directory = "submitted", "autograded"
    folder.feedback_directory = "feedback"
    config.Autograde.sanitize_preprocessors = config.Autograde.autograde_preprocessors = [InABoxOnly]
    filters = {"markdown2html": "markdown_of", "float": "points_of", "round": "rounded"}
    config.HTMLExporter.filters = {name: f"classroom.pages.{each}" for name, each in filters.items()}
    config.HTMLExporter.preprocessors = [InOrder, Harmless]
    # feedback/ there is looked through before nbgrader's own, which fetches MathJax from elsewhere
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), handlers.template_path]
    config.GenerateFeedback.preprocessors = [
        Points,
        AsStudentsSeeIt,
        InOrder,
        Harmless,
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]


def config_of(course: Course) -> Config:
    """nbgrader's settings for this course. It calls `alembic`, which is beside this Python."""
    scripts = sysconfig.get_path("scripts")
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = scripts + os.pathsep + os.environ["PATH"]
    config = Config()
    configure(config, course.root, course.name)
    config.ExchangeFactory.list = NoExchange
    # the marking page would serve a student's files as if they were the instructor's own pages
    config.CourseDirectory.ignore = ["*"]
    return config
