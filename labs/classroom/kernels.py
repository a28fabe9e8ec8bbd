"""How does a kernel start in its box, and answer from there?"""

from __future__ import annotations

import subprocess
import threading
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from classroom.box import Box, watch

# What is there once it has started: a helper stands for no module that Python, the kernel or the course has
LAST = "__import__('sys').path.append(__import__('os').getcwd())"


class Kernels(AsyncKernelManager):
    """Starts the kernel in its box; without isolation as any other, but in an empty folder."""

    def __init__(self, box: Box) -> None:
        place = {"transport": "ipc", "ip": str(box.folder / "ipc")} if box.way.isolates else {}
        file = str(box.folder / "kernel.json")
        super().__init__(kernel_name="python3", connection_file=file, **place)
        self._box = box

    @property
    def kernel_spec(self) -> KernelSpec:
        known = super().kernel_spec
        assert known is not None
        known.interrupt_mode = "message" if self._box.way.isolates else "signal"
        return known

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        # -P: a file beside the notebook stands for no module that the kernel starts with
        kernel = [self._box.way.python, "-P", "-m", "ipykernel_launcher", "-f", self.connection_file]
        last = [f"--InteractiveShellApp.exec_lines={[LAST]!r}"] if self._box.helpers else []
        return self._box.way.command(self._box, [*kernel, "--HistoryManager.enabled=False", *last])

    def write_connection_file(self, **how: Any) -> None:
        super().write_connection_file(**how)
        self._box.way.give(self._box)

    async def start_kernel(self, **how: Any) -> None:  # type: ignore[override] # so does AsyncKernelManager
        how |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        how["cwd"] = str(self._box.folder)  # podman leaves a file where it was called
        if (names := self._box.way.environment()) is not None:
            how["env"] = dict(names)
        if not self._box.way.isolates:
            self._box.copy_helpers()
            how["cwd"] = str(self._box.work)
        await super().start_kernel(**how)
        process = getattr(self.provisioner, "process", None)
        if self._box.way.isolates and process is not None:
            threading.Thread(target=watch, args=(self._box, process.pid), daemon=True).start()
