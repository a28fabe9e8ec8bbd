"""How are the students' notebooks made? `python labs/release.py` writes each from its instructor's notebook.

`python labs/release.py mirror` writes that lab's alone. It is `nbgrader generate_assignment`: solutions and
hidden tests go, checks are locked.
"""

from __future__ import annotations

import logging
import os
import sys
import sysconfig
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config, PyFileConfigLoader


def settings(labs: Path) -> Config:
    """nbgrader's settings for a folder of labs: its `nbgrader_config.py`, with that folder as the root."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(labs)).load_config()
    config.CourseDirectory.root = str(labs.resolve())
    return config


def grader(labs: Path) -> NbGraderAPI:
    """nbgrader, for a folder of labs. It calls `alembic`, which is installed beside this Python."""
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
    log = logging.getLogger("traitlets")
    log.setLevel(logging.CRITICAL + 1)  # nbgrader misses an exchange, which nobody here uses
    made = NbGraderAPI(config=settings(labs))
    log.setLevel(logging.WARNING)
    return made


def release(labs: Path, lab: str = "*") -> list[Path]:
    """Write the student copy of every lab under `instructor`, or of one.

    Raises `RuntimeError` with nbgrader's log, `FileNotFoundError` where there is no such lab.
    """
    nbgrader, copies = grader(labs), list[Path]()
    sources = sorted((labs / "instructor").glob(f"{lab}/*.ipynb"))
    if not sources:
        raise FileNotFoundError(f"{labs / 'instructor'} has no notebook of a lab `{lab}`")
    for source in sources:
        result = nbgrader.generate_assignment(source.parent.name)
        if not result["success"]:
            raise RuntimeError(f"{source} cannot be released:\n{result.get('error') or result['log']}")
        copies.append(labs / source.parent.name / source.name)
    return copies


if __name__ == "__main__":
    try:
        for copy in release(Path(__file__).parent, *sys.argv[1:2]):
            sys.stdout.write(f"{copy}\n")
    except (FileNotFoundError, RuntimeError) as error:
        sys.exit(str(error))
