"""How does nbgrader read a course? Its folders, the settings of the labs, and pages that run nothing.

`nbgrader_config.py` in the folder of a course calls `configure`, so nbgrader's own commands see the same.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import Any

from traitlets.config import Config, PyFileConfigLoader

from classroom.course import LABS, Course
from classroom.pages import AsStudentsSeeIt, Harmless

CONFIG_FILE = """\
\"\"\"Written by `make course`: nbgrader's settings for this course.\"\"\"

import sys
from pathlib import Path

sys.path[:0] = [{labs!r}, {package!r}]
from classroom.settings import configure

configure(get_config(), Path(__file__).resolve().parent, {name!r})  # noqa: F821
"""


def configure(config: Any, root: Path, name: str) -> None:
    """Add a course's settings to nbgrader's."""
    config.merge(PyFileConfigLoader("nbgrader_config.py", path=str(LABS)).load_config())
    folder = config.CourseDirectory
    folder.root, folder.course_id = str(root), name
    folder.db_url = f"sqlite:///{root / 'gradebook.db'}?timeout=60"
    folder.source_directory, folder.release_directory = "source", "release"
    folder.submitted_directory, folder.autograded_directory = "submitted", "autograded"
    folder.feedback_directory = "feedback"
    # the marking page would serve a student's files as if they were the instructor's own pages
    folder.ignore = ["*"]
    config.HTMLExporter.filters = {"markdown2html": "classroom.pages.markdown_of"}
    config.HTMLExporter.preprocessors = [Harmless]
    config.GenerateFeedback.preprocessors = [
        "nbgrader.preprocessors.GetGrades",
        AsStudentsSeeIt,
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
    return config
