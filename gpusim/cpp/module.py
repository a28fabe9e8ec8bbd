"""How are the kernels and variables of a CUDA C++ text reached? `module.get_function("saxpy")`.

>>> import numpy as np, gpusim
>>> module = gpusim.RawModule(code=r'''
... __constant__ float weights[3];
... __global__ void smooth(const float* x, float* y, int n) {
...     int i = blockIdx.x * blockDim.x + threadIdx.x;
...     if (0 < i && i < n - 1) y[i] = weights[0] * x[i - 1] + weights[1] * x[i] + weights[2] * x[i + 1];
... }
... ''')
>>> module.get_global("weights")[:] = [0.25, 0.5, 0.25]
>>> x = np.arange(32, dtype=np.float32); y = np.zeros_like(x)
>>> module.get_function("smooth")[1, 32](x, y, 32)
>>> y[1:4].tolist()
[1.0, 2.0, 3.0]
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.program import Program, program_of
from gpusim.errors import KernelTypeError, without_traceback
from gpusim.runtime.host_memory import managed_view
from gpusim.source import Span


class RawModule:
    """A CUDA C++ text, under CuPy's names. It is compiled when a kernel or variable is first asked for.

    Templates need no `name_expressions` here: `get_function("axpy<float, 4>")` compiles that instance. What
    each option does is in `gpusim.cpp.options.TABLE`.
    """

    def __init__(
        self,
        code: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        self._program = program_of(
            code,
            path,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=name_expressions,
            jitify=jitify,
        )
        if isinstance(name_expressions, str):
            raise KernelTypeError(f"name_expressions is a list: [{name_expressions!r}]")
        self.name_expressions = tuple(name_expressions or ())

    @classmethod
    def of(cls, program: Program) -> RawModule:
        """The module of a text that was read already."""
        module = cls.__new__(cls)
        module._program, module.name_expressions = program, ()
        return module

    def __repr__(self) -> str:
        return f"<module {self._program.contents}>"

    @property
    def code(self) -> str:
        """The text."""
        return self._program.source.text

    @without_traceback
    def compile(self, log_stream: Any = None) -> None:
        """Compile now: all kernels that are no templates, and the instances in `name_expressions`.

        A mistake that hides a kernel, such as a return type that is missing, is told too.
        """
        unit = self._program.unit()
        error = unit.first_error()
        line = error.span.text if error is not None and isinstance(error.span, Span) else ""
        if error is not None and (not unit.kernels or "__global__" in line):
            raise error
        for name in (*(name for name in unit.kernels if name not in unit.templates), *self.name_expressions):
            self._program.compiled(name)

    @property
    def contents(self) -> dict[str, Any]:
        """Its kernels and variables by name."""
        unit = self._program.unit()
        kernels = {name: RawKernel.of(self._program, name) for name in unit.kernels}
        return {**kernels, **{name: self.get_global(name) for name in unit.symbols}}

    @without_traceback
    def get_function(self, name: str) -> RawKernel:
        """The kernel of that name, compiled. Attributes that are set on it are of this kernel object only."""
        self._program.compiled(name)
        return RawKernel.of(self._program, name)

    @without_traceback
    def get_global(self, name: str) -> Any:
        """A `__device__` or `__constant__` variable as an array in device memory; one number is a[0].

        `module.get_global("weights")[:] = w` writes it and `.copy_to_host()` reads it. A `__managed__` one is
        a NumPy array of memory that host and device share.
        """
        array = self._program.variable(name)
        return managed_view(array) if self._program.unit().symbols[name].managed else array
