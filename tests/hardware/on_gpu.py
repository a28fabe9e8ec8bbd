"""Does every kernel of the course give on this machine's GPU what it gives here?

`python -m tests.hardware.on_gpu [--out FILE] [NAME …]` runs the pages, and the labs with their solutions, and
repeats launches on the GPU with the same arguments: kernels in Python by numba-cuda, those in CUDA C++ by
CuPy. It needs NumPy, numba-cuda, CuPy and a GPU. Where results differ, the simulator is asked again: do they
depend on who runs first, or on memory that nobody wrote? It prints a table and what differs; FILE gets every
launch.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.hardware import real_gpu
from tests.hardware.compared import (
    ENDLESS,
    OTHER,
    OUTCOMES,
    REFUSED,
    Comparison,
    Watch,
)

ROOT = Path(__file__).resolve().parents[2]
PAGES, LABS = "book/*.md", "labs/instructor/*/*.ipynb"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OPTION = re.compile(r"\A(?::\w+:[^\n]*\n|---\n.*?\n---\n|\s*\n)+", re.DOTALL)
SECONDS = 240
NO_END = "no end"
REASONS = 2  # that are told of one kernel


def cells(path: Path) -> list[str]:
    """The code of a page, or of a lab."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [OPTION.sub("", cell) for cell in CELL.findall(text)]
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def programs(names: list[str]) -> list[Path]:
    """Pages and labs of these names, or all that have code."""
    paths = [path for pattern in (PAGES, LABS) for path in sorted(ROOT.glob(pattern)) if cells(path)]
    return [path for path in paths if not names or path.stem in names]


def watched(path: Path, endless: list[str]) -> None:
    """Run a program as a live page runs one, and compare its launches."""
    sys.path[:0] = [str(ROOT / "book"), str(ROOT / "book" / "live")]
    from session import FAILED, Session
    from stand_ins import install

    translated = real_gpu.Translated()

    def repeat(kernel: Any, shape: Any, arguments: Any) -> None:
        if isinstance(kernel, real_gpu.RawKernel):
            real_gpu.in_cpp(kernel, shape, arguments)
        else:
            real_gpu.in_python(translated, kernel, shape, arguments)

    session, watch = Session(), Watch(repeat, tell, endless)
    install(session.display)
    sys.modules["IPython.display"].Markdown = str  # type: ignore[attr-defined]
    with watch():
        for number, source in enumerate(cells(path), 1):
            for output in session.run(number, source):
                if output.kind == FAILED:
                    print(f"{path.stem}: cell {number}: {output.text}", file=sys.__stderr__)
    tell(watch.found)


def tell(found: list[Comparison]) -> None:
    """Say what was found, and end: a kernel may still run there."""
    print("\n" + json.dumps([asdict(comparison) for comparison in found]), file=sys.__stdout__, flush=True)
    os._exit(0)


def in_a_process(path: Path) -> list[dict[str, Any]]:
    """The same in a process of its own, anew without a kernel that does not end there."""
    endless: list[str] = []
    while True:
        command = [sys.executable, "-m", "tests.hardware.on_gpu", "--one", str(path), *endless]
        try:
            run = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return [{"kernel": path.stem, "shape": "", "outcome": NO_END, "why": f"within {SECONDS} s"}]
        if run.returncode:
            return [{"kernel": path.stem, "shape": "", "outcome": NO_END, "why": run.stderr[-2000:]}]
        found: list[dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
        if not found or not (found[-1]["outcome"] == ENDLESS and found[-1]["why"]):
            return found
        endless.append(found[-1]["kernel"])


def written(found: dict[str, list[dict[str, Any]]]) -> str:
    """A file of a line for each launch, with what it ran on."""
    cuda = real_gpu.numba().cuda
    header = {
        "date": datetime.date.today().isoformat(),
        "device": str(cuda.get_current_device().name),
        **{package: version(package) for package in ("numba", "numba-cuda")},
    }
    rows = [json.dumps([name, *row.values()]) for name in sorted(found) for row in found[name]]
    launches = ",\n".join(rows)
    return f'{{"header": {json.dumps(header)},\n"launches": [\n{launches}\n]}}\n'


def recorded() -> tuple[dict[str, str], dict[str, list[dict[str, Any]]]]:
    """What such a file beside this one says: its header, and the launches of each program."""
    record = json.loads((Path(__file__).parent / "on_gpu.json").read_text(encoding="utf-8"))
    found: dict[str, list[dict[str, Any]]] = {}
    for name, *row in record["launches"]:
        found.setdefault(name, []).append(dict(zip(("kernel", "shape", "outcome", "why"), row, strict=True)))
    return record["header"], found


def counted(found: dict[str, list[dict[str, Any]]]) -> dict[str, Counter[str]]:
    """How many launches of each program ended how, and of all."""
    each = {name: Counter(row["outcome"] for row in rows) for name, rows in found.items()}
    return {**each, "all": sum(each.values(), Counter())}


def columns(found: dict[str, list[dict[str, Any]]]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The same as a table: its headings, and a row for each program with launches."""
    counts = counted(found)
    known = [outcome for outcome in (*OUTCOMES, NO_END) if counts["all"][outcome]]
    rows = [(name, *(count[one] for one in known)) for name, count in counts.items() if count]
    return ("program", *known), rows


def kernels(found: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str, str, str]]:
    """A row for each kernel of each program: how its launches ended, and why, where that is known."""
    each: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name, rows in found.items():
        for row in rows:
            each.setdefault((name, row["kernel"]), []).append(row)
    told = []
    for (name, kernel), rows in each.items():
        ended = Counter(row["outcome"] for row in rows)
        how = ", ".join(f"{ended[one]} × {one}" for one in (*OUTCOMES, NO_END) if ended[one])
        whys = [*{row["why"]: None for row in rows if row["why"]}]
        more = [f"{len(whys) - REASONS} more"] if len(whys) > REASONS else []
        told.append((name, kernel, how, "; ".join(whys[:REASONS] + more)))
    return told


def table(found: dict[str, list[dict[str, Any]]]) -> str:
    """The same as text."""
    headings, rows = columns(found)
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.one:
        watched(asked.one, asked.names)
    paths = programs(asked.names)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(in_a_process, path): path for path in paths}
        found = {}
        for ended in as_completed(running):
            path = running[ended]
            found[path.stem if path.suffix == ".md" else f"lab {path.stem}"] = ended.result()
            print(f"{path.stem}: {len(ended.result())} launches", file=sys.stderr, flush=True)
            if asked.out:
                asked.out.write_text(written(found), encoding="utf-8")
    print(table(found))
    for name, rows in found.items():
        for row in rows:
            if row["outcome"] in (OTHER, REFUSED, ENDLESS, NO_END):
                print(f"\n{name}: {row['kernel']} {row['shape']}: {row['outcome']}: {row['why']}")


if __name__ == "__main__":
    main()
