"""What does a notebook do in a kernel of its own? Its outputs, how each cell ended, and plain values.

A run always comes to an end: cells are interrupted, the whole run has a limit, and a kernel that dies or does
not answer ends it with a reason. No output is longer than it may be.
"""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from classroom.box import Box, Kernels
from classroom.carrying import Value

TIMED_OUT = {
    "ename": "CellTimeoutError",
    "evalue": "",
    "traceback": ["This cell did not end in its time, and was interrupted."],
}
CUT = "\n... the output is longer, and is cut here ...\n"
ANSWERS_WITHIN = 15  # seconds, for a kernel that was interrupted


@dataclass
class Ran:
    """`status`: cell id, "ok" or "error"; `values`: what names held after it; `ended`: why it stopped."""

    notebook: NotebookNode
    status: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    ended: str = ""


class _Client(NotebookClient):
    def __init__(self, notebook: NotebookNode, box: Box) -> None:
        super().__init__(
            notebook,
            km=Kernels(box),
            allow_errors=True,
            interrupt_on_timeout=True,
            error_on_timeout=TIMED_OUT,
            timeout=ANSWERS_WITHIN,
            iopub_timeout=60,
            raise_on_iopub_timeout=True,
            timeout_func=self._seconds,
            store_widget_state=False,
            shutdown_kernel="immediate",
        )
        self._box, self._until = box, time.monotonic() + box.limits.seconds
        self._room = 0

    def _seconds(self, _cell: NotebookNode) -> int:
        return int(max(1, min(self._box.limits.seconds_per_cell, self._until - time.monotonic())))

    async def run(self, ran: Ran, wanted: Mapping[str, Collection[str]]) -> None:
        async with self.async_setup_kernel(cleanup_kc=True):
            for index, cell in enumerate(self.nb.cells):
                if time.monotonic() > self._until:
                    ran.ended = f"after {self._box.limits.seconds} seconds it was not at its end"
                    return
                if cell.cell_type != "code" or not cell.source.strip():
                    continue
                self._room, self._reply = self._box.limits.output_kb * 1024, {}
                await self.async_execute_cell(cell, index)
                ran.status[cell.id] = self._reply.get("status", "error")
                hung = self._reply.get("ename") == TIMED_OUT["ename"]
                if hung or cell.id in wanted:
                    found = await self._plain(wanted.get(cell.id, ()))
                    if found is None and hung:
                        ran.ended = f"the cell `{cell.id}` cannot be interrupted"
                        return
                    ran.values[cell.id] = found or {}

    async def _plain(self, names: Collection[str]) -> dict[str, Value] | None:
        """What these names hold, where it is plain; None where no answer comes."""
        assert self.kc is not None
        asked = f"__import__('plain_values').plain(get_ipython().user_ns, {sorted(names)!r})"
        identity = self.kc.execute("", silent=True, user_expressions={"plain": f"repr({asked})"})
        reply = await self.async_wait_for_reply(identity)
        if reply is None:
            return None
        told = reply["content"].get("user_expressions", {}).get("plain", {}).get("data", {}).get("text/plain")
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            found = ast.literal_eval(ast.literal_eval(told))
            return {
                name: (kind, text)
                for name, (kind, text) in found.items()
                if name in names and isinstance(kind, str) and isinstance(text, str)
            }
        return {}

    async def async_wait_for_reply(self, msg_id: str, cell: NotebookNode | None = None) -> Any:
        with suppress(DeadKernelError):
            return await super().async_wait_for_reply(msg_id, cell)
        return None

    async def _check_raise_for_error(self, cell: NotebookNode, cell_index: int, exec_reply: Any) -> None:
        """Keep how the cell ended; an error that its outputs do not show is shown."""
        self._reply = (exec_reply or {}).get("content", {})
        shown = any(each.output_type == "error" for each in cell.outputs)
        if self._reply.get("status") == "error" and not shown:
            told = {name: self._reply.get(name) or "" for name in ("ename", "evalue")}
            lines = self._reply.get("traceback") or ["This cell ends with an error that it does not show."]
            cell.outputs.append(NotebookNode(output_type="error", traceback=list(lines), **told))

    def output(self, outs: list[NotebookNode], msg: Any, display_id: str | None, cell_index: int) -> Any:
        if self._room <= 0:
            return None
        out = super().output(outs, msg, display_id, cell_index)
        if out is not None:
            self._room -= shortened(out, self._room)
        return out

    def _update_display_id(self, display_id: str, msg: Any) -> None:
        if self._room > 0:
            self._room -= len(str(msg["content"]))
            super()._update_display_id(display_id, msg)


def shortened(output: NotebookNode, room: int) -> int:
    """Cut what is longer than `room` characters; how long is it?"""
    if output.output_type == "stream":
        length = len(output.text)
        if length > room:
            output.text = output.text[:room] + CUT
        return length
    if output.output_type == "error":
        told = [output.ename, output.evalue, *output.traceback]
        if sum(map(len, told)) > room:
            output.evalue, output.traceback = output.evalue[:room], [CUT]
        return sum(map(len, told))
    length = len(str(output.data))
    if length > room:
        output.data = NotebookNode({"text/plain": CUT})
    return length


def run(notebook: NotebookNode, box: Box, wanted: Mapping[str, Collection[str]] | None = None) -> Ran:
    """Run the notebook, in place. `wanted`: cell id, and names whose values are asked for when it has run."""
    ran = Ran(notebook)
    client = _Client(notebook, box)
    try:
        run_sync(client.run)(ran, wanted or {})
    except DeadKernelError:
        ran.ended = f"Python ended{_where(notebook, ran)}: {box.burst}".removesuffix(": ")
    except (CellTimeoutError, RuntimeError, TimeoutError, asyncio.CancelledError) as error:
        ran.ended = (
            f"the kernel does not answer{_where(notebook, ran)} ({type(error).__name__}: {str(error)[:200]})"
        )
    return ran


def _where(notebook: NotebookNode, ran: Ran) -> str:
    """In which cell? The first that did not end."""
    code = (each for each in notebook.cells if each.cell_type == "code" and each.source.strip())
    return next((f" in the cell `{each.id}`" for each in code if each.id not in ran.status), "")
