"""How does a kernel of the simulator run on this machine's GPU? By numba-cuda or CuPy, in the same launch.

Numba compiles the same code object; of its names, those of `gpusim.cuda` mean Numba's, and device functions
are translated likewise. A kernel in CUDA C++ is given to NVRTC as it is.
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

import gpusim
from gpusim.cpp.kernel import RawKernel
from gpusim.cuda.dispatcher import Kernel
from gpusim.ir.instructions import Register

OURS, THEIRS = "gpusim.cuda", "numba.cuda"
SECONDS = 10
RUNTIME = "the device runtime, which Numba does not have"


class NotForIt(Exception):
    """The kernel has something that only the simulator has, or that this tool does not carry over."""


class Refused(Exception):
    """The GPU's compiler does not take it; the message is its."""


class Endless(Exception):
    """It does not end there: from now on the process can do no more with the GPU."""


@cache
def numba() -> Any:
    """Numba for CUDA; with NumPy 2.5 it asks for a name that is gone."""
    vars(np).setdefault("row_stack", np.vstack)
    importlib.import_module(THEIRS)
    return importlib.import_module("numba")


def names_in(code: CodeType) -> Iterator[str]:
    """What a function may look up outside, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def outside(function: FunctionType) -> dict[str, Any]:
    """What its names mean now, those of its closure too."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    named = {
        name: function.__globals__[name]
        for name in names_in(function.__code__)
        if name in function.__globals__
    }
    return {**named, **{name: cell.cell_contents for name, cell in cells}}


class Translated:
    """Kernels as Numba compiles them; one whose names mean the same is compiled once."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}

    def kernel(self, kernel: Kernel, **options: Any) -> Any:
        """The same under `numba.cuda.jit`."""
        function: Any = kernel.py_func
        meaning = outside(function)
        key = function.__code__, tuple((name, id(value)) for name, value in meaning.items()), tuple(options)
        if key not in self._made:
            theirs = {name: self._value(value) for name, value in meaning.items()}
            free = tuple(CellType(theirs[name]) for name in function.__code__.co_freevars)
            names = {"__builtins__": __builtins__, "__name__": function.__module__, **theirs}
            made = FunctionType(function.__code__, names, function.__name__, function.__defaults__, free)
            made.__kwdefaults__ = function.__kwdefaults__
            self._made[key] = numba().cuda.jit(**options)(made), meaning  # meaning keeps the ids
        return self._made[key][0]

    def _value(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return self.kernel(value, device=True)
        module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        home = module if isinstance(module, str) else type(value).__module__
        if not home.startswith("gpusim"):
            return value
        if "cudart" in home:
            raise NotForIt(RUNTIME)
        theirs = importlib.import_module(home.replace(OURS, THEIRS)) if home.startswith(OURS) else None
        if isinstance(value, ModuleType) and theirs is not None:
            return theirs
        names = [name for name, one in vars(gpusim.cuda).items() if one is value] or [
            getattr(value, "__name__", "")
        ]
        found = getattr(theirs or numba().cuda, names[0], None)
        if found is None:
            raise NotForIt(f"{names[0] or type(value).__name__}, which Numba does not have")
        return found


def wait(is_over: Callable[[], bool]) -> None:
    """Raises `Endless` where a kernel takes longer than any of the course's."""
    late = time.monotonic() + SECONDS
    while not is_over():
        if time.monotonic() > late:
            raise Endless(f"within {SECONDS} s")
        time.sleep(0.001)


def on_device(argument: Any) -> Any:
    """Arrays lie there during the launch, not only until a call returns."""
    if isinstance(argument, tuple):
        return tuple(map(on_device, argument))
    return numba().cuda.to_device(argument) if isinstance(argument, np.ndarray) else argument


def back(host: Any, device: Any) -> None:
    """What the kernel wrote comes back."""
    if isinstance(host, tuple):
        for one, other in zip(host, device, strict=True):
            back(one, other)
    elif isinstance(host, np.ndarray):
        host[...] = device.copy_to_host()


def in_python(
    translated: Translated, kernel: Kernel, shape: tuple[Any, Any, int], arguments: Sequence[Any]
) -> None:
    """Run it by Numba; arrays among the arguments are changed in place."""
    if any(function.children for function in kernel._compiled.values()):
        raise NotForIt(RUNTIME)
    errors = numba().core.errors
    grid, block, shared_bytes = shape
    try:
        theirs = translated.kernel(kernel)
        passed = [on_device(argument) for argument in arguments]
        theirs[grid, block, 0, shared_bytes](*passed)
        event = numba().cuda.event()
        event.record()
        wait(event.query)
        for host, device in zip(arguments, passed, strict=True):
            back(host, device)
    except AttributeError as error:
        raise NotForIt(f"a name that Numba does not have: {error}") from None
    except (errors.NumbaError, NotImplementedError, AssertionError) as error:
        said = " ".join(re.sub(r"\x1b\[\d*m", "", str(error)).split())
        if lacking := re.search(r"Unknown attribute '\w+' of type [^ ]+", said):
            raise NotForIt(f"a name that Numba does not have: {lacking[0]}") from None
        raise Refused(f"{type(error).__name__}: {said}"[:400]) from None


def in_cpp(kernel: RawKernel, shape: tuple[Any, Any, int], arguments: Sequence[Any]) -> None:
    """The same of a text, by CuPy; a number is passed in the type of its parameter."""
    cupy = importlib.import_module("cupy")
    if kernel.variables:
        raise NotForIt("variables that last from launch to launch")
    if kernel.compiled().children:
        raise NotForIt("kernels that it launches")
    grid, block, shared_bytes = shape
    parameters = kernel.compiled().parameters
    if len(parameters) != len(arguments):
        raise NotForIt("a struct among the arguments")
    passed, results = [], []
    for parameter, argument in zip(parameters, arguments, strict=True):
        if isinstance(argument, np.ndarray):
            results.append((argument, cupy.asarray(argument)))
            passed.append(results[-1][1])
        elif isinstance(parameter, Register):
            passed.append(np.asarray(argument).astype(parameter.type.dtype)[()])
        else:
            raise NotForIt(f"an argument that is {type(argument).__name__}")
    cooperative = kernel.launch_attributes.cooperative
    options = ("--std=c++17", "-I/usr/local/cuda/include")
    try:
        module = cupy.RawModule(
            code=kernel.code, options=options, name_expressions=[kernel.name] if "<" in kernel.name else None,
            enable_cooperative_groups=cooperative,
        )  # fmt: skip
        theirs = module.get_function(kernel.name)
    except (cupy.cuda.compiler.CompileException, cupy.cuda.driver.CUDADriverError) as error:
        raise Refused(" ".join(str(error).split())[:400]) from None
    theirs(grid, block, tuple(passed), shared_mem=shared_bytes)
    event = cupy.cuda.Event()
    event.record()
    wait(lambda: event.done)
    for host, device in results:
        host[...] = cupy.asnumpy(device)
