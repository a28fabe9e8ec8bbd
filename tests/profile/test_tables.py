"""How do counters leave the notebook, and how do the tables look?"""

from __future__ import annotations

import csv
import io
import re
import sys

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.profile.tables import KERNEL, LINE
from gpusim.reports import topics


@cuda.jit
def reversed_in_the_block(x):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    x[cuda.grid(1)] = tile[63 - t]


@pytest.fixture
def run():
    with gpusim.profile("H200") as run:
        for blocks in (1, 2):
            reversed_in_the_block[blocks, 64](np.ones(64 * blocks, np.float32))
    return run


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_for_each_launch(run):
    rows = rows_of(run.to_csv())
    assert list(rows[0]) == [*KERNEL, *topics.RESOURCES, *topics.in_order()]
    assert [(row["launch"], row["kernel"], row["grid_x"], row["block_x"]) for row in rows] == [
        ("1", "reversed_in_the_block", "1", "64"),
        ("2", "reversed_in_the_block", "2", "64"),
    ]
    for row, kernel in zip(rows, run.kernels, strict=True):
        for name, value in kernel.counters().items():
            assert float(row[name]) == value
        assert float(row["theoretical_occupancy"]) == kernel.theoretical_occupancy == 1
    assert rows_of(run.kernels[1].to_csv()) == [{**rows[1], "launch": "1"}]


def test_a_row_for_each_line_of_each_launch(run):
    rows = rows_of(run.to_csv(by="line"))
    assert list(rows[0]) == [*LINE, *topics.in_order()]
    stores = [row for row in rows if row["source"] == "x[cuda.grid(1)] = tile[63 - t]"]
    assert [row["global_store_sectors"] for row in stores] == ["8", "16"]
    assert [row["shared_load_wavefronts"] for row in stores] == ["2", "4"]


def test_with_caches_there_are_more_columns_in_the_same_order():
    with gpusim.profile("H200", caches=True) as run:
        reversed_in_the_block[1, 64](np.ones(64, np.float32))
    (row,) = rows_of(run.to_csv())
    assert list(row)[-len(topics.in_order(caches=True)) :] == list(topics.in_order(caches=True))
    assert float(row["l1_load_hit_rate"]) == run.l1_load_hit_rate == 0
    assert "caches\n    l1_store_sector_hits" in repr(run)
    assert "L2 loads → hits" in repr(run)


def test_a_counter_of_the_caches_says_where_it_is_counted(run):
    with pytest.raises(AttributeError, match="only counted in a profile with caches"):
        run.l1_load_hit_rate  # noqa: B018


def test_csv_goes_to_a_path_or_an_open_file(run, tmp_path):
    assert run.to_csv(tmp_path / "run.csv") is None
    assert (tmp_path / "run.csv").read_text(encoding="utf-8") == run.to_csv()
    buffer = io.StringIO()
    assert run.to_csv(buffer, by="line") is None
    assert buffer.getvalue() == run.to_csv(by="line")
    with pytest.raises(TypeError, match="to a path or an open file, not to int"):
        run.to_csv(3)


def test_pandas_gets_the_same_rows(run):
    pandas = pytest.importorskip("pandas")
    for by in ("kernel", "line"):
        frame = run.to_pandas(by=by)
        assert isinstance(frame, pandas.DataFrame)
        assert frame.to_csv(index=False, lineterminator="\n") == run.to_csv(by=by)
    frame = run.to_pandas()
    assert frame["global_load_sectors"].sum() == run.global_load_sectors
    assert list(gpusim.compare(run.kernels[0], run.kernels[1]).to_pandas().columns) == [
        "counter",
        "before",
        "after",
        "ratio",
    ]


def test_without_pandas_the_error_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="needs it: pip install pandas"):
        run.to_pandas()


def test_what_cannot_be_exported_is_refused(run):
    with pytest.raises(ReportError, match=r"by is \"kernel\" .* not 'block'"):
        run.to_csv(by="block")
    with gpusim.profile() as nothing:
        pass
    for export in (nothing.to_csv, nothing.to_pandas):
        with pytest.raises(ReportError, match="no kernel was launched inside this profile"):
            export()
    assert repr(nothing) == "no kernel was launched"
    assert nothing._repr_html_() == "<p>no kernel was launched</p>"


