"""What the scripts of a live page decide, tried in node, without a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.conftest import needs_live

HERE = Path(__file__).parent


@pytest.mark.parametrize("script", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.stem)
def test_scripts(script):
    node = shutil.which("node")
    if node is None:
        needs_live("the scripts of live pages are tried in node, which is not installed")
    run = subprocess.run([node, "--test", script], capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stdout + run.stderr
