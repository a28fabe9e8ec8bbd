"""What is taken of Pyodide's release: the wheels that are asked for, and only with their checksums."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import tarfile
from http.client import IncompleteRead
from pathlib import Path

import pytest

from tests.browser.conftest import needs_live

PLACE = Path(__file__).resolve().parents[2] / "book" / "live" / "wheels.py"
FILES = {"numpy": b"n", "plots": b"p", "kiwi": b"k", "other": b"o"}
DEPENDS = {"plots": ["numpy", "kiwi"], "kiwi": ["numpy"]}


@pytest.fixture
def wheels():
    spec = importlib.util.spec_from_file_location("live_wheels", PLACE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def release(tmp_path):
    """A release with four packages, and its lock file; `changed` names one whose checksum is another."""

    def release(changed="", left_out=""):
        packages = {
            name: {
                "file_name": f"{name}-1.whl",
                "sha256": hashlib.sha256(b"?" if name == changed else data).hexdigest(),
                "depends": DEPENDS.get(name, []),
            }
            for name, data in FILES.items()
        }
        lock = tmp_path / "lock.json"
        lock.write_text(json.dumps({"info": {"version": "1.1.dev0"}, "packages": packages}))
        (tmp_path / "package.json").write_text(json.dumps({"version": "1.2"}))
        with tarfile.open(tmp_path / "pyodide-1.2.tar.bz2", "w:bz2") as archive:
            for name, data in FILES.items():
                if name != left_out:
                    member = tarfile.TarInfo(f"pyodide/{name}-1.whl")
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
        return {"lock": lock, "release": tmp_path.as_uri() + "/pyodide-{version}.tar.bz2"}

    return release


def test_a_package_comes_with_all_that_it_depends_on_and_nothing_else(wheels, release, tmp_path):
    found = wheels.fetch(tmp_path / "wheels", ["plots"], **release())
    assert [path.name for path in found] == ["kiwi-1.whl", "numpy-1.whl", "plots-1.whl"]
    assert (tmp_path / "wheels" / "plots-1.whl").read_bytes() == b"p"


def test_the_release_is_that_of_the_pyodide_that_package_json_pins(wheels):
    """Its lock file names another: a version of the time when it was made."""
    if not wheels.LOCK.is_file():
        needs_live("Pyodide is not installed")
    package = json.loads(PLACE.with_name("package.json").read_text(encoding="utf-8"))
    pinned = package["dependencies"]["pyodide"]
    assert wheels.address(wheels.LOCK) == (
        f"https://github.com/pyodide/pyodide/releases/download/{pinned}/pyodide-{pinned}.tar.bz2"
    )


def test_a_release_that_does_not_come_is_said_with_its_address(wheels, release, tmp_path):
    known = release()
    (tmp_path / "pyodide-1.2.tar.bz2").unlink()
    with pytest.raises(SystemExit, match=r"pyodide-1\.2\.tar\.bz2 did not come: .*No such file"):
        wheels.fetch(tmp_path / "wheels", ["numpy"], **known)


@pytest.mark.parametrize("error", [TimeoutError("timed out"), IncompleteRead(b"half")])
def test_a_release_that_comes_in_part_is_said_with_its_address(wheels, release, tmp_path, monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(wheels, "members", broken)
    with pytest.raises(SystemExit, match=r"pyodide-1\.2\.tar\.bz2 did not come: "):
        wheels.fetch(tmp_path / "wheels", ["numpy"], **release())


def test_another_checksum_a_file_that_is_not_there_and_an_unknown_name_are_errors(wheels, release, tmp_path):
    with pytest.raises(SystemExit, match=r"numpy-1\.whl of the release is not the file"):
        wheels.fetch(tmp_path / "wheels", ["numpy"], **release(changed="numpy"))
    assert not (tmp_path / "wheels" / "numpy-1.whl").exists()
    with pytest.raises(SystemExit, match=r"the release has no kiwi-1\.whl"):
        wheels.fetch(tmp_path / "wheels", ["kiwi"], **release(left_out="kiwi"))
    with pytest.raises(SystemExit, match="Pyodide has no package 'nunpy'"):
        wheels.fetch(tmp_path / "wheels", ["nunpy"], **release())