COUNTERS = """\
reversed_in_the_block: grid 1 × 1 × 1, block 64 × 1 × 1, H200 (independent)
  execution
    instructions                             38
    thread_instructions                   1,216
    branches                                  0
    divergent_branches                        0
    active_lanes_per_instruction          32.00
  global memory
    global_load_requests                      2
    global_load_sectors                       8
    global_store_requests                     2
    global_store_sectors                      8
    sectors_per_request                    4.00
  shared memory
    shared_load_requests                      2
    shared_load_wavefronts                    2
    shared_store_requests                     2
    shared_store_wavefronts                   2
    shared_wavefronts_per_request          1.00
  synchronisation
    barriers                                  2
  resources
    registers_per_thread                      7
    shared_bytes_per_block                  256
    carveout_bytes                       65,536
    l1_bytes                            196,608
    blocks_per_multiprocessor                32
    theoretical_occupancy                  1.00
"""
HEADINGS = ["instructions", "active lanes", "loads → sectors", "stores → sectors"]
HEADINGS += ["loads → wavefronts", "stores → wavefronts", "barriers"]
ROWS = [
    ("t = cuda.threadIdx.x", ["2", "32.00"]),
    ("tile[t] = x[cuda.grid(1)]", ["14", "32.00", "2 → 8", "2 → 2"]),
    ("cuda.syncthreads()", ["2", "32.00", "2"]),
    ("x[cuda.grid(1)] = tile[63 - t]", ["20", "32.00", "2 → 8", "2 → 2"]),
]


def test_the_tables_as_text():
    """Two warps of 32 floats: 2 requests, 8 sectors, and a wavefront each in shared memory."""
    with gpusim.profile("H200") as run:
        reversed_in_the_block[1, 64](np.ones(64, np.float32))
    printed = repr(run)
    assert printed.startswith(COUNTERS)
    topics_row, headings, *rows = printed.removeprefix(COUNTERS).splitlines()
    assert re.split("  +", topics_row.strip()) == [
        "execution",
        "global memory",
        "shared memory",
        "synchronisation",
    ]
    assert re.split("  +", headings.strip()) == ["line", "source", *HEADINGS]
    first = run.kernels[0].lines[0]["line"]
    assert [re.split("  +", row.strip()) for row in rows] == [
        [str(first + k), source, *cells] for k, (source, cells) in enumerate(ROWS)
    ]
    # a topic stands over the first of its columns
    for topic, column in (("execution", "instructions"), ("global memory", "loads → sectors")):
        assert headings.index(column) <= topics_row.index(topic) + 2


def test_the_page_explains_every_counter_that_it_shows(run):
    page = run._repr_html_()
    shown = {cell.replace("<wbr>", "") for cell in re.findall(r'<abbr title="[^"]+"[^>]*>(.*?)</abbr>', page)}
    assert {"global_load_sectors", "theoretical_occupancy", "shared_load_wavefronts"} < shown
    explained = set(re.findall(r"<dt><code>(\w+)</code></dt>", page))
    assert explained == shown
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" in page


def test_of_very_many_launches_the_first_are_shown():
    with gpusim.profile("H200") as run:
        for _ in range(12):
            reversed_in_the_block[1, 64](np.ones(64, np.float32))
    assert repr(run).count("reversed_in_the_block: grid") == 10
    assert repr(run).endswith("… and 2 more launches: they are in kernels, as_dict() and to_csv()")
    assert "and 2 more launches" in run._repr_html_()


def test_the_split_of_memory_is_shown_where_it_matters(run):
    @cuda.jit
    def double(x):
        x[cuda.grid(1)] *= 2

    with gpusim.profile("H200") as plain:
        double[1, 64](np.ones(64, np.float32))
    assert "carveout_bytes" in repr(run)
    assert "carveout_bytes" not in repr(plain)
    assert "carveout_bytes" in plain.to_csv()
