"""Whose doing is it that a run does not come to its end?"""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from classroom import isolation
from classroom.box import box
from classroom.course import Isolation, Limits
from classroom.running import Ran, begun, run

DIED = "the kernel does not answer (RuntimeError: Kernel died before replying to kernel_info)"


@pytest.mark.parametrize(
    ("first", "tried"),
    [
        pytest.param(Ran(new_notebook(), ended=DIED), 2, id="nothing had run"),
        pytest.param(Ran(new_notebook(), {"setup": "ok"}, ended=DIED), 1, id="a cell had run"),
        pytest.param(Ran(new_notebook(), {"setup": "ok"}), 1, id="it ended well"),
    ],
)
def test_a_run_is_tried_again_where_no_cell_had_run(first: Ran, tried: int) -> None:
    runs = [first, Ran(new_notebook(), {"setup": "ok"})]
    left = iter(runs)
    assert begun(lambda: next(left)) is runs[tried - 1]


@pytest.mark.usefixtures("isolated")
def test_a_cell_that_was_interrupted_says_after_how_long() -> None:
    cell = new_code_cell("while True:\n    pass", id="loop")
    way = isolation.chosen(isolation.working(Isolation()))
    with box(Limits(seconds_per_cell=2), way, ()) as made:
        ran = run(new_notebook(cells=[cell]), made)
    (shown,) = ran.notebook.cells[0].outputs
    assert shown.traceback[-1] == "interrupted after 2 s (`seconds_per_cell`)"
