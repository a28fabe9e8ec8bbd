"""Which cells of a chapter are its kernels, and what do they define?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from course import chapters
from course.records import recorded

PAGE = """
# A page

```{code-cell}
:tags: [kernels]

WIDTH = 4
```

```{code-cell}
@cuda.jit
def fill(out):
    out[cuda.threadIdx.x] = WIDTH
```

```{code-cell}
%%cuda cpp
__global__ void fill(int* out) { out[threadIdx.x] = 4; }
template <int N> __global__ void filled(int* out) { out[threadIdx.x] = N; }
```

```{code-cell}
fill[1, 4](missing)
```

```{code-cell}
---
tags: [hide-input, only-here]
---
@cuda.jit
def alone(out):
    out[0] = missing
```

```{code-cell}
:tags: [puzzle]
@cuda.jit
def hole(out): ...
```
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(chapters, "BOOK", tmp_path)
    return "page"


def test_kernels_and_what_they_need_and_nothing_else(page):
    assert [cell.split()[0] for cell in chapters.cells(page)] == ["WIDTH", "@cuda.jit", "%%cuda"]


def test_both_languages_can_be_launched(page):
    of = chapters.Kernels(page)
    for kernel, value in ((of.fill, 4), (of.cpp.fill, 4), (of.cpp.get_function("filled<7>"), 7)):
        out = np.zeros(4, np.int32)
        kernel[1, 4](out)
        assert out.tolist() == [value] * 4


def test_a_page_that_loads_the_extension_hears_nothing_of_it(page, capsys):
    loads = PAGE.replace("WIDTH = 4", "%load_ext gpusim\nWIDTH = 4")
    (chapters.BOOK / "page.md").write_text(loads, "utf-8")
    chapters.Kernels(page)
    assert capsys.readouterr().out == ""


def test_a_cell_that_fails_says_so(page):
    (chapters.BOOK / "page.md").write_text(PAGE.replace("__global__ void fill", "__global__ fill"), "utf-8")
    with pytest.raises(gpusim.GpuSimError):
        chapters.Kernels(page)


def test_a_table_of_a_record_comes_with_names():
    rows = recorded("timing", "misaligned")
    assert rows[0].keys() == {"offset_elems", "read_GBps", "offset_copy_GBps_read_plus_write"}
    assert [row["offset_elems"] for row in rows][:2] == [0, 1]


def test_rows_of_a_record_that_have_names_come_as_they_are():
    rows = recorded("dynamic_parallelism", "tests")
    assert rows == recorded("dynamic_parallelism")["tests"]
    assert rows[0].keys() >= {"process", "test"}
