"""How do the labs run in a browser? A JupyterLite site of own files alone: notebooks, a kernel, the labs.

    python book/live/lite.py DIRECTORY_WITH_WHEEL [_build/lite]
    python book/live/lite.py DIRECTORY_WITH_WHEEL _build/live/lab _build/live

`kernel.txt` pins what Python in the browser imports, each with its checksum; pip fetches it once. NumPy is
the one of the folder, Pyodide that of `package.json`. A lock file names all of them, so that the kernel asks
no other server for a package. With the folder of a live book, Pyodide, NumPy and the course's package are
the book's, and its chapters get links to their labs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from around_labs import APPS, AT_JUPYTERLAB, Lab, labs_of, surround
from build import CORE, HERE, MODULES, ROOT, emptied, licences, wheel_of_the_package
from wheels import numpy_in

PINS = HERE / "kernel.txt"
FETCHED = ROOT / "_build" / "lite-wheels"
LABS = ROOT / "labs"
# wheels with what the page loads, besides Python's
OF_THE_PAGE = ("anywidget-", "jupyterlab_widgets-", "jupyterlite_pyodide_kernel-")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
# the kernel wants it installed, and IPython's history of other days wants it, too; a wheel without contents
# satisfies the one, and the other is off in a browser
ABSENT = "sqlite3"
# JupyterLite forgets all cells that wait once one has failed, also one that may; this is where it answers
REPLY = 'msgType:"execute_reply",channel:"shell",parentHeader:t.header,session:e.header.session,content:n'
GOES_ON = '!1===s.stop_on_error?{cause:"interrupt"}:{}'  # the one cause that it lets pass
SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # the system's, light or dark
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},  # in seconds
    "@jupyter-notebook/application-extension:top": {"visible": "no"},  # a file's name, which is to stay
    # a kernel of the browser hears of it when its cell is over
    "@jupyterlab/notebook-extension:panel": {"toolbar": [{"name": "interrupt", "disabled": True}]},
    "@jupyterlab/mainmenu-extension:plugin": {
        "menus": [
            {"id": "jp-mainmenu-kernel", "items": [{"command": "kernelmenu:interrupt", "disabled": True}]}
        ]
    },
}
DISABLED = (
    "@jupyterlite/application-extension:service-worker-manager",
    "@jupyter-notebook/notebook-extension:tab-icon",  # of files that JupyterLite lacks
    "@jupyter-notebook/notebook-extension:trusted",  # whether stored outputs may run code: a lab stores none
)
NAMED = re.compile(r"<p>(?:(?!</p>).)*\b(Lab \d+)\b(?:(?!</p>).)*</p>", re.DOTALL)
LINK = (
    '\n<p class="live-lab">'
    '<a href="{up}notebooks/index.html?path={name}.ipynb" target="_blank" rel="noopener">'
    "Do {lab} in your browser</a>"
    '<a href="{up}index.html" target="_blank" rel="noopener">All labs</a> Each opens in a new tab{but}.</p>'
)
LINKED = re.compile(r'\n<p class="live-lab">.*?</p>')


def fetched() -> list[Path]:
    """The wheels that `kernel.txt` pins; fetched by pip unless these files, and no others, are there."""
    pinned = {*re.findall(r"--hash=sha256:(\w+)", PINS.read_text(encoding="utf-8"))}
    if pinned != {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in FETCHED.glob("*.whl")}:
        shutil.rmtree(FETCHED, ignore_errors=True)
        FETCHED.mkdir(parents=True)
        pure = ["--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.13", "--abi=none"]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *pure, "--require-hashes", "-r", PINS, "-d", FETCHED], check=True)
    return sorted(FETCHED.glob("*.whl"))


def named(wheel: Path) -> str:
    return wheel.name.split("-")[0].lower().replace("_", "-")


def entry(wheel: Path, place: str) -> dict[str, Any]:
    """What does a lock file of Pyodide say of a wheel, whose place is seen from the lock file?"""
    with zipfile.ZipFile(wheel) as archive:
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        version = message_from_bytes(archive.read(about))["Version"]
    return {
        "name": named(wheel),
        "version": version,
        "file_name": place,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }


def without_contents(name: str, folder: Path) -> None:
    """A wheel that installs nothing: importing its name still fails, and says so."""
    about = f"{name}-0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")


def of_the_kernel(pinned: list[Path], folder: Path) -> None:
    """Lay into a folder the wheels that Python imports: those of PyPI, and those that the kernel brings."""
    for wheel in pinned:
        if not wheel.name.startswith(OF_THE_PAGE[1:]):
            shutil.copy(wheel, folder)
    (kernel,) = (wheel for wheel in pinned if wheel.name.startswith(OF_THE_PAGE[2]))
    with zipfile.ZipFile(kernel) as archive:
        for name in archive.namelist():
            if re.search(r"/static/pypi/(?!widgetsnbextension).*\.whl$", name):
                (folder / Path(name).name).write_bytes(archive.read(name))
    without_contents(ABSENT, folder)


def notebooks(made: Path, extensions: list[Path], site: Path) -> None:
    """Notebooks with the labs, of settings that lie in the folder `made`."""
    labs = made / "labs"
    labs.mkdir()
    for notebook in LABS.glob("*/*.ipynb"):
        shutil.copy(notebook, labs)  # in no folder, whose name a download would begin with
    config = {
        "apps": [*APPS],
        "contents": [str(labs)],
        "ignore_sys_prefix": True,  # extensions are those of `kernel.txt`, not those installed here
        "federated_extensions": [*map(str, extensions)],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "output_dir": str(site),
        "cache_dir": str(made / "cache"),
    }
    (made / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": config}))
    (made / "overrides.json").write_text(json.dumps(SETTINGS))
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    built = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    if built.returncode:
        sys.exit(built.stdout + built.stderr)
    found = [path for path in site.glob("build/*.js") if REPLY in path.read_text(encoding="utf-8")]
    if len(found) != 1 or found[0].read_text(encoding="utf-8").count(REPLY) != 1:
        sys.exit(
            "this JupyterLite answers otherwise than the one that pyproject.toml names: see REPLY in lite.py"
        )
    text = found[0].read_text(encoding="utf-8")
    found[0].write_text(text.replace(REPLY, f"{REPLY},metadata:{GOES_ON}"), encoding="utf-8")


def lock_file(wheels: dict[str, Path]) -> dict[str, Any]:
    """The lock file of the wheels that the kernel loads, each with its place, seen from the lock file."""
    known: dict[str, Any] = json.loads(
        (MODULES / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8")
    )
    known["packages"] = {named(wheel): entry(wheel, place) for place, wheel in wheels.items()}
    return known


def build(numpy: Path, site: Path, book: Path | None, made: Path) -> None:
    """Make the site of what is laid into the folder `made`."""
    pinned, python = fetched(), made / "python"
    python.mkdir()
    of_the_kernel(pinned, python)
    loaded, core = {}, "./pyodide"
    if book:
        here = Path(os.path.relpath(book / "_live", site)).as_posix()
        core = f"./{here}/pyodide"  # only what begins with a dot is found from the root
        loaded = {f"../{here}/{wheel.name}": wheel for wheel in (book / "_live").glob("*.whl")}
    else:
        shutil.copy(numpy, python)
        wheel_of_the_package(python)
    loaded |= {wheel.name: wheel for wheel in sorted(python.glob("*.whl"))}
    known = lock_file(loaded)
    (python / "pyodide-lock.json").write_text(json.dumps(known), encoding="utf-8")
    kernel = {
        "pyodideUrl": f"{core}/pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"lockFileURL": "./python/pyodide-lock.json", "packages": [*known["packages"]]},
    }
    lite = {
        "appName": "Labs of How GPUs Execute Code",
        "appUrl": "./notebooks",
        "exposeAppInBrowser": True,  # to the bar
        "disabledExtensions": [*DISABLED],
        "litePluginSettings": {KERNEL: kernel},
    }
    (made / "jupyter-lite.json").write_text(
        json.dumps({"jupyter-lite-schema-version": 0, "jupyter-config-data": lite})
    )
    notebooks(made, [wheel for wheel in pinned if wheel.name.startswith(OF_THE_PAGE)], site)
    shutil.copytree(python, site / "python")
    if not book:
        (site / "pyodide").mkdir()
        for name in CORE:
            shutil.copy(MODULES / "pyodide" / name, site / "pyodide")
    (site / "licences.txt").write_text(licences([*loaded.values(), *pinned]), encoding="utf-8")


def with_link(page: str, up: str, name: str, but: str) -> str:
    """A page whose last paragraph with "Lab 7" in it has a link behind it, one however often it gets it."""
    page = LINKED.sub("", page)
    found = [*NAMED.finditer(page)]
    if not found:
        sys.exit(f'the chapter {name} names no lab at its end ("Lab 7"), where the link to it would be')
    place = found[-1].end()
    return page[:place] + LINK.format(up=up, name=name, lab=found[-1][1], but=but) + page[place:]


def link(site: Path, book: Path, labs: list[Lab]) -> None:
    """Name each chapter's lab at its end, where the text does."""
    for lab in labs:
        page = book / "book" / f"{lab.name}.html"
        up = f"{Path(os.path.relpath(site, page.parent)).as_posix()}/"
        but = f"; {AT_JUPYTERLAB}" if lab.cpp else ""
        page.write_text(with_link(page.read_text(encoding="utf-8"), up, lab.name, but), encoding="utf-8")


def main(numpy: Path, site: Path = ROOT / "_build" / "lite", book: Path | None = None) -> None:
    """Make `site`; `book` is a live book that it lies in."""
    if find_spec("jupyterlite_core") is None:
        sys.exit("jupyterlite-core is not installed: pip install --requirement requirements.txt")
    emptied(site, "jupyter-lite.json")
    with tempfile.TemporaryDirectory() as made:
        build(numpy, site.resolve(), book.resolve() if book else None, Path(made))
    labs = labs_of(LABS)
    surround(site.resolve(), labs, book.resolve() if book else None)
    if book:
        link(site.resolve(), book.resolve(), labs)
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    sys.stdout.write(f"{len(labs)} labs, {size / 1e6:.0f} MB: {site}\n")


if __name__ == "__main__":
    main(numpy_in("".join(sys.argv[1:2])), *map(Path, sys.argv[2:]))
