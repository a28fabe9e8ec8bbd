"""When may a page of the book reuse its last run? Only if nothing that it ran on has changed.

The execution cache knows a page by its code cells alone, so it would go on showing the output of an older
`gpusim`. Its folder is therefore named after the contents of the package and of `requirements.txt`; and since
the folder is part of the configuration, a new name makes Sphinx read every page again as well. Styles and
extensions of the book, which Sphinx does not watch either, are part of the configuration in the same way.

What a book was built from is noted beside it: whoever takes the built pages further (book/live/build.py) asks
whether they are those of today.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `course.kept` takes a fingerprint where no book is built, too
    from sphinx.application import Sphinx
    from sphinx.config import Config

RUN_BY_PAGES = (
    "gpusim/**/*.py",
    "gpusim/**/*.js",
    "gpusim/**/*.css",
    "book/course/*.css",
    "book/course/*.cu",
    "book/course/*.h",
    "book/course/**/*.py",
    "book/course/small_lab/*.md",
    "book/_static/rooms.svg",
    "labs/classroom/**/*.py",
    "labs/*.py",
    "labs/classroom/*.toml",
    "labs/instructor/*/*.ipynb",
    "tests/hardware/*.json",
    "tests/hardware/*.py",
    "tests/hardware/*.cu",
    "tests/hardware/language/*.cu",
    "requirements.txt",
)
LAID_AROUND_PAGES = ("book/_ext/*.py", "book/_static/*", "book/_templates/*")
BUILT_FROM = {
    "its pages": ("book/*.md", "_toc.yml", "_config.yml"),
    "gpusim, or what else its pages run,": RUN_BY_PAGES,
    "its styles or extensions": LAID_AROUND_PAGES,
}
NOTE = "built-from.json"


def fingerprint(root: Path, patterns: tuple[str, ...] = RUN_BY_PAGES) -> str:
    """What do these files hold? Sixteen hexadecimal digits over their names and contents."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def changed_since(book: Path, root: Path) -> list[str]:
    """What has another text than the one that this book was built from? All, if the book says nothing."""
    note = book / NOTE
    known = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    return [what for what, patterns in BUILT_FROM.items() if known.get(what) != fingerprint(root, patterns)]


def choose_cache(app: Sphinx, config: Config) -> None:
    caches = Path(app.outdir).parent / ".jupyter_cache"
    current = caches / fingerprint(Path(app.srcdir))
    for outdated in caches.glob("*"):
        if outdated != current and outdated.is_dir():
            shutil.rmtree(outdated, ignore_errors=True)
    config.nb_execution_cache_path = str(current)
    config.laid_around_pages = fingerprint(Path(app.srcdir), LAID_AROUND_PAGES)
    # now: what changes while the book is built is not in it
    config.built_from = {
        what: fingerprint(Path(app.srcdir), patterns) for what, patterns in BUILT_FROM.items()
    }


def note_sources(app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
        (Path(app.outdir) / NOTE).write_text(json.dumps(app.config.built_from), encoding="utf-8")


def warm_fonts(app: Sphinx) -> None:
    """Let matplotlib list this machine's fonts now: it says so on stderr, which must not end up on a page."""
    importlib.import_module("matplotlib.font_manager")


def forget_failed_build(app: Sphinx, exception: Exception | None) -> None:
    """Repeat warnings until they are mended: Sphinx would not read the pages again, and so not warn again."""
    if exception or app._warncount:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)


def tell_kernels(_app: Sphinx) -> None:
    """Numbers go into the prose (`course.said`), and no launch shows a progress bar there."""
    os.environ["BUILDS_THE_BOOK"] = "1"
    os.environ.setdefault("TQDM_DISABLE", "1")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("laid_around_pages", "", "env")
    app.add_config_value("built_from", {}, "")
    app.connect("config-inited", choose_cache)
    app.connect("builder-inited", warm_fonts)
    app.connect("builder-inited", tell_kernels)
    app.connect("build-finished", forget_failed_build)
    app.connect("build-finished", note_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
