"""Which wheel do live pages take from Pyodide's release? Fetches it, with its checksum.

    python book/live/wheels.py FOLDER numpy
    python book/live/wheels.py FOLDER    says whether all is there, and what to do

The names, what they depend on, and the SHA-256 of each file are those of `pyodide-lock.json` in the npm
package that `package-lock.json` pins. The release is one archive; only what is asked for is kept of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LOCK = HERE / "node_modules" / "pyodide" / "pyodide-lock.json"
CORE = "npm ci --prefix book/live"  # run where the Makefile is
RELEASE = "https://github.com/pyodide/pyodide/releases/download/{version}/pyodide-{version}.tar.bz2"


def numpy_in(name: str) -> Path:
    """The wheel of NumPy in the folder that was named, if it is Pyodide's and whole; else what is wrong."""
    if not LOCK.is_file():
        raise SystemExit(f"Pyodide, the Python of live pages, is not installed: {CORE} fetches it, with npm")
    wheels = sorted(Path(name).glob("numpy-*.whl")) if name else []
    if wheels:
        (wheel, *more), known = wheels, json.loads(LOCK.read_text(encoding="utf-8"))
        expected = known["packages"]["numpy"]["file_name"]
        if more:
            raise SystemExit(f"{name} has {len(wheels)} wheels of NumPy: leave {expected} alone there")
        if wheel.name != expected:
            raise SystemExit(f"{wheel} is not for the Pyodide that is installed, which loads {expected}")
        if not is_whole(wheel):
            raise SystemExit(f"{wheel} is cut off or damaged: remove it, and fetch it once more")
        return wheel
    found = f"{name} has no numpy-….whl" if name else "no folder was named"
    raise SystemExit(
        f"live pages and labs need NumPy for Pyodide: {found}. Fetch it once, then name the folder:\n"
        "    python book/live/wheels.py wheels numpy\n"
        "    make live WHEELS=wheels    # or make lite; GPUSIM_PYODIDE_WHEELS=wheels is read as well"
    )


def is_whole(wheel: Path) -> bool:
    """Can all of it be unpacked?"""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.testzip() is None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return False


def needed(packages: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> dict[str, str]:
    """The files of these packages and of all that they depend on, with their SHA-256."""
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in packages:
            raise SystemExit(f"Pyodide has no package {name!r}")
        package = packages[name]
        if package["file_name"] not in found:
            found[package["file_name"]] = package["sha256"]
            waiting += package["depends"]
    return found


def fetch(folder: Path, names: Iterable[str], lock: Path = LOCK, release: str = RELEASE) -> list[Path]:
    """Put the wheels into a folder; a file whose checksum is another one is an error, and is not kept."""
    if not lock.is_file():
        raise SystemExit(f"{lock} says which files they are, and is not there: {CORE} fetches it, with npm")
    known = json.loads(lock.read_text(encoding="utf-8"))
    files = needed(known["packages"], names)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        urllib.request.urlopen(release.format(version=known["info"]["version"])) as response,
        tarfile.open(fileobj=response, mode="r|bz2") as archive,
    ):
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member) if name in files else None
            if content is None:
                continue
            data = content.read()
            if hashlib.sha256(data).hexdigest() != files.pop(name):
                raise SystemExit(f"{name} of the release is not the file that pyodide-lock.json names")
            (folder / name).write_bytes(data)
    if files:
        raise SystemExit(f"the release has no {', '.join(sorted(files))}")
    return sorted(folder.glob("*.whl"))


if __name__ == "__main__":
    if sys.argv[2:]:
        for wheel in fetch(Path(sys.argv[1]), sys.argv[2:]):
            print(wheel)
    else:
        numpy_in("".join(sys.argv[1:]))
