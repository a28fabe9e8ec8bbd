"""Does the locked environment hold what the package asks for, and can everyone install it?"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PINS = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.lstrip().startswith("#")
]


def test_every_line_is_one_exact_version():
    assert [str(pin) for pin in PINS if not re.fullmatch(r"==[\w.+!]+", str(pin.specifier))] == []
    assert [str(pin) for pin in PINS if pin.url] == []


def test_every_range_has_a_pin_within_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    ranges = [Requirement(text) for texts in (project["dependencies"], *extras) for text in texts]
    versions: dict[str, list[str]] = {}
    for pin in PINS:
        versions.setdefault(canonicalize_name(pin.name), []).append(str(pin.specifier).removeprefix("=="))
    for wanted in ranges:
        if wanted.name != "gpusim":
            pinned = versions.get(canonicalize_name(wanted.name), [])
            assert pinned, f"{wanted.name} is not in requirements.txt: run `make lock`"
            assert all(wanted.specifier.contains(version) for version in pinned), f"{wanted}: run `make lock`"
