"""What the scripts of a live page decide, tried in node, without a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REQUIRED = "GPUSIM_REQUIRE_LIVE"


@pytest.mark.parametrize("script", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.stem)
def test_scripts(script):
    node = shutil.which("node")
    if node is None:
        missing = "the scripts of live pages are tried in node, which is not installed"
        (pytest.fail if os.environ.get(REQUIRED) else pytest.skip)(missing)
    run = subprocess.run([node, "--test", script], capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stdout + run.stderr
