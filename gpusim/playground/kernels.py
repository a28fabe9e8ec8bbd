"""What is there to play with? The kernel in a text of Python or CUDA C++, and what it has to be given."""

from __future__ import annotations

import ast
import inspect
import linecache
import math
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim import cuda, cudart, source
from gpusim.cpp import options
from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.program import Program
from gpusim.cuda.dispatcher import DeviceFunction, Kernel
from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, kind_of
from gpusim.frontends.cuda_cpp.layout import dtype_of
from gpusim.frontends.cuda_cpp.types import CType, Enumeration, Number, Pointer, bare
from gpusim.ir.types import Array, Scalar
from gpusim.runtime.launching import Launchable
from gpusim.source import CPP, PYTHON, Source, Span

FILE = "<playground>"
NOTHING = "None"  # the rule for what nobody can guess
DEF = re.compile(r"^\s*def \w+ *\(", re.MULTILINE)  # no line of C++ begins so
SIZES = ("n", "size", "length", "count")  # parameters that begin with the number of threads
NAMES = {"np": np, "math": math, "gpusim": sys.modules["gpusim"], "cuda": cuda, "cudart": cudart}


@dataclass(frozen=True)
class Parameter:
    """What a kernel is given: a number of that `dtype`, None if any will do, or else by a `rule`."""

    name: str
    rule: str = ""
    dtype: np.dtype[Any] | None = None


@dataclass
class Text:
    """A text with a kernel in it, `name` or the last; `names` are those that it knows, `flags` of C++."""

    text: str
    name: str = ""
    names: dict[str, Any] = field(default_factory=lambda: dict(NAMES, __name__="__main__"))
    flags: options.Options = field(default_factory=options.Options)
    _read: tuple[str, Launchable] | None = None

    @classmethod
    def of(cls, kernel: Any) -> Text:
        """The text of a kernel, or the one that is given. Raises `KernelTypeError` for anything else."""
        if isinstance(kernel, str):
            return cls(kernel.strip("\n"))
        if isinstance(kernel, RawKernel):
            return cls(kernel.code.strip("\n"), kernel.name, flags=kernel._program.options)
        if isinstance(kernel, Kernel) and not isinstance(kernel, DeviceFunction):
            function = kernel.py_func
            around = inspect.getclosurevars(function).nonlocals
            return cls(source.of_function(function).text, kernel.__name__, {**function.__globals__, **around})
        hint = "pass a kernel, such as saxpy or module.get_function('saxpy'), or a text with one in it"
        raise KernelTypeError(f"a playground is of a kernel, and this is {kind_of(kernel)}", hint=hint)

    @property
    def in_cpp(self) -> bool:
        """Is it CUDA C++? A function of Python's may speak of `__global__`."""
        return "__global__" in self.text and not DEF.search(self.text)

    @property
    def source(self) -> Source:
        """As messages show it."""
        language = CPP if self.in_cpp else PYTHON
        return Source(FILE, FILE, 1, tuple(self.text.splitlines()), language)

    def kernel(self) -> tuple[Launchable, bool]:
        """The kernel, and whether it was read anew, as its text has changed. Raises what is wrong with it."""
        # `inspect` finds the text of a kernel here, also when it compiles for other types
        linecache.cache[FILE] = len(self.text), None, self.text.splitlines(keepends=True), FILE
        if self._read is not None and self._read[0] == self.text:
            return self._read[1], False
        self._read = self.text, self._in_cpp() if self.in_cpp else self._in_python()
        return self._read[1], True

    def _in_python(self) -> Kernel:
        names = dict(self.names)
        try:
            exec(compile(self.text, FILE, "exec"), names)
        except GpuSimError:
            raise
        except SyntaxError as error:
            span = Span(self.source, error.lineno or 1, max((error.offset or 1) - 1, 0))
            raise KernelSyntaxError(error.msg, span) from None
        except Exception as error:
            lines = [
                step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == FILE
            ]
            message = f"{type(error).__name__}: {error}"
            raise KernelTypeError(message, Span(self.source, lines[-1] or 1) if lines else None) from None
        kernels = {
            name: found
            for name, found in names.items()
            if isinstance(found, Kernel) and not isinstance(found, DeviceFunction)
            if found.py_func.__code__.co_filename == FILE
        }
        if not kernels:
            raise KernelTypeError("the text has no kernel", hint="write @cuda.jit above a function")
        return kernels.get(self.name) or list(kernels.values())[-1]

    def _in_cpp(self) -> RawKernel:
        program = Program(self.source, self.flags)
        try:
            unit = program.unit()
        except ModuleNotFoundError as missing:
            raise KernelTypeError(f"this playground reads Python only: {missing}") from None
        known = self.name.partition("<")[0] in unit.kernels
        plain = [name for name in unit.kernels if name not in unit.templates]
        if not known and not plain:
            error = unit.first_error()
            raise error or KernelTypeError("the text has no kernel that is not a template")
        kernel = RawKernel.of(program, self.name if known else plain[-1])
        kernel.compile()
        return kernel


