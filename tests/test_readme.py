"""Does what the README shows work, and does it fit a screen?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.release.__main__ import EXTRAS, examples

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_examples_run(tmp_path, capsys):
    """One after the other, from a file, so that the kernel in Python has a source."""
    pytest.importorskip("anywidget")
    pytest.importorskip("clang")
    path = tmp_path / "examples.py"
    path.write_text("\n".join(examples()), encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    assert names["run"].sectors_per_request == 3 * 125 / 96, "1000 floats, read, read, written, by 32 warps"
    assert names["report"].clean
    assert np.array_equal(names["y"], np.full(1000, 5, np.float32)), "2 in Python, and 2 in C++"
    assert "global_load_sectors" in capsys.readouterr().out


def test_it_fits_a_screen():
    assert len(README.splitlines()) < 70
    assert README.index("moving-warp.svg") < README.index("make book") < README.index("```python")


def test_what_it_installs_and_links_exists():
    assert set(re.findall(r'"gpusim\[([\w,]+)\]"', README)) == {",".join(EXTRAS[-1])}
    links = re.findall(r"\]\(([A-Za-z][^)#]+)(?:#[\w-]+)?\)", README)
    assert [link for link in links if not (ROOT / link).is_file()] == []
    assert len(links) > 15


def test_the_map_for_newcomers_names_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    room = text[text.index("### A map") : text.index("## The book")]
    named = re.findall(r"`((?:gpusim/|book/|[a-z_]+/)[\w/]*(?:\.py|/))`", room)
    missing = [name for name in named if not any((ROOT / where / name).exists() for where in ("", "gpusim"))]
    assert missing == []
    assert len(named) > 25
