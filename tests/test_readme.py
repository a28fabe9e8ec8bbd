"""Does what the README shows work? Its examples run, one after the other, and give what they say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def ran(tmp_path) -> list[dict[str, Any]]:
    """The names after each example. They are files, so that kernels in Python have a source."""
    names: dict[str, Any] = {}
    after = []
    for number, example in enumerate(EXAMPLES):
        path = tmp_path / f"example_{number}.py"
        path.write_text(example, encoding="utf-8")
        exec(compile(example, str(path), "exec"), names)
        after.append({**names, "y": names["y"].copy()})
    return after


def test_both_languages_give_the_same(ran):
    in_python, _, in_cpp, _ = ran
    assert np.array_equal(in_python["y"], np.full(1000, 3, np.float32))
    assert np.array_equal(in_cpp["y"], np.full(1000, 5, np.float32)), "2 · 1 on top"
    for names in (in_python, in_cpp):  # 1000 floats, read, read and written, by 32 whole warps
        assert names["run"].sectors_per_request == 3 * 125 / 96


def test_a_race_is_found_and_shows(ran, capsys):
    _, asked, *_ = ran
    assert {finding.hazard for finding in asked["report"]} <= {"RAW", "WAR", "WAW"}
    assert any("cuda.atomic" in finding.hint for finding in asked["report"])
    assert not asked["found"].deterministic
    assert asked["found"].schedules == 64


def test_a_kernel_launches_kernels(ran):
    names = ran[-1]
    assert names["total"] == 64
    assert names["errors"] == 0
    assert [grid.kernel for grid in names["family"].launch_tree().grids] == ["parent", "child", "add_up"]
    assert names["checked"].clean
    assert not any(read.may_see for read in names["checked"].visibility().reads)


def test_what_streams_do_is_told(ran):
    told = ran[1]["queued"].streams()
    assert [call.text for call in told.calls if call.what == "launch"] == ["count"]


def test_the_launch_in_cupys_form(ran):
    names = ran[-1]
    (form,) = re.findall(r"`saxpy(\(.*?, x, y\)\))`", README)
    y = np.zeros(1000, np.float32)
    eval(f"kernel{form}", {"kernel": names["module"].get_function("saxpy"), "x": names["x"], "y": y})
    assert np.array_equal(y, np.full(1000, 2, np.float32))


def test_what_is_said_to_be_installed_exists():
    extras = set(re.findall(r'"\.\[(\w+)\]"', README))
    assert extras == {"cpp", "widgets"}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in extras:
        assert re.search(rf"^{name} = \[", project, re.MULTILINE)


def test_the_map_for_newcomers_names_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    room = text[text.index("### A map") : text.index("## The book")]
    named = re.findall(r"`((?:gpusim/|book/|[a-z_]+/)[\w/]*(?:\.py|/))`", room)
    missing = [name for name in named if not any((ROOT / where / name).exists() for where in ("", "gpusim"))]
    assert missing == []
    assert len(named) > 25
