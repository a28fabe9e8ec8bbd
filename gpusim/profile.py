"""What did my kernel do? `with gpusim.profile() as run:` counts every launch inside it.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def double(x):
...     i = cuda.grid(1)
...     x[i] *= 2
>>> with gpusim.profile(device="H200") as run:
...     double[1, 32](np.ones(32, np.float32))
>>> run.sectors_per_request
4.0
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from gpusim import context, views
from gpusim.context import Schedule
from gpusim.devices import Device
from gpusim.errors import GpuSimError, ReportError
from gpusim.events import Event, GridCompleted, GridLaunched
from gpusim.measurements import ledger
from gpusim.measurements.coalescing import Coalescing
from gpusim.measurements.divergence import Divergence
from gpusim.measurements.ledger import Ledger
from gpusim.measurements.trace import Report, Trace
from gpusim.source import Source
from gpusim.views import tables

if TYPE_CHECKING:
    from gpusim.views.widgets.block_mapper import BlockMapper
    from gpusim.views.widgets.warp_player import WarpPlayer


class KernelRun:
    """One launch: its configuration, its counters by name, and by source line in `lines`.

    `error` is what ended it, where something did.
    """

    def __init__(self, event: GridLaunched) -> None:
        self.kernel, self.device, self.scheduling = event.function.name, event.device, event.scheduling
        self.grid, self.block, self.warps_per_block = event.grid, event.block, event.warps_per_block
        self.registers_per_thread = event.function.registers_per_thread
        self.spilled_registers_per_thread = event.function.spilled_registers_per_thread
        self.shared_bytes_per_block = event.function.shared_bytes + event.dynamic_shared_bytes
        self.source = event.function.source
        self.completed = False
        self.error: GpuSimError | None = None
        self.ledger, self.trace = Ledger(), Trace()
        self.measurements = (Divergence(self.ledger), Coalescing(self.ledger), self.trace)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """One row a source line that executed: its number, its text, all counters and ratios.

        `function` is the device function that the line is in, or empty: lines of the kernel come first.
        """

        def order(key: tuple[Source, int]) -> tuple[Any, ...]:
            source, line = key
            return source != self.source, source.filename, source.first_line, source.name, line

        return [
            {
                "line": line,
                "source": source.line(line).strip(),
                "function": "" if source == self.source else source.name,
                **ledger.summary(self.ledger.lines[source, line]),
            }
            for source, line in sorted(self.ledger.lines, key=order)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Configuration and counters, ready for JSON."""
        return {
            "kernel": self.kernel,
            "device": self.device.name,
            "scheduling": self.scheduling,
            "grid": self.grid,
            "block": self.block,
            "registers_per_thread": self.registers_per_thread,
            "spilled_registers_per_thread": self.spilled_registers_per_thread,
            "shared_bytes_per_block": self.shared_bytes_per_block,
            **ledger.summary(self.ledger.total()),
            "lines": self.lines,
        }

    def warps(self) -> list[Report]:
        """The warps of the grid in order, with the block they belong to and their threads."""
        threads, lanes = math.prod(self.block), self.device.warp_size
        return [
            {"block": list(place), "warp": warp, "threads": min(lanes, threads - warp * lanes)}
            for place in _coordinates(self.grid)
            for warp in range(self.warps_per_block)
        ]