def parameters(kernel: Launchable) -> list[Parameter]:
    """What a kernel is given, in order. A Python kernel without a signature: what it does with each name."""
    if isinstance(kernel, RawKernel):
        return [_of_type(parameter.name, parameter.type) for parameter in kernel.parameters]
    assert isinstance(kernel, Kernel)
    names = list(inspect.signature(kernel.py_func).parameters)
    if kernel._declared:
        return [_declared(*both) for both in zip(names, kernel._declared[0].args, strict=True)]
    dimensions = dict.fromkeys(names, 0)
    for name, found in _indexed(ast.parse(source.of_function(kernel.py_func).text)):
        if name in dimensions:
            dimensions[name] = max(dimensions[name], found)
    return [Parameter(name, _counting(np.dtype(np.float32), many)) for name, many in dimensions.items()]


def _of_type(name: str, type_: CType) -> Parameter:
    inner = bare(type_)
    if isinstance(inner, Number | Enumeration):
        return Parameter(name, dtype=inner.scalar.dtype)
    if not isinstance(inner, Pointer):
        return Parameter(name, NOTHING)
    element = dtype_of(inner.target)
    parts = {element[part] for part in element.names or ()}
    if len(parts) == 1 and element.names:  # float4* takes float32, four at a time
        return Parameter(name, _counting(parts.pop(), 1, f"{len(element.names)} * threads"))
    return Parameter(name, _counting(element, 1))


def _declared(name: str, type_: Any) -> Parameter:
    if isinstance(type_, Scalar) and type_.dtype.kind in "biuf":
        return Parameter(name, dtype=type_.dtype)
    if isinstance(type_, Array) and isinstance(type_.element, Scalar):
        return Parameter(name, _counting(type_.element.dtype, type_.dimensions))
    return Parameter(name, NOTHING)


def _counting(dtype: np.dtype[Any], dimensions: int, many: str = "threads") -> str:
    """A rule for an array that counts from 0; none for a number."""
    if not dimensions:
        return ""
    flat = f"np.arange({many}, dtype=np.{'float32' if dtype.names else dtype.name})"
    extents = [f"grid[{axis}] * block[{axis}]" for axis in range(dimensions - 1)]
    return f"{flat}.reshape({', '.join([*extents, '-1'])})" if extents else flat


def _indexed(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that are used as arrays, and with how many indices."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, 1
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            called = ast.unparse(node.func)
            if called == "len" or "atomic." in called:
                yield node.args[0].id, _indices(node.args[1]) if len(node.args) > 1 else 1
        many = 0
        while isinstance(node, ast.Subscript):
            many, node = many + _indices(node.slice), node.value
        if many and isinstance(node, ast.Name):
            yield node.id, many


def _indices(index: ast.expr) -> int:
    return len(index.elts) if isinstance(index, ast.Tuple) else 1
