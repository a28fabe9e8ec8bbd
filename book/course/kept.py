"""What takes long and is asked for by a page and by tests: computed once, kept until the code changes."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

ROOT = Path(__file__).resolve().parents[2]
Asked = ParamSpec("Asked")
Given = TypeVar("Given")


@cache
def shelf() -> Path:
    """Where is it kept? In a folder named after the pages and all that they run on."""
    from _ext.fresh_runs import RUN_BY_PAGES, fingerprint  # of the book's build, which a browser has not

    return ROOT / "_build" / ".kept" / fingerprint(ROOT, ("book/*.md", *RUN_BY_PAGES))


def kept(compute: Callable[Asked, Given]) -> Callable[Asked, Given]:
    """The same function; for one state of the package and its records, all processes together call it once.

    Two that ask at the same time both compute. What it gives can be pickled; its arguments tell it apart.
    A browser and a folder of downloaded notebooks keep no files: there each process calls it once.
    """
    if sys.platform == "emscripten" or not (ROOT / "book" / "_ext").is_dir():
        return cache(compute)  # type: ignore[return-value]

    @wraps(compute)
    def looked_up(*asked: Asked.args, **named: Asked.kwargs) -> Given:
        given = "-".join(map(str, (*asked, *named.values())))
        place = shelf() / f"{compute.__module__}.{compute.__qualname__}({given}).pickle"
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            own = place.with_suffix(f".{os.getpid()}")
            own.write_bytes(pickle.dumps(compute(*asked, **named)))
            own.replace(place)
        return pickle.loads(place.read_bytes())  # type: ignore[no-any-return]

    return looked_up
