"""What do `cuda.ldcg` and its kin do? They load and store; observers see which cache was meant."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.events import MemoryAccess
from tests.from_text import define
from tests.observing import EveryGrid

LOADS, STORES = ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"), ("stcg", "stcs", "stwb", "stwt")


class Accesses(EveryGrid):
    wants = frozenset({MemoryAccess})

    def __init__(self):
        self.seen = []

    def observe(self, event):
        self.seen.append((event.kind, event.instruction.detail.value))


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("store", STORES)
def test_a_hint_changes_nothing_but_what_is_told(load, store):
    text = (
        "@cuda.jit\ndef kernel(x, m):\n    i = cuda.threadIdx.x\n"
        f"    v = cuda.{load}(x, i)\n    cuda.{store}(m, (i, 1), v)\n    cuda.{store}(x[1:], i, v)\n"
    )
    kernel, observer = define(text), Accesses()
    x, m = np.arange(5, dtype=np.float32), np.zeros((4, 2), np.float32)
    with gpusim.runtime.settings.during(gpusim.runtime.settings.changed(observer=observer)):
        kernel[1, 4](x, m)
    assert x.tolist() == [0, 0, 1, 2, 3]
    assert m.tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert observer.seen == [("load", load[2:]), ("store", store[2:]), ("store", store[2:])]
