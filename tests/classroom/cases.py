"""Which of the odd submissions and cheats are tried here? A part of them; once a week all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from tests.classroom.cheats import CHEATS
from tests.classroom.odd import ODD
from tests.classroom.quiet import QUIET
from tests.hunting import some

Kind = TypeVar("Kind")
ALWAYS = (
    *("right", "starter untouched", "script in the answer", "script in an output", "printed hidden tests"),
    *(
        "prompts that end a text when it is read again",
        "patched run_code",
        "callbacks taken away",
        "classmates",
        "the network",
        "files outside",
    ),
)


def _part(table: Mapping[str, Kind]) -> dict[str, Kind]:
    tried = some([*table], 10)
    return {name: table[name] for name in table if name in ALWAYS or name in tried}


ODD_HERE, CHEATS_HERE = _part(ODD), _part(CHEATS) | _part(QUIET)
