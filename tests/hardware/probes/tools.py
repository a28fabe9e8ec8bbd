"""How does a program get built, run and counted? By `nvcc`, and by `ncu`, a row for each launch."""

from __future__ import annotations

import csv
import datetime
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROGRAMS = (
    *("patterns", "on_chip", "vec3", "occupancy", "overlap", "timed", "timed_curves"),
    *("textures", "placement", "streams", "nesting"),
)
RELOCATABLE = ("nesting",)  # its kernels launch kernels
SOURCES = {name: HERE / f"{name}.cu" for name in PROGRAMS}
SOURCES["caches"] = HERE.parent / "caches.cu"
# a run of a program under the profiler counts so many; if one fails, only its launches are lost
LAUNCHES_AT_ONCE = 300
KERNEL = "Kernel Name"  # a column of ncu's

Counts = dict[str, float | str]
Recording = dict[str, Any]


class Stopped(Exception):
    """A program failed, or time ran out; the message says which and what it printed."""


class Tools:
    """The machine's compiler and profiler, a folder for what they make, and a time to be done by."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder = folder
        self._end = time.monotonic() + 60 * minutes
        self._metrics: set[str] | None = None
        missing = [tool for tool in ("nvcc", "ncu", "nvidia-smi") if shutil.which(tool) is None]
        if missing:
            raise Stopped(
                f"not on PATH: {', '.join(missing)}. They come with the CUDA toolkit and the driver"
            )
        names = "name,driver_version,compute_cap,clocks.sm,clocks.mem"
        answer = self.run("nvidia-smi", f"--query-gpu={names}", "--format=csv,noheader").splitlines()
        if not answer:
            raise Stopped("nvidia-smi sees no GPU")
        self.device, self.driver, capability, *self.clocks = answer[0].split(", ")
        self.architecture = f"sm_{capability.replace('.', '')}"
        self.capability = capability
        self.nvcc = re.findall(r"release [\d.]+, V([\d.]+)", self.run("nvcc", "--version"))[0]
        self.ncu = re.findall(r"Version ([\d.]+)", self.run("ncu", "--version"))[0]

    @property
    def seconds_left(self) -> float:
        """Seconds until the recording must be done."""
        return self._end - time.monotonic()

    def run(self, *command: str | Path) -> str:
        """What a command prints. Raises `Stopped` if it fails or time runs out."""
        if self.seconds_left < 1:
            raise Stopped("time ran out")
        try:
            done = subprocess.run(
                list(map(str, command)),
                capture_output=True,
                text=True,
                timeout=self.seconds_left,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Stopped(f"time ran out in {Path(command[0]).name}") from None
        if done.returncode:
            words = " ".join(map(str, command))
            log = self.folder / "ncu.csv"
            said = (
                done.stdout + done.stderr + (log.read_text() if command[0] == "ncu" and log.exists() else "")
            )
            raise Stopped(f"exit status {done.returncode}: {words}\n{said[-3000:]}")
        return done.stdout

    def header(self, what: str, fields: Any, *, caches: str = "none", **more: str) -> Recording:
        """What a file holds, where it was recorded, and what its fields mean."""
        machine = {
            "device": f"{self.device} (compute capability {self.capability})",
            "driver": self.driver,
            "cuda": f"nvcc {self.nvcc}, -O3 -arch={self.architecture}",
            "ncu": f"Nsight Compute {self.ncu} (--clock-control none --cache-control {caches})",
            "date": datetime.date.today().isoformat(),
            "clocks": f"SM {self.clocks[0]}, memory {self.clocks[1]} when the recording began",
        }
        return {"what": what, "machine": machine, "fields": fields, **more}

    def build(self) -> None:
        """Compile the programs, all at once."""
        flags = "-O3", "-std=c++17", f"-arch={self.architecture}", "-diag-suppress", "20013,20015"
        started = {
            program: subprocess.Popen(
                [
                    *("nvcc", *flags, *("-rdc=true",) * (program in RELOCATABLE)),
                    *(str(source), "-o", str(self.folder / program)),
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for program, source in SOURCES.items()
        }
        for program, process in started.items():
            printed, _ = process.communicate()
            if process.returncode:
                raise Stopped(f"nvcc does not compile {program}.cu:\n{printed[-3000:]}")

    def program(self, name: str, rows: Sequence[str] | None = None, answers: bool = False) -> list[str]:
        """Run a program by itself on rows; the lines that it answers."""
        return self._files(name, rows, answers, [])

    def known(self, metrics: Iterable[str]) -> list[str]:
        """Those metrics that this `ncu` has on this GPU; it would refuse to run with others."""
        if self._metrics is None:
            listed = self.run("ncu", "--query-metrics")
            self._metrics = set(re.findall(r"^(\w+__\w+)", listed, re.MULTILINE))
        return [metric for metric in metrics if metric.split(".")[0] in self._metrics]

    def beginning(self, prefix: str) -> list[str]:
        """All metrics of this GPU that begin so."""
        self.known(())
        return sorted(metric for metric in self._metrics or () if metric.startswith(prefix))

    def count(
        self,
        name: str,
        metrics: Sequence[str],
        rows: Sequence[str] | None = None,
        answers: bool = False,
        empty_caches: bool = False,
    ) -> tuple[list[Counts], list[str]]:
        """What `ncu` counts in each launch of a program, and its kernel; and the lines that it answers."""
        profiler = [
            *("ncu", "--csv", "--page", "raw", "--print-units", "base"),
            *("--clock-control", "none", "--cache-control", "all" if empty_caches else "none"),
            *("--log-file", str(self.folder / "ncu.csv"), "--metrics", ",".join(metrics)),
        ]
        if rows is None:
            lines = self._files(name, None, answers, profiler)
            return self._table(metrics), lines
        counted: list[Counts] = []
        lines = []
        for first in range(0, len(rows), LAUNCHES_AT_ONCE):
            some = rows[first : first + LAUNCHES_AT_ONCE]
            lines += self._files(name, some, answers, profiler)
            counted += self._table(metrics)
            print(f"    {len(counted)} launches counted, {self.seconds_left:.0f} s left", flush=True)
        return counted, lines

    def _files(self, name: str, rows: Sequence[str] | None, answers: bool, before: list[str]) -> list[str]:
        given: list[str | Path] = []
        if rows is not None:
            given.append(self.folder / "rows.txt")
            (self.folder / "rows.txt").write_text("\n".join(rows) + "\n")
        if answers:
            given.append(self.folder / "answers.txt")
        self.run(*before, self.folder / name, *given)
        return (self.folder / "answers.txt").read_text().splitlines() if answers else []

    def _table(self, metrics: Sequence[str]) -> list[Counts]:
        text = (self.folder / "ncu.csv").read_text()
        start = text.find('"ID"')
        if start < 0:
            raise Stopped(f"ncu counted nothing:\n{text[-3000:]}")
        table = csv.DictReader(text[start:].splitlines())
        rows = [row for row in table if (row["ID"] or "").isdigit()]
        absent = [metric for metric in metrics if rows and metric not in rows[0]]
        if absent:
            raise Stopped(f"ncu gives no {', '.join(absent)}:\n{text[: start + 2000]}")
        return [{KERNEL: row[KERNEL], **{metric: number(row[metric]) for metric in metrics}} for row in rows]


def number(text: str) -> float | str:
    """A counter as a number, an integer if it is whole; text that is none as it is."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def rounded(value: float | str) -> float | str:
    return value if isinstance(value, str) else round(value, 2)
