"""Do the programs of the pages print here what they print on a GPU? And how are its numbers read?"""

from __future__ import annotations

import pytest

from course import programs
from tests.hardware import commands

THERE = commands.recorded()


@pytest.mark.parametrize(
    ("program", "name"), [("warps.py", "numba"), ("reversing.py", "reversed"), ("here.py", "cupy")]
)
def test_a_program_prints_what_it_printed_on_a_gpu(program: str, name: str):
    assert programs._run([program]) == tuple(THERE[name])


def test_both_checkers_find_the_race_and_end_with_one():
    said, status = programs._run(["--tool", "racecheck", "--error-exitcode", "1", "reversing.py"])
    assert (status, THERE["racecheck"][1]) == (1, 1)
    assert "1 error" in said
    assert "1 error" in THERE["racecheck"][0]


def test_metrics_of_sums_are_written_out():
    assert commands.metrics("global_atomic_sectors") == (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    )
    assert commands.metrics("barriers") == commands.metrics("l1_hit_rate") == ()


def test_ncu_knew_every_metric_and_counted_the_same_requests_and_sectors():
    there = commands.values(THERE["all"][0])
    assert set(there) == {metric for name in commands.ALL for metric in commands.metrics(name)}
    shown = programs.side_by_side(programs.counted("warps.py"), there, commands.metrics)
    counted = {row[0].strip("`"): row[1:3] for row in shown.rows}
    same = [name for name, (here, found) in counted.items() if here == found]
    assert {name for name in counted if name.startswith("global_")} <= set(same)
    # of stores in L1 and L2 another recording has other numbers
    assert {name for name in counted if name not in same} - {"l1_store_sector_hits", "l2_store_sectors"} == {
        "instructions", "thread_instructions", "branches", "divergent_branches", "constant_load_requests",
        "constant_load_passes", "constant_load_pass_hits", "dram_load_sectors",
    }  # fmt: skip


def test_a_long_command_is_broken_where_a_shell_goes_on():
    shown = str(programs.recorded(commands.COMMANDS["ncu"], THERE["ncu"]).data)
    assert ".sum,\\\n" in shown
    assert "abi:" not in shown
    assert max(map(len, shown.splitlines())) < 160
