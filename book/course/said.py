"""How does a number of a run get into the prose? `say("read-8", reads[7])`, and the text glues `read-8`.

Only where the book is built (`book/_ext/fresh_runs.py` says so): the text of a downloaded notebook has the
numbers already.
"""

from __future__ import annotations

import os
from typing import Any


def say(name: str = "", value: Any = None, /, **values: Any) -> None:
    """Glue one value under its name, or several: `say(trips_times=8)` is called `trips-times` in the text."""
    if "BUILDS_THE_BOOK" not in os.environ:
        return
    from myst_nb import glue  # which only the book needs

    named = {name: value} if name else {}
    for key, each in (named | {key.replace("_", "-"): each for key, each in values.items()}).items():
        glue(key, each, display=False)


def percent(share: float, decimals: int = 0) -> str:
    """0.75 is "75 %", which is not broken at the end of a line."""
    return f"{share:.{decimals}%}".replace("%", "\N{NO-BREAK SPACE}%")
