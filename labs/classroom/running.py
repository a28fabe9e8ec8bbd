"""What does a notebook do in a kernel of its own? Its outputs, how each cell ended, and plain values.

A run always comes to an end: cells are interrupted, the whole run has a limit, and a kernel that dies or does
not answer ends it with a reason. No output is longer than it may be.
"""

from __future__ import annotations

import ast
import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode, ValidationError
from nbformat.validator import isvalid

from classroom.box import Box
from classroom.carrying import Value
from classroom.kernels import Kernels
from gpusim.grading.wire import MOST

TIMED_OUT = {
    "ename": "CellTimeoutError",
    "evalue": "",
    "traceback": ["This cell did not end in its time, and was interrupted."],
}
CUT = "\n... the output is longer, and is cut here ...\n"
ANSWER = "__import__('gpusim.grading.answering').grading.answering.answer(get_ipython().user_ns, {!r})"
NO_TEXT = (KeyError, TypeError, AttributeError, ValueError, SyntaxError, RecursionError, MemoryError)
RESULT = 1000  # characters that a cell's result may always have
ANSWERS_WITHIN = 15  # seconds, for a kernel that was interrupted


@dataclass
class Ran:
    """`status`: cell id, "ok" or "error"; `values`: what names held after it; `ended`: why it stopped;
    `cut`: cells that showed more than they may; `hung`: those that were interrupted.
    """

    notebook: NotebookNode
    status: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    ended: str = ""
    cut: set[str] = field(default_factory=set)
    hung: list[str] = field(default_factory=list)


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
        self.gone = ""  # why it does not answer any more
        self._room = 0
        self.cut = set[str]()
        self._reply: dict[str, Any] = {}

    def _seconds(self, _cell: NotebookNode) -> int:
        return int(max(1, min(self._box.limits.seconds_per_cell, self._until - time.monotonic())))

    async def run(self, ran: Ran, wanted: Mapping[str, Collection[str]]) -> None:
        async with self._started():
            for index, cell in enumerate(self.nb.cells):
                if time.monotonic() > self._until:
                    ran.ended = f"after {self._box.limits.seconds} seconds it was not at its end"
                    return
                if cell.cell_type != "code" or not cell.source.strip():
                    continue
                await self.execute_one(cell, index)
                ran.status[cell.id] = self._reply.get("status", "error")
                hung = self._reply.get("ename") == TIMED_OUT["ename"]
                ran.hung += [cell.id] if hung else []
                if hung or cell.id in wanted:
                    found = await self._plain(wanted.get(cell.id, ()))
                    if found is None and hung:
                        ran.ended = f"the cell `{cell.id}` cannot be interrupted"
                        return
                    ran.values[cell.id] = found or {}

    def _started(self) -> AbstractAsyncContextManager[Any]:
        return self.async_setup_kernel(cleanup_kc=True)

    async def execute_one(self, cell: NotebookNode, index: int) -> None:
        self._room, self._reply = self._box.limits.output_kb * 1024, {}
        seconds = self._seconds(cell)
        await self.async_execute_cell(cell, index)
        if self._reply.get("ename") == TIMED_OUT["ename"]:
            limit = "seconds_per_cell" if seconds == self._box.limits.seconds_per_cell else "seconds"
            for each in (each for each in cell.outputs if each.output_type == "error"):
                each.traceback.append(f"interrupted after {seconds} s (`{limit}`)")

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

    def process_message(self, msg: Any, cell: NotebookNode, cell_index: int) -> Any:
        """Code of a cell can send what it likes; what is no message of a kernel is left out."""
        with suppress(ValidationError, KeyError, TypeError, ValueError, AttributeError):
            return super().process_message(msg, cell, cell_index)
        return None

    def output(self, outs: list[NotebookNode], msg: Any, display_id: str | None, cell_index: int) -> Any:
        room = self._room
        if msg["header"]["msg_type"] == "execute_result":  # a check's points: there, whatever it printed
            room = max(room, RESULT)
        if room <= 0:
            self.cut.add(self.nb.cells[cell_index].id)
            return None
        out = super().output(outs, msg, display_id, cell_index)
        if out is not None:
            length = shortened(out, room)
            self._room -= length
            if length > room:
                self.cut.add(self.nb.cells[cell_index].id)
        return out

    def _update_display_id(self, display_id: str, msg: Any) -> None:
        if self._room > 0:
            self._room -= len(str(msg["content"]))
            super()._update_display_id(display_id, msg)


