"""What do the kernels of one CUDA C++ text share? Its macros, its variables, and what was compiled of it."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.cpp import children, symbols
from gpusim.cpp import options as options_
from gpusim.cpp.options import MACHINE_CODE, Options
from gpusim.cpp.symbols import Symbols
from gpusim.devices import Device
from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct, suggestion
from gpusim.ir.details import Callee, Launch
from gpusim.ir.instructions import Opcode
from gpusim.machine.attributes import Attributes
from gpusim.runtime import launching, settings
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.source import Source

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.entry import Compiled
    from gpusim.frontends.cuda_cpp.unit import Unit

PACKAGE = str(Path(__file__).parents[1])
FRONT_END = "clang"


class HostCodeWarning(UserWarning):
    """A text has a `main`; its kernels are compiled, and Python is what launches them."""


class MissingHeaderWarning(UserWarning):
    """A header of the reader's own was not found; a kernel that needs something of it does not compile."""


class CodeWarning(UserWarning):
    """A kernel compiles, and a compiler would warn of it: what it computes may be anything."""


class Program:
    """A text, its options and its variables. It is compiled once for each device that is simulated."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options, self.symbols = source, options, Symbols()
        self._units: dict[Device, Unit] = {}
        self.attributes: dict[str, Attributes] = {}  # as they were set last, by kernel
        self._compiled: dict[tuple[Device, str], Compiled] = {}

    def unit(self) -> Unit:
        """The text as read for the device in force. Raises where it is no C++, or none that is supported."""
        device = settings.current().device
        if device not in self._units:
            cooperative = ("__GPUSIM_COOPERATIVE", str(int(self.options.cooperative)))  # for a header of ours
            definitions = (*self.options.definitions, cooperative)
            unit = _unit_class()(self.source, device, definitions, self.options.folders)
            symbols.check_room(unit.symbols.values(), device)
            if unit.has_main and not self._units:
                warnings.warn(host_code(unit), HostCodeWarning, stacklevel=_levels_up_to_the_user())
            self._units[device] = unit
        return self._units[device]

    @property
    def contents(self) -> str:
        """What is in the text, once it has been read."""
        if not self._units:
            return f"{self.source.name}, not compiled yet"
        unit = next(reversed(self._units.values()))
        parts = [f"kernels {', '.join(unit.kernels)}"] if unit.kernels else []
        parts += [f"variables {', '.join(unit.symbols)}"] if unit.symbols else []
        return f"{self.source.name}: {'; '.join(parts) or 'no kernel'}"

    def compiled(self, name: str) -> Compiled:
        """A kernel, or an instance of a template such as `"axpy<float>"`, with bounds on its registers."""
        device = settings.current().device
        if (device, name) not in self._compiled:
            if not isinstance(name, str):
                raise KernelTypeError(f'a kernel is asked for by its name, such as "saxpy", not by {name!r}')
            unit = self.unit()
            short = re.split("[<(]", name)[0].strip()
            if short not in unit.kernels and (error := unit.first_error()) is not None:
                raise error
            _check_known("__global__ function", short, unit.kernels)
            compiled = unit.compile(name)
            for launch in () if self.options.launches else compiled.function.launches:
                own = launch.opcode is Opcode.LAUNCH
                called = launch.the(Launch).name if own else launch.the(Callee).name
                what = f"{called} is launched by a kernel of a module that has -rdc=false"
                raise KernelTypeError(what, launch.span, "pass -rdc=true: nvcc then links the device runtime")
            for doubt in compiled.doubts:
                warnings.warn(doubt, CodeWarning, stacklevel=_levels_up_to_the_user())
            for header in unit.left_out if not self._compiled else ():
                message = f"{header} was not found and is left out: name its folder with options=('-I…',)"
                warnings.warn(message, MissingHeaderWarning, stacklevel=_levels_up_to_the_user())
            function = launching.within_bounds(
                compiled.function, device, compiled.bounds, self.options.max_registers
            )
            function = children.of_program(function, self)
            self._compiled[device, name] = replace(compiled, function=function)
            try:
                for child in function.children:  # what is wrong with a child is told now
                    assert child.function
            except GpuSimError:
                del self._compiled[device, name]
                raise
        return self._compiled[device, name]

    @property
    def constant_bytes(self) -> int:
        """The size of the `__constant__` variables."""
        return symbols.constant_bytes(self.unit().symbols.values())

    def variable(self, name: str) -> DeviceNDArray:
        """The memory of a `__device__` or `__constant__` variable."""
        known = self.unit().symbols
        _check_known("__device__ or __constant__ variable", name, tuple(known))
        return self.symbols.array(known[name])


def program_of(code: str | None, path: Any, **keywords: Any) -> Program:
    """The program of a text, or of a file. Raises for options that are refused, before anything is read."""
    checked = options_.checked({"code": code, "path": path, **keywords})
    if (code is None) == (path is None):
        raise KernelTypeError("give either code, the text, or path, its file")
    if path is None:
        if not isinstance(code, str):
            raise KernelTypeError(f"code is the text of a module, not a {type(code).__name__}")
        return Program(Source("code", "code", 1, tuple(code.splitlines())), checked)
    file = Path(path)
    if file.suffix in MACHINE_CODE:
        raise UnsupportedConstruct(f"{file.name} is machine code; pass the CUDA C++ text that it was made of")
    lines = file.read_text(encoding="utf-8").splitlines()
    return Program(Source(file.stem, str(file), 1, tuple(lines)), checked)


def _levels_up_to_the_user() -> int:
    """How far up the stack, from where a warning is given, is the first line that is not this package's?"""
    files = [frame.filename for frame in inspect.stack(context=0)[1:]]
    return 1 + next((level for level, file in enumerate(files) if not file.startswith(PACKAGE)), 0)


def host_code(unit: Unit) -> str:
    """What is said of a text with a `main`."""
    first = unit.kernels[0] if unit.kernels else "kernel"
    return f"main() is host code and is not run: launch the kernels from Python, {first}[blocks, threads](…)"


def _unit_class() -> type[Unit]:
    try:
        from gpusim.frontends.cuda_cpp.unit import Unit
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != FRONT_END:
            raise
        way_out = "pip install 'gpusim[cpp]'"
        if sys.platform == "emscripten":
            way_out = "no browser has it, so CUDA C++ runs in JupyterLab on a computer only"
        raise ModuleNotFoundError(
            f"libclang is not installed; CUDA C++ is read with it: {way_out}", name=missing.name
        ) from missing
    return Unit


def _check_known(what: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        hint = suggestion(name, known, f"it has {', '.join(known) or 'none at all'}")
        raise KernelTypeError(f"the module has no {what} {name!r}", hint=hint)
