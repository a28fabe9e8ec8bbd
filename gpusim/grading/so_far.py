"""How many points do the checks in this notebook give so far? Each as it last ran; not the grade.

A lab's last cell names its checks with their points; `keep` notes how each of them ends.

>>> from gpusim.grading import points_so_far
>>> note("# Check: the rule (2 points)", success=True, value=None)
>>> note("# Check: your predictions (3 points)", success=True, value=1.5)
>>> points_so_far({"your predictions": 3, "the rule": 2, "a third": 4})
                  points
your predictions  1.5 of 3
the rule          2 of 2
a third           not run yet, of 4
3.5 of 9 points, by the checks that you see, each as it last ran. This is not the grade: after you
hand in, each check runs with other inputs and on other devices as well, and the written answer is
marked by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from gpusim.grading.failing import wrapped

HEAD = re.compile(r"# Check: (?P<title>.+) \((?P<points>\d+) points?\)")
NOT_THE_GRADE = (
    "by the checks that you see, each as it last ran. This is not the grade: after you hand in, each check "
    "runs with other inputs and on other devices as well, and the written answer is marked by hand."
)

_reached: dict[str, float] = {}  # by the title of a check


def note(cell: str, *, success: bool, value: Any) -> None:
    """A cell has ended. A check gave all points, or its last value, or none, as nbgrader counts."""
    if head := HEAD.match(cell):
        most = float(head["points"])
        given = most if type(value) not in (int, float) else min(max(value, 0.0), most)
        _reached[head["title"]] = given if success else 0.0


@dataclass(frozen=True)
class PointsSoFar:
    """For each check (title, points that it gave or None before it ran, points that it can give)."""

    rows: tuple[tuple[str, float | None, float], ...]

    @property
    def reached(self) -> float:
        """The points of all checks that have run."""
        return sum(reached or 0.0 for _, reached, _ in self.rows)

    def _sum(self) -> str:
        return f"{self.reached:g} of {sum(most for *_, most in self.rows):g} points"

    def __repr__(self) -> str:
        width = max(len(title) for title, *_ in self.rows)
        lines = [f"{title:<{width}}  {_of(reached, most)}" for title, reached, most in self.rows]
        return "\n".join([f"{'':<{width}}  points", *lines, *wrapped(f"{self._sum()}, {NOT_THE_GRADE}")])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(title)}</th>'
            f'<td style="text-align:right">{_of(reached, most)}</td></tr>'
            for title, reached, most in self.rows
        )
        head = '<tr><th scope="col" style="text-align:left">check</th><th scope="col">points</th></tr>'
        return (
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
            f"<p><strong>{self._sum()}</strong>, {NOT_THE_GRADE}</p>"
        )


def points_so_far(checks: Mapping[str, float]) -> PointsSoFar:
    """What did these checks give when they last ran in this notebook? `checks` is `{title: points}`."""
    return PointsSoFar(tuple((title, _reached.get(title), most) for title, most in checks.items()))


def _of(reached: float | None, most: float) -> str:
    return f"not run yet, of {most:g}" if reached is None else f"{reached:g} of {most:g}"