class _Student(_Client):
    """Has the student's definitions, and answers for them. Nobody sees what it shows."""

    async def execute_one(self, cell: NotebookNode, index: int) -> None:
        if not self.gone:
            try:
                await super().execute_one(cell, index)
            except (Exception, asyncio.CancelledError) as error:  # whatever its messages are made of
                self.gone = (
                    self._box.burst or f"Python ended in the cell `{cell.id}` ({type(error).__name__})"
                )

    async def answer(self, request: str, until: float) -> str:
        """The message that comes back, whatever stands in it, or one that says why there is none."""
        if self.gone:
            return _failed(f"no function answers any more: {self.gone}")
        kernel: Any = self.kc
        identity = kernel.execute("", silent=True, user_expressions={"answer": ANSWER.format(request)})
        reply = await self._reply_to(identity, until)
        if reply is None:
            manager: Any = self.km
            await manager.interrupt_kernel()
            if await self._reply_to(identity, time.monotonic() + ANSWERS_WITHIN) is None and not self.gone:
                self.gone = "one does not come to its end, and cannot be interrupted"
            return _failed(f"the function does not come to its end in its time. {self.gone}".strip())
        with suppress(*NO_TEXT):
            told = reply["content"]["user_expressions"]["answer"]["data"]["text/plain"]
            if len(told) <= 2 * MOST and isinstance(text := ast.literal_eval(told), str):
                return text
        return _failed("the function has no answer that could be read")

    async def _reply_to(self, identity: str, until: float) -> Any:
        """None: none came until then, or none can come."""
        kernel: Any = self.kc
        manager: Any = self.km
        while (left := until - time.monotonic()) > 0:
            with suppress(Empty, ValueError):
                reply = await kernel.get_shell_msg(timeout=min(1, left))
                if reply.get("parent_header", {}).get("msg_id") == identity:
                    return reply
                continue
            if not await manager.is_alive():
                self.gone = self._box.burst or self._box.way.why_ended(self._box) or "Python ended"
                break
        return None


def _failed(sentence: str) -> str:
    return json.dumps({"failed": sentence})


class _Judge(_Client):
    """Runs the checks. What they ask of the student's functions is carried to where these are, and back."""

    def __init__(self, notebook: NotebookNode, box: Box, student: _Student) -> None:
        super().__init__(notebook, box)
        self._student = student

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as one, AsyncExitStack() as other:
            await asyncio.gather(
                one.enter_async_context(self._student.async_setup_kernel(cleanup_kc=True)),
                other.enter_async_context(self.async_setup_kernel(cleanup_kc=True)),
            )
            kernel: Any = self.kc
            kernel.allow_stdin = True
            yield

    async def execute_one(self, cell: NotebookNode, index: int) -> None:
        theirs = asyncio.ensure_future(self._student.execute_one(self._student.nb.cells[index], index))
        carrying = asyncio.ensure_future(self._carry(theirs, time.monotonic() + self._seconds(cell) - 1))
        try:
            await super().execute_one(cell, index)
            await theirs
        finally:
            carrying.cancel()

    async def _carry(self, theirs: asyncio.Future[None], until: float) -> None:
        await theirs
        kernel: Any = self.kc
        while True:
            with suppress(Empty):
                asked = await kernel.get_stdin_msg(timeout=5)
                kernel.input(await self._student.answer(str(asked["content"]["prompt"]), until))


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


def begun(attempt: Callable[[], Ran]) -> Ran:
    """Where Python ended before any cell had run, it was no student's doing: once more."""
    ran = attempt()
    return attempt() if ran.ended and not ran.status else ran


def run(notebook: NotebookNode, box: Box, wanted: Mapping[str, Collection[str]] | None = None) -> Ran:
    """Run the notebook, in place. `wanted`: cell id, and names whose values are asked for when it has run."""
    return _run(_Client(notebook, box), Ran(notebook), box, wanted or {})


def judged(notebook: NotebookNode, box: Box, students: NotebookNode, their_box: Box) -> Ran:
    """Run the checks, in place, with the student's functions in a box of their own, cell after cell."""
    student = _Student(students, their_box)
    ran = _run(_Judge(notebook, box, student), Ran(notebook), box, {})
    if student.gone and not ran.ended:
        ran.ended = f"the student's functions do not answer any more: {student.gone}"
    return ran


def _run(client: _Client, ran: Ran, box: Box, wanted: Mapping[str, Collection[str]]) -> Ran:
    notebook = ran.notebook
    try:
        run_sync(client.run)(ran, wanted)
    except DeadKernelError:
        ran.ended = (
            f"Python ended{_where(notebook, ran)}: {box.burst or box.way.why_ended(box)}".removesuffix(": ")
        )
    except (Exception, asyncio.CancelledError) as error:  # whatever a kernel's messages are made of
        why = box.burst or box.way.why_ended(box) or f"{type(error).__name__}: {str(error)[:200]}"
        ran.ended = f"the kernel does not answer{_where(notebook, ran)} ({why})"
    ran.cut = client.cut
    for cell in (each for each in notebook.cells if each.cell_type == "code"):
        cell.outputs = [each for each in cell.outputs if isvalid(each, ref="output", version=4)]
        if type(cell.get("execution_count")) is not int:
            cell.execution_count = None
    return ran


def _where(notebook: NotebookNode, ran: Ran) -> str:
    """In which cell? The first that did not end."""
    code = (each for each in notebook.cells if each.cell_type == "code" and each.source.strip())
    return next((f" in the cell `{each.id}`" for each in code if each.id not in ran.status), "")
