"""What does `make` refuse to touch?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_an_environment_behind_a_link_is_not_emptied(tmp_path: Path) -> None:
    """`.venv` may lead to the environment of another checkout."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "kept").touch()
    (tmp_path / ".venv").symlink_to("others")
    made = subprocess.run(["make", "lab"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode
    assert ".venv is a link" in made.stdout
    assert (tmp_path / "others" / "kept").exists()
