"""Where does a student's kernel run? In bubblewrap: no network, no files but Python's and its own.

It sees Python, gpusim and the helper files of its own submission; it writes into memory that is thrown away.
It talks to the grader through Unix sockets in a folder of its own (`ipc`), which is all that both can see.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

import gpusim
from classroom.course import CourseError, Limits

INSIDE = Path(__file__).parent / "inside"
PACKAGE = Path(gpusim.__file__).resolve().parent
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
OWN = 2  # bubblewrap's process inside, and the kernel
UNSAFE = """\
--unsafe: nothing holds what students hand in. It runs as you do: it can read the instructor's notebooks and
the gradebook, write grades, delete your files, use the network, and go on when grading is over."""
MISSING = """\
What students hand in runs in bubblewrap, and that cannot be used here:
{why}.
Debian, Ubuntu: `sudo apt install bubblewrap`; Fedora: `sudo dnf install bubblewrap`. There is none for macOS
or Windows: use Linux, a virtual machine or WSL. `make grade UNSAFE=1` grades without it. Then code of
students can read the instructor's notebooks and the gradebook, change grades, delete your files, and use the
network."""


@dataclass
class Box:
    """A folder for one kernel. `work`: helper files; `burst`: which limit it broke, if it did."""

    folder: Path
    limits: Limits
    isolated: bool
    helpers: tuple[Path, ...] = ()
    burst: str = ""
    over: threading.Event = field(default_factory=threading.Event)


def why_not() -> str:
    """Why can bubblewrap not be used here? "" if it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "there is no program `bwrap`"
    tried = subprocess.run(
        [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"],
        capture_output=True,
        text=True,
    )
    return tried.stderr.strip() if tried.returncode else ""


def require_isolation() -> None:
    if why := why_not():
        raise CourseError(MISSING.format(why=why))


def command(box: Box) -> list[str]:
    """bubblewrap's part of the kernel's command line; later mounts cover earlier ones."""
    size = str(box.limits.files_mb * 2**20)
    python = {Path(sys.prefix), Path(sys.base_prefix), PACKAGE, INSIDE}
    shown = [each for each in SYSTEM if Path(each).exists()]
    links = [each for each in shown if Path(each).is_symlink()]
    work = "/tmp/work"
    mounts = [
        *(part for each in links for part in ("--symlink", str(Path(each).readlink()), each)),
        *(part for each in shown if each not in links for part in ("--ro-bind", each, each)),
        *(
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--size",
            size,
            "--tmpfs",
            "/dev/shm",
            "--size",
            size,
            "--tmpfs",
            "/tmp",
        ),
        *(part for each in sorted(python) for part in ("--ro-bind", str(each), str(each))),
        *("--dir", work, "--bind", str(box.folder), str(box.folder)),
        *(part for each in box.helpers for part in ("--ro-bind", str(each), f"{work}/{each.name}")),
        *("--remount-ro", "/", "--remount-ro", "/dev"),
    ]
    names = {
        "PATH": "/usr/bin:/bin",
        "HOME": work,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONPATH": f"{PACKAGE.parent}:{INSIDE}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TQDM_DISABLE": "1",
    }
    settings = [part for name, value in names.items() for part in ("--setenv", name, value)]
    limits = [
        f"--data={box.limits.memory_mb * 2**20}",
        f"--nproc={box.limits.processes}",
        f"--fsize={size}",
        "--core=0",
        "--nofile=512",
    ]
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
        *(*settings, *mounts, "--chdir", work, "prlimit", *limits),
    ]


class Kernels(AsyncKernelManager):
    """Starts the kernel in its box; without isolation as any other, but in an empty folder."""

    def __init__(self, box: Box) -> None:
        place = {"transport": "ipc", "ip": str(box.folder / "ipc")} if box.isolated else {}
        file = str(box.folder / "kernel.json")
        super().__init__(kernel_name="python3", connection_file=file, **place)
        self._box = box

    @property
    def kernel_spec(self) -> KernelSpec:
        known = super().kernel_spec
        assert known is not None
        known.interrupt_mode = "message" if self._box.isolated else "signal"
        return known

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        around = command(self._box) if self._box.isolated else []
        kernel = [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file]
        return [*around, *kernel, "--HistoryManager.enabled=False"]

    async def start_kernel(self, **how: object) -> None:
        how |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if not self._box.isolated:
            work = self._box.folder / "work"
            work.mkdir()
            for each in self._box.helpers:
                shutil.copy(each, work)
            how["cwd"] = str(work)
        await super().start_kernel(**how)
        process = getattr(self.provisioner, "process", None)
        if self._box.isolated and process is not None:
            threading.Thread(target=_watch, args=(self._box, process.pid), daemon=True).start()


@contextmanager
def box(limits: Limits, *, isolated: bool, helpers: tuple[Path, ...] = ()) -> Iterator[Box]:
    """A box that is thrown away afterwards. Its path is short: a socket's name has at most 107 characters."""
    folder = Path(tempfile.mkdtemp(prefix="box-", dir="/tmp"))
    made = Box(folder, limits, isolated, helpers)
    try:
        yield made
    finally:
        made.over.set()
        shutil.rmtree(folder, ignore_errors=True)


def _watch(box: Box, pid: int) -> None:
    """End the box that takes more than it may: all its processes together, and its only folder on the disk.

    Limits of a process (`prlimit`) hold each one; for root the number of processes is not among them.
    """
    with suppress(psutil.Error):
        outer = psutil.Process(pid)
        while not box.over.wait(0.25):
            inside = outer.children(recursive=True)
            memory = sum(_resident(each) for each in inside) / 2**20
            files = sum(each.lstat().st_size for each in _files(box.folder)) / 2**20
            limits = box.limits
            for what, taken, most in (
                ("processes", len(inside) - OWN, limits.processes),
                ("MB of memory", round(memory), limits.memory_mb),
                ("MB of files", round(files), limits.files_mb),
            ):
                if taken > most:
                    box.burst = f"it took {taken} {what}, and {most} are allowed"
                    outer.kill()
                    return


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _files(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [each for each in folder.rglob("*") if not each.is_symlink() and each.is_file()]
    return []
