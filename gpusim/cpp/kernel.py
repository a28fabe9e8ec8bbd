"""What is a kernel in CUDA C++ to the host? `kernel((4,), (256,), (n, x, y))`, or `kernel[4, 256](n, x, y)`.

>>> import numpy as np, gpusim
>>> saxpy = gpusim.RawKernel(r'''
... extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
...     int i = blockIdx.x * blockDim.x + threadIdx.x;
...     if (i < n) y[i] += a * x[i];
... }
... ''', "saxpy")
>>> x = np.ones(1000, np.float32); y = np.zeros(1000, np.float32)
>>> saxpy((4,), (256,), (1000, 2.0, x, y))
>>> float(y.sum())
2000.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpusim.cpp.arguments import bound, declaration
from gpusim.cpp.children import added, below
from gpusim.cpp.program import Program, program_of
from gpusim.errors import LaunchError, NotOffered, absent, without_traceback
from gpusim.frontends.cuda_cpp.types import Parameter
from gpusim.ir.parameters import most_host_bytes, placed
from gpusim.ir.program import Function
from gpusim.ir.text import listing
from gpusim.machine.attributes import Attributes
from gpusim.runtime import launching, settings
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.launching import Bound, Launchable
from gpusim.runtime.passing import on_device

FIGURES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)
MISSING = ("ptx_version", "binary_version", "cache_mode_ca", "kernel")


class RawKernel(Launchable):
    """A kernel of a CUDA C++ text, under CuPy's names. It is compiled when it is first used.

    `name` may be an instance of a template: "axpy<float, 4>". What each option does here is in
    `gpusim.cpp.options.TABLE`. Its parameters may have 4,096 bytes in all, from compute capability 7.0 on
    32,764; more is a `LaunchError`. Kernels in Python have no such limit.
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        *,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        program = program_of(
            code,
            None,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            jitify=jitify,
        )
        self._begin(program, name)

    def _begin(self, program: Program, name: str) -> None:
        self._program, self.name = program, name
        self.launch_attributes = Attributes(cooperative=program.options.cooperative)
        self.__name__ = name

    @classmethod
    def of(cls, program: Program, name: str) -> RawKernel:
        """A kernel of a text that others share."""
        kernel = cls.__new__(cls)
        kernel._begin(program, name)
        return kernel

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def code(self) -> str:
        """The text."""
        return self._program.source.text

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it is given, for the device in force."""
        return self._program.compiled(self.name).parameters

    @property
    def signature(self) -> str:
        """As it is declared: `saxpy(int n, float a, const float *x, float *y)`."""
        return f"{self.name}({', '.join(declaration(p.type, p.name) for p in self.parameters)})"

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "launch_attributes" and value != Attributes(cooperative=value.cooperative):
            self._program.attributes[self.name.replace(" ", "")] = value  # where kernels launch it, too

    # launching --------------------------------------------------------------------------------------------

    @without_traceback
    def __call__(
        self, grid: Any = None, block: Any = None, args: Any = None, *, shared_mem: int = 0, stream: Any = 0
    ) -> None:
        """CuPy's form: `kernel((4,), (256,), (n, x, y), shared_mem=1024)`."""
        if block is None:
            raise self._without_grid()
        if not isinstance(args, tuple | list):
            raise LaunchError(
                f"{self.name}(grid, block, args) takes the arguments as a tuple: "
                f"{self.name}((4,), (256,), (…,)), or {self.name}[4, 256](…)"
            )
        self.configure(grid, block, stream, shared_mem)(*args)

    def compiled(self, *_arguments: Any) -> Function:
        """The IR for the device in force. Which types the arguments have is in the text."""
        return self._program.compiled(self.name).function

    def compile(self, log_stream: Any = None) -> None:
        """Compile now. There are no warnings that `log_stream` could be given: errors are raised."""
        self.compiled()

    def _bound(self, given: tuple[Any, ...]) -> Bound:
        passed, copy_back = on_device(given)
        compiled = self._program.compiled(self.name)
        if compiled.function.cooperative and not self.launch_attributes.cooperative:
            raise LaunchError(
                f"{self.name} waits for the whole grid, and was not launched cooperatively",
                hint="pass enable_cooperative_groups=True to RawModule or RawKernel",
            )
        _, size = placed((one.type.size, one.type.alignment) for one in compiled.parameters)
        device = settings.current().device
        if size > (most := most_host_bytes(device.compute_capability)):
            raise LaunchError(
                f"the parameters of {self.name} have {size:,} bytes; on {device.name} a kernel has "
                f"{most:,} at most",
                hint="pass the address of what is large: a pointer to memory of the device",
            )
        values = bound(self.name, compiled.parameters, passed)
        for name in below(self._program, self.name):
            added(self._program, name)  # a grid looks for memory once: what its children use must be there
        values += added(self._program, self.name)
        return compiled.function, values, copy_back

    @property
    def variables(self) -> Mapping[str, DeviceNDArray]:
        """The `__device__` and `__constant__` variables that it uses."""
        return {name: self._program.variable(name) for name in self._program.compiled(self.name).symbols}

    def inspect_ir(self, *_arguments: Any) -> str:
        """The instructions beside the source."""
        return listing(self.compiled())

    # what it needs ----------------------------------------------------------------------------------------

    @property
    def attributes(self) -> dict[str, int]:
        """CuPy's attributes, those that have a meaning here."""
        return {name: getattr(self, name) for name in FIGURES}

    @property
    def max_threads_per_block(self) -> int:
        """The largest block that can be launched."""
        return launching.max_threads_per_block(self.compiled(), settings.current().device)

    @property
    def shared_size_bytes(self) -> int:
        """Static shared memory of a block."""
        return self.compiled().shared_bytes

    @property
    def const_size_bytes(self) -> int:
        """The `__constant__` variables of its text."""
        return self._program.constant_bytes

    @property
    def local_size_bytes(self) -> int:
        """Local memory of a thread, that of spilled registers, too."""
        return self.compiled().local_bytes

    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
        return self.compiled().registers_per_thread

    def __getattr__(self, name: str) -> Any:
        if name in MISSING:
            no_code = "there is no machine code; inspect_ir() lists the kernel's instructions"
            raise NotOffered(f"{name} is not simulated: {no_code}")
        raise absent(self, name)
