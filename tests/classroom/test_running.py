"""Whose doing is it that a run does not come to its end?"""

from __future__ import annotations

import pytest
from nbformat.v4 import new_notebook

from classroom.running import Ran, begun

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
