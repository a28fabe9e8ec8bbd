"""Do the programs of the pages print here what they print on a GPU? And how are its numbers read?

They run in a process of their own: `python -m gpusim` puts its modules in place of Numba's, for good.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course import programs
from tests.hardware import commands

ROOT = Path(__file__).resolve().parents[2]
THERE = commands.recorded()
PROGRAMS = {"warps.py": "numba", "reversing.py": "reversed", "here.py": "cupy"}
RUN = f"""
import json
from course import programs
from tests.hardware import commands
ran = {{name: programs._run([name]) for name in {[*PROGRAMS]}}}
ran["racecheck"] = programs._run(["--tool", "racecheck", "--error-exitcode", "1", "reversing.py"])
there = commands.values(commands.recorded()["all"][0])
rows = programs.side_by_side(programs.counted("warps.py"), there, commands.metrics).rows
print(json.dumps([ran, rows]))
"""


@pytest.fixture(scope="module")
def here() -> tuple[dict[str, list[Any]], list[list[Any]]]:
    """What each program printed with its status, and the rows of the table of counters."""
    places = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "book"), str(ROOT)])}
    ran = subprocess.run([sys.executable, "-c", RUN], env=places, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    printed, rows = json.loads(ran.stdout)
    return printed, rows


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_prints_what_it_printed_on_a_gpu(here, program):
    assert here[0][program] == THERE[PROGRAMS[program]]


def test_both_checkers_find_the_race_and_end_with_one(here):
    for said, status in (here[0]["racecheck"], THERE["racecheck"]):
        assert status == 1
        assert "1 error" in said


def test_metrics_of_sums_are_written_out():
    assert commands.metrics("global_atomic_sectors") == (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    )
    assert commands.metrics("barriers") == commands.metrics("l1_hit_rate") == ()


def test_ncu_knew_every_metric():
    there = commands.values(THERE["all"][0])
    assert set(there) == {metric for name in commands.ALL for metric in commands.metrics(name)}


def test_requests_and_sectors_are_the_same(here):
    counted = {name.strip("`"): (mine, found) for name, mine, found, _ in here[1]}
    same = {name for name, (mine, found) in counted.items() if mine == found}
    assert {name for name in counted if name.startswith("global_")} <= same
    # of stores in L1 and L2 another recording has other numbers
    assert counted.keys() - same - {"l1_store_sector_hits", "l2_store_sectors"} == {
        "instructions", "thread_instructions", "branches", "divergent_branches", "constant_load_requests",
        "constant_load_passes", "constant_load_pass_hits", "dram_load_sectors",
    }  # fmt: skip


def test_a_long_command_is_broken_where_a_shell_goes_on():
    shown = str(programs.recorded(commands.COMMANDS["ncu"], THERE["ncu"]).data)
    assert ".sum,\\\n" in shown
    assert "abi:" not in shown
    assert max(map(len, shown.splitlines())) < 160
