"""Which wheel do live pages take from Pyodide's release? Fetches it, with its checksum.

    python book/live/wheels.py FOLDER numpy
    python book/live/wheels.py FOLDER    says whether all is there, and what to do

The names, what they depend on, and the SHA-256 of each file are those of `pyodide-lock.json` in the npm
package that `package-lock.json` pins. The release, of that package's version, is one archive; only what is
asked for is kept of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from http.client import HTTPException
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
        expected, sha256 = (known["packages"]["numpy"][each] for each in ("file_name", "sha256"))
        if more:
            raise SystemExit(f"{name} has {len(wheels)} wheels of NumPy: leave {expected} alone there")
        if wheel.name != expected:
            raise SystemExit(f"{wheel} is not for the Pyodide that is installed, which loads {expected}")
        if not is_whole(wheel):
            raise SystemExit(f"{wheel} is cut off or damaged: remove it, and fetch it once more")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256:
            print(f"{wheel} is not the file of Pyodide's release, and is taken as it is")
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


def address(lock: Path, release: str = RELEASE) -> str:
    """Where is the release of the npm package in which that lock file lies?"""
    # the lock file's own `info.version` is older: 0.28.0.dev0 in Pyodide 0.29.3
    about = json.loads(lock.with_name("package.json").read_text(encoding="utf-8"))
    return release.format(version=about["version"])


def members(place: str, names: set[str]) -> Iterator[tuple[str, bytes]]:
    """The files of these names in an archive, each with what it holds."""
    with (
        urllib.request.urlopen(place) as response,
        tarfile.open(fileobj=response, mode="r|bz2") as archive,
    ):
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member) if name in names else None
            if content is not None:
                yield name, content.read()


def fetch(folder: Path, names: Iterable[str], lock: Path = LOCK, release: str = RELEASE) -> list[Path]:
    """Put the wheels into a folder; a file whose checksum is another one is an error, and is not kept."""
    if not lock.is_file():
        raise SystemExit(f"{lock} says which files they are, and is not there: {CORE} fetches it, with npm")
    files = needed(json.loads(lock.read_text(encoding="utf-8"))["packages"], names)
    folder.mkdir(parents=True, exist_ok=True)
    place = address(lock, release)
    try:
        for name, data in members(place, {*files}):
            if hashlib.sha256(data).hexdigest() != files.pop(name):
                raise SystemExit(f"{name} of the release is not the file that pyodide-lock.json names")
            (folder / name).write_bytes(data)
    except (OSError, HTTPException, tarfile.TarError, EOFError) as error:
        raise SystemExit(f"{place} did not come: {error}; try again where there is a network") from None
    if files:
        raise SystemExit(f"the release has no {', '.join(sorted(files))}")
    return sorted(folder.glob("*.whl"))


if __name__ == "__main__":
    if sys.argv[2:]:
        for wheel in fetch(Path(sys.argv[1]), sys.argv[2:]):
            print(wheel)
    else:
        numpy_in("".join(sys.argv[1:]))