class Run:
    """Everything that launched inside one `profile`: counters by their names, tables, and pictures."""

    def __init__(self) -> None:
        self.kernels: list[KernelRun] = []

    wants = Divergence.wants | Coalescing.wants | Trace.wants | {GridCompleted}

    def observe(self, event: Event) -> None:
        """Take an event of the launch that is running."""
        if isinstance(event, GridLaunched):
            self.kernels.append(KernelRun(event))
        self.kernels[-1].completed = isinstance(event, GridCompleted)
        for measurement in self.kernels[-1].measurements:
            if type(event) in measurement.wants:
                measurement.observe(event)

    def counters(self) -> dict[str, float]:
        """All counters and ratios, over all launches."""
        total: Counter[str] = Counter()
        for kernel in self.kernels:
            total.update(kernel.ledger.total())
        return ledger.summary(total)

    def __getattr__(self, name: str) -> float:
        if name in ledger.COUNTERS or name in ledger.RATIOS:
            return self.counters()[name]
        raise AttributeError(f"a run has no {name!r}; its counters are {', '.join(self.counters())}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *ledger.COUNTERS, *ledger.RATIOS]

    def as_dict(self) -> dict[str, Any]:
        """Totals and every launch, ready for JSON."""
        return {**self.counters(), "kernels": [kernel.as_dict() for kernel in self.kernels]}

    def __repr__(self) -> str:
        return tables.counters_text(self.as_dict())

    def _repr_html_(self) -> str:
        return tables.counters_html(self.as_dict())

    # pictures ---------------------------------------------------------------------------------------------

    def _only(self) -> KernelRun:
        if len(self.kernels) != 1:
            raise ReportError(f"a picture shows one launch; this run has {len(self.kernels)}")
        return self.kernels[0]

    def warp_report(self) -> Report:
        """The run's one launch, step by step, for the warp player. Raises `ReportError` if untraced."""
        kernel = self._only()
        if kernel.trace.too_large:
            raise ReportError(
                f"{kernel.kernel} was not traced: {kernel.trace.too_large}; launch a smaller grid"
            )
        device, frames = kernel.device, kernel.trace.frames
        if kernel.error is not None and frames:
            last = frames[-1]
            stopped = f"the launch stops here: {type(kernel.error).__name__}"
            frames = [*frames[:-1], {**last, "event": "; ".join(filter(None, (last["event"], stopped)))}]
        variant = {
            "label": f"{device.name}, {device.warp_size} lanes, {kernel.scheduling}",
            "device": device.product_name,
            "lanes": device.warp_size,
            "scheduling": kernel.scheduling,
            "error": type(kernel.error).__name__ if kernel.error else None,
            "warps": kernel.warps(),
            "frames": frames,
            "totals": {
                name: value
                for name, value in ledger.summary(kernel.ledger.total()).items()
                if name in ("instructions", "thread_instructions", "active_lanes_per_instruction")
                or name.endswith("branches")
            },
        }
        source = {
            "name": kernel.kernel,
            "first_line": kernel.source.first_line,
            "lines": list(kernel.source.lines),
        }
        return {"title": kernel.kernel, "source": source, "variants": [variant]}

    def block_report(self) -> Report:
        """How the launch's thread blocks are cut into warps, for the block mapper."""
        kernel = self._only()
        lanes, threads = kernel.device.warp_size, [list(thread) for thread in _coordinates(kernel.block)]
        shape = " × ".join(str(extent) for extent in kernel.block)
        variant = {
            "label": f"block {shape}, {lanes} lanes",
            "device": kernel.device.product_name,
            "lanes": lanes,
            "block": list(kernel.block),
            "warps": [
                {"warp": warp, "threads": threads[warp * lanes : (warp + 1) * lanes]}
                for warp in range(kernel.warps_per_block)
            ],
        }
        return {"title": kernel.kernel, "variants": [variant]}

    def animate(self) -> WarpPlayer:
        """The warp player for this run."""
        return views.warp_player(self)

    def map_blocks(self) -> BlockMapper:
        """The block-to-warp mapper for this run."""
        return views.block_mapper(self)


class profile(AbstractContextManager[Run]):
    """Measure the launches of a `with` block, on the device and in the order given here.

    See `gpusim.use` for the arguments. Profiles nest: each counts what launches inside it.
    """

    def __init__(
        self,
        device: str | Device | None = None,
        *,
        scheduling: str | None = None,
        schedule: Schedule = None,
        step_budget: int | None = None,
    ) -> None:
        self._run = Run()
        self._settings = context.changed(device, scheduling, schedule, step_budget, self._run)
        self._during = context.during(self._settings)

    def __enter__(self) -> Run:
        self._during.__enter__()
        return self._run

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        launches = self._run.kernels
        if isinstance(error, GpuSimError) and launches and not launches[-1].completed:
            launches[-1].error = error
        self._during.__exit__(kind, error, traceback)


def _coordinates(extents: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """All (x, y, z) in linear order, x fastest."""
    x, y, z = extents
    return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
