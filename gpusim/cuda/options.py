"""What do the options of `@cuda.jit` do here? Each one has an effect, needs none, or is refused.

`TABLE` says which and why; the conformance page of the book is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpusim.devices import Device, carveout
from gpusim.errors import KernelTypeError, UnsupportedConstruct, suggestion
from gpusim.ir.program import Function
from gpusim.runtime import launching
from gpusim.whole import whole

CARVEOUTS = {"default": carveout.DEFAULT, "maxl1": carveout.MAX_L1, "maxshared": carveout.MAX_SHARED}
EFFECT, NO_EFFECT, REFUSED = "has an effect", "accepted", "refused"
# option -> (what becomes of it, why)
TABLE = {
    "device": (EFFECT, "makes a function that kernels call; it is compiled into each of them"),
    "max_registers": (
        EFFECT,
        "bounds the registers of a thread, and so decides residency and occupancy; values that do not fit "
        "are stored to local memory and loaded again (`spilled_registers_per_thread`)",
    ),
    "launch_bounds": (
        EFFECT,
        "`threads` or `(threads, blocks)`: a larger block is refused at launch, and registers are bounded so "
        "that this many blocks fit on a multiprocessor",
    ),
    "shared_memory_carveout": (
        EFFECT,
        'the preferred split of shared memory and L1: percent, or `"MaxL1"`, `"MaxShared"`, `"default"`; a '
        "hint, rounded up to what the device offers (an option of NVIDIA's numba-cuda, not of Numba itself)",
    ),
    "cooperative": (EFFECT, "a grid that is not resident as a whole is refused at launch"),
    "inline": (NO_EFFECT, "device functions are always compiled into their callers"),
    "forceinline": (NO_EFFECT, "likewise"),
    "lto": (NO_EFFECT, "kernels are not linked"),
    "nopython": (NO_EFFECT, "nothing of a kernel is left to Python"),
    "abi": (NO_EFFECT, "a device function has no address that code of another compiler could call"),
    "abi_info": (NO_EFFECT, "likewise"),
    "error_model": (NO_EFFECT, "what a division by zero gives is decided by `debug`"),
    "debug": (
        EFFECT,
        "a division by zero raises a `ZeroDivisionError`; indices are always checked, and errors always name "
        "thread and line",
    ),
    "boundscheck": (NO_EFFECT, "indices are always checked"),
    "lineinfo": (NO_EFFECT, "every instruction knows its source line"),
    "opt": (NO_EFFECT, "instructions are counted as written: there is no optimiser to turn off"),
    "fastmath": (
        NO_EFFECT,
        "functions are computed as precisely as NumPy does; on a GPU their last bits differ with it",
    ),
    "cache": (NO_EFFECT, "compiling takes milliseconds: nothing is worth keeping on disk"),
    "link": (REFUSED, "there is no machine code that PTX or CUDA C++ could be linked with"),
    "extensions": (
        EFFECT,
        "objects whose `prepare_args(type, argument, stream=…, retr=…)` says as what an argument is passed; "
        "the type is Numba's, or None where Numba is not installed",
    ),
    "argtypes": (REFUSED, "the signature is the first argument of cuda.jit"),
    "restype": (REFUSED, "the signature is the first argument of cuda.jit"),
    "bind": (REFUSED, "kernels are compiled when they are first launched"),
}


@dataclass(frozen=True)
class Options:
    """The options that have an effect. `bounds`: threads a block, and blocks on a multiprocessor."""

    device: bool = False
    debug: bool = False
    max_registers: int | None = None
    bounds: tuple[int, int] | None = None
    cooperative: bool = False
    carveout_percent: int = carveout.DEFAULT
    extensions: tuple[Any, ...] = ()

    def register_bound(self, device: Device) -> int | None:
        """How many registers may a thread have on this device? None: as many as it needs."""
        return launching.register_bound(device, self.bounds, self.max_registers)

    def applied_to(self, function: Function, device: Device) -> Function:
        """The kernel within these bounds."""
        return launching.within_bounds(function, device, self.bounds, self.max_registers)


def checked(given: Mapping[str, Any]) -> Options:
    """Read the keywords of `cuda.jit`. Raises for what is refused, unknown or of no meaning."""
    for name, value in given.items():
        if name not in TABLE:
            known = suggestion(name, TABLE, f"it has {', '.join(TABLE)}")
            raise KernelTypeError(f"cuda.jit has no option {name!r}", hint=known)
        verdict, why = TABLE[name]
        if verdict is REFUSED and value:
            raise UnsupportedConstruct(f"cuda.jit({name}=…) is refused: {why}")
    return Options(
        bool(given.get("device")),
        bool(given.get("debug")),
        _count("max_registers", given.get("max_registers")),
        _bounds(given.get("launch_bounds")),
        bool(given.get("cooperative")),
        _percent(given.get("shared_memory_carveout", carveout.DEFAULT)),
        tuple(given.get("extensions") or ()),
    )


def _count(option: str, value: Any) -> int | None:
    if value is None:
        return None
    return whole(value, f"{option} is a positive whole number", least=1, error=KernelTypeError)


def _percent(value: Any) -> int:
    percent: Any = CARVEOUTS.get(value.lower()) if isinstance(value, str) else value
    if not carveout.is_preference(percent):
        raise KernelTypeError(
            "shared_memory_carveout is a whole number of percent from 0 to 100, -1 for the default, or one "
            f"of 'default', 'MaxL1' and 'MaxShared', not {value!r}"
        )
    return int(percent)


def _bounds(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    parts = value if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(parts) <= 3:
        raise KernelTypeError(f"launch_bounds is threads, or (threads, blocks), not {value!r}")
    threads, blocks, cluster = (_count("launch_bounds", part) for part in (*parts, *(1, 1)[len(parts) - 1 :]))
    assert threads is not None
    if cluster not in (None, 1):
        raise UnsupportedConstruct("launch_bounds: clusters of thread blocks are not simulated")
    return threads, blocks or 1
