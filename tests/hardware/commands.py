"""What do the commands of the page "On a real GPU" print on this machine?

`PYTHONPATH=book python -m tests.hardware.commands > FILE` runs them with the texts of the
pages. It needs a GPU, numba-cuda, CuPy, `ncu` and `compute-sanitizer`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from course.program_texts import FILES
from gpusim.reports import topics

SHORT = ("global_load_requests", "global_load_sectors", "global_store_sectors", "instructions")
PLAIN = re.compile(r"[a-z0-9]+__\w+\.sum")
QUIET = {"NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": "0"}


def metrics(counter: str) -> tuple[str, ...]:
    """Those whose sum it is: `a_op_atom.sum + …_op_red.sum` are two. None where `ncu` has no such number."""
    parts = topics.metric(counter).split(" + ")
    first = parts[0].partition("_op_")[0]
    full = tuple(part.replace("…", first) for part in parts)
    return full if all(map(PLAIN.fullmatch, full)) else ()


def ncu(counters: Iterable[str]) -> str:
    """The option that asks for these counters."""
    asked = dict.fromkeys(metric for counter in counters for metric in metrics(counter))
    return f"ncu --metrics {','.join(asked)}"


ALL = topics.in_order(caches=True)
COMMANDS = {
    "numba": "python warps.py",
    "ncu": f"{ncu(SHORT)} python warps.py",
    "all": f"{ncu(ALL)} python warps.py",
    "reversed": "python reversing.py",
    "racecheck": "compute-sanitizer --tool racecheck --error-exitcode 1 python reversing.py",
    "cupy": "python there.py",
}


def recorded() -> dict[str, Any]:
    """What they printed where they were recorded: name -> [output, status]; and `machine`."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("commands.json").read_text(encoding="utf-8"))
    return found


def run(command: str, folder: str) -> list[Any]:
    """Its output and its status."""
    called = command.replace("python ", f"{sys.executable} ").split()
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(called, cwd=folder, env=os.environ | QUIET, text=True, **told)  # type: ignore[call-overload]
    return [done.stdout, done.returncode]


def values(printed: str) -> dict[str, float]:
    """What `ncu` printed: metric -> its value."""
    rows = (line.split() for line in printed.splitlines())
    return {row[0]: float(row[-1].replace(",", "")) for row in rows if row and PLAIN.fullmatch(row[0])}


def main() -> None:
    """Print the record."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        outputs = {name: run(command, folder) for name, command in COMMANDS.items()}
        packages = {name: version(name) for name in ("numba", "numba-cuda", "cupy-cuda13x")}
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        machine = subprocess.run(query, text=True, capture_output=True, check=True).stdout.strip()
        print(json.dumps({"machine": machine, "packages": packages, **outputs}, indent=1))


if __name__ == "__main__":
    main()
