"""How do podman and docker make a box? From the image of `make image`; its folder is all that is mounted."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

import gpusim
from classroom.box import ENVIRONMENT, Box, Way, box, limited
from classroom.course import Limits
from classroom.inside.which_gpusim import digest

OWN_THREADS = 16  # of a kernel and its two programs around it: here a thread counts as a process
NOBODY = 65534
SLACK = 60  # seconds, after which a container ends whose grader was killed
PODMAN_ONLY = ("--read-only-tmpfs=false",)  # its own would have no size
ROOTLESS_PODMAN = ("--userns", "keep-id")
OTHER = "the image `{image}` holds another gpusim than is here. `make image BY={program}` builds it again"


@dataclass(frozen=True)
class Container(Way):
    """`program` is podman or docker, which take the same words."""

    program: str
    image: str

    isolates = True
    python = "python"

    def why_not(self) -> str:
        """The image has to be there, to run with every limit, and to hold the same gpusim."""
        if shutil.which(self.program) is None:
            return f"there is no program `{self.program}`"
        with box(Limits(), self) as made:
            self.give(made)
            tried = subprocess.run(
                self.command(made, [self.python, "-m", "which_gpusim"]), capture_output=True, text=True
            )
        if tried.returncode:
            said = tried.stderr.strip().splitlines() or [f"exit status {tried.returncode}"]
            return f"{said[0]} (`make image BY={self.program}` builds the image)"
        same = tried.stdout.strip() == digest(Path(gpusim.__file__).parent)
        return "" if same else OTHER.format(image=self.image, program=self.program)

    def command(self, box: Box, program: list[str]) -> list[str]:
        limits = box.limits
        names = ENVIRONMENT | {"PATH": "/opt/course/bin:/usr/bin:/bin", "HOME": str(box.work)}
        return [
            *(self.program, "run", "--name", box.folder.name, "--pull", "never", "--log-driver", "none"),
            *("--network", "none", "--read-only", "--tmpfs", f"/tmp:size={limits.files_mb}m"),
            *("--shm-size", f"{limits.files_mb}m", "--pids-limit", str(limits.processes + OWN_THREADS)),
            *("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m", "--cpus", "1"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--user", ":".join(map(str, _owner())), *self._of_podman()),
            *("--volume", f"{box.folder}:{box.folder}", "--workdir", str(box.work)),
            *(part for name, value in names.items() for part in ("--env", f"{name}={value}")),
            *(self.image, "timeout", "--signal=KILL", str(limits.seconds + SLACK)),
            *(*limited(limits), *program),
        ]

    def _of_podman(self) -> tuple[str, ...]:
        if self.program != "podman":
            return ()
        return PODMAN_ONLY if os.geteuid() == 0 else (*PODMAN_ONLY, *ROOTLESS_PODMAN)

    def give(self, box: Box) -> None:
        """Root's submissions run as nobody, to whom the folder is given with all that is in it."""
        box.copy_helpers()
        if os.geteuid() == 0:
            for each in (box.folder, *box.folder.rglob("*")):
                os.chown(each, *_owner(), follow_symlinks=False)

    def end(self, box: Box, outer: psutil.Process | None = None) -> None:
        """What podman and docker run does not end with the program that asked for it."""
        verb = ("kill",) if outer else ("rm", "--force", "--volumes")
        subprocess.run([self.program, *verb, box.folder.name], capture_output=True)

    def why_ended(self, box: Box) -> str:
        asked = [self.program, "inspect", "--format", "{{.State.OOMKilled}}", box.folder.name]
        told = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
        most = box.limits.memory_mb
        return f"it took more than the {most} MB of memory that are allowed" if told == "true" else ""


def _owner() -> tuple[int, int]:
    return (os.getuid(), os.getgid()) if os.geteuid() else (NOBODY, NOBODY)
