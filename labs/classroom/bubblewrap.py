"""How does bubblewrap make a box? From the grader's own Python, and a few of the system's folders to read."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

import gpusim
from classroom.box import ENVIRONMENT, INSIDE, MOST_ENTRIES, Box, Way, limited
from classroom.course import Limits

PACKAGE = Path(gpusim.__file__).resolve().parent
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
OWN = 2  # bubblewrap's process inside, and the kernel
WORK = "/tmp/work"
# Ubuntu's setting, and that of older Debians
ALLOWS = ("kernel.apparmor_restrict_unprivileged_userns=0", "kernel.unprivileged_userns_clone=1")


class Bubblewrap(Way):
    """Namespaces of this computer's Linux; nothing to build, and no daemon."""

    isolates = True

    def why_not(self) -> str:
        program = shutil.which("bwrap")
        if program is None:
            return "there is no program `bwrap`"
        tried = subprocess.run(
            [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"],
            capture_output=True,
            text=True,
        )
        return told(tried.stderr.strip()) if tried.returncode else ""

    def command(self, box: Box, program: list[str]) -> list[str]:
        """Later mounts cover earlier ones."""
        names = ENVIRONMENT | {"HOME": WORK, "PYTHONPATH": f"{PACKAGE.parent}:{INSIDE}"}
        return [
            *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *("--clearenv", *(part for pair in names.items() for part in ("--setenv", *pair))),
            *(*_mounts(box), "--chdir", WORK),
            *(*limited(box.limits), f"--nproc={box.limits.processes}", *program),
        ]

    def environment(self) -> Mapping[str, str]:
        """A box reads in /proc/1/environ what the process which makes it began with."""
        return {"PATH": os.environ.get("PATH", os.defpath)}

    def taken(self, outer: psutil.Process, limits: Limits) -> list[tuple[str, int, int]]:
        """`prlimit` holds each process by itself; for root their number is not among its limits."""
        inside = outer.children(recursive=True)
        memory = round(sum(_resident(each) for each in inside) / 2**20)
        return [
            ("processes", len(inside) - OWN, limits.processes),
            ("MB of memory", memory, limits.memory_mb),
            ("MB of files without a name", round(_unnamed(inside) / 2**20), limits.files_mb),
            ("files and folders in /tmp", _entries(inside, "tmp"), MOST_ENTRIES),
            ("files and folders in /dev/shm", _entries(inside, "dev/shm"), MOST_ENTRIES),
        ]

    def end(self, box: Box, outer: psutil.Process | None = None) -> None:
        if outer is not None:  # else the kernel's manager has ended it, and all dies with its parent
            outer.kill()


def told(said: str) -> str:
    """What bubblewrap said where it may not do its work, and which setting of Linux is behind it."""
    refused = ("uid map", "new namespace", "RTM_NEWADDR", "unshare", "user namespaces")
    if not any(each in said for each in refused):
        return said
    allows = " or ".join(f"`sudo sysctl {each}`" for each in ALLOWS)
    return f"user namespaces are not allowed here ({said}). {allows} allows them, until the computer restarts"


def _mounts(box: Box) -> list[str]:
    size = str(box.limits.files_mb * 2**20)
    shown = [each for each in SYSTEM if Path(each).exists()]
    links = [each for each in shown if Path(each).is_symlink()]
    over = () if box.simulator else ("--size", "4096", "--tmpfs", str(PACKAGE), "--remount-ro", str(PACKAGE))
    python = {Path(sys.prefix), Path(sys.base_prefix), PACKAGE, INSIDE}
    return [
        *(part for each in links for part in ("--symlink", str(Path(each).readlink()), each)),
        *(part for each in shown if each not in links for part in ("--ro-bind", each, each)),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"),
        *(part for each in sorted(python) for part in ("--ro-bind", str(each), str(each))),
        *over,
        *("--dir", WORK, "--bind", str(box.folder), str(box.folder)),
        *(part for each in box.helpers for part in ("--ro-bind", str(each), f"{WORK}/{each.name}")),
        *("--remount-ro", "/", "--remount-ro", "/dev"),
    ]


def _unnamed(inside: list[psutil.Process]) -> int:
    """Bytes of files that are open and have no name: deleted ones, and those that were made without."""
    found = {}
    for each in inside:
        with suppress(OSError):
            for opened in os.scandir(f"/proc/{each.pid}/fd"):
                with suppress(OSError):
                    told = opened.stat()
                    if stat.S_ISREG(told.st_mode) and not told.st_nlink:
                        found[told.st_dev, told.st_ino] = told.st_blocks * 512
    return sum(found.values())


def _entries(inside: list[psutil.Process], place: str) -> int:
    """How many files and folders does the box's own memory for files hold there?"""
    for each in inside[-1:]:
        with suppress(OSError):
            told = os.statvfs(f"/proc/{each.pid}/root/{place}")
            return told.f_files - told.f_ffree
    return 0


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0
