"""What is said in place of Clang's words, where a beginner would not understand them? `wording.txt` says it.

A place is the name of one in `messages`, which knows them.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.frontends.cuda_cpp import texts


class Rule(NamedTuple):
    """What is said of a finding whose words match `pattern`, in a line that matches `context`."""

    pattern: str
    message: str
    place: str
    hint: str
    context: str


def _rule(row: str) -> Rule:
    pattern, *parts = row.split("\n")
    given = {key: value.strip() for key, _, value in (part.partition(":") for part in parts)}
    hint, context = given.pop("hint", ""), given.pop("line", "")
    place, message = given.popitem() if given else ("", "")
    return Rule(pattern, message, place, hint, context)


NAMES, SYNTAX, TYPES, REFUSED, HINTS = (
    tuple(map(_rule, texts.rows("wording")[name]))
    for name in ("names", "syntax", "types", "refused", "hints")
)
