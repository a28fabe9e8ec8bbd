"""What is a kernel to the host? `@cuda.jit` makes it, `kernel[grid, block](…)` compiles and launches it."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NoReturn, TypeVar, overload

from gpusim import texts
from gpusim.cuda import arguments as arguments_
from gpusim.cuda import options as options_
from gpusim.cuda import performance, signatures
from gpusim.cuda.options import Options
from gpusim.cuda.signatures import Signature
from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, KernelTypeError, LaunchError, UnsupportedConstruct
from gpusim.frontends.python.captured import arrays_named
from gpusim.frontends.python.kernel import compile_kernel
from gpusim.frontends.python.lowering import Meanings, RunsHereOnly
from gpusim.ir.program import Function
from gpusim.ir.text import listing
from gpusim.machine.attributes import Attributes
from gpusim.machine.limits import check_shape, fitted
from gpusim.runtime import launching, settings
from gpusim.runtime.device_thread import ChildKernel
from gpusim.runtime.launching import Bound, Launchable, LaunchConfiguration, extents
from gpusim.runtime.passing import on_device
from gpusim.source import Span

Figure = TypeVar("Figure")


@overload
def jit(func_or_sig: Callable[..., Any], **options: Any) -> Kernel: ...
@overload
def jit(func_or_sig: Any = None, device: bool = False, **options: Any) -> Callable[..., Kernel]: ...
def jit(func_or_sig: Any = None, device: bool = False, **options: Any) -> Any:
    """Make a kernel of a function, or with `device=True` a function that kernels may call.

    It is compiled at its first launch, once for each combination of argument types. With a signature, such as
    `@cuda.jit("void(float32[:], int32)")`, or a list of signatures it is compiled for these at once, and
    numbers are converted to them. What each option does here is in `gpusim.cuda.options.TABLE`.
    """
    checked = options_.checked({"device": device, **options})
    if func_or_sig is None or signatures.is_signature(func_or_sig) or isinstance(func_or_sig, list):
        given = func_or_sig if isinstance(func_or_sig, list | None) else [func_or_sig]
        declared = None if given is None else [signatures.parse(one) for one in given]
        return lambda function: _kernel(function, checked, declared)
    return _kernel(func_or_sig, checked, None)


def _kernel(function: Any, options: Options, declared: list[Signature] | None) -> Kernel:
    if isinstance(function, Kernel) or not isinstance(inspect.unwrap(function), FunctionType):
        raise KernelTypeError(f"@cuda.jit goes on a function, not on {function!r}")
    for signature in declared or ():
        if signature.result is not None and not options.device:
            raise KernelTypeError(f"a kernel returns nothing, not {signatures.type_name(signature.result)}")
    return (DeviceFunction if options.device else Kernel)(function, options, declared)


class Kernel(Launchable):
    """A kernel: `kernel[grid, block](arguments)` launches it.

    Its parameters may have any number of bytes: how compiled Numba lays them out is not modelled. Those of a
    kernel in CUDA C++ have a limit, see `gpusim.RawKernel`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: Options | None = None,
        declared: Sequence[Signature] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        plain = inspect.unwrap(function)
        assert isinstance(plain, FunctionType)
        texts.keep(plain)
        self.__name__: str = function.__name__
        self.py_func, self.options = function, options or Options()
        self.extensions = list(self.options.extensions)
        self._declared = declared
        self._compiled: dict[Any, Function] = {}
        self.names_outside: Meanings = {}
        self.launch_attributes = Attributes(
            carveout_percent=self.options.carveout_percent, cooperative=self.options.cooperative
        )
        self._compile_declared()

    @property
    def device_function(self) -> Callable[..., Any]:
        """The Python function, for the front-end to inline where a kernel calls it."""
        return self.py_func

    def declared(self, types: tuple[Any, ...]) -> Signature | None:
        """The types that arguments and result of a call are converted to, where signatures were given."""
        if not self._declared:
            return None
        if len(self._declared) == 1:
            return self._declared[0]
        return signatures.choose(self.__name__, self._declared, types, first=not self.is_kernel)

    def _compile_declared(self) -> None:
        for signature in self._declared or ():
            self._prepare(signature)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def __call__(self, *_arguments: Any, **_keywords: Any) -> Any:
        raise self._without_grid()

    # compiling --------------------------------------------------------------------------------------------

    def compiled(self, *arguments: Any) -> Function:
        """The IR for arguments of these types."""
        passed, _ = on_device(arguments)
        return self._prepare(self.signature_for(passed))

    def compile(self, signature: Any) -> Overload:
        """Compile for a signature now."""
        parsed = signatures.parse(signature)
        self._prepare(parsed)
        return Overload(self, parsed)

    def specialize(self, *arguments: Any) -> Kernel:
        """A kernel for arguments of these types only; numbers are converted to them."""
        if self.specialized:
            raise LaunchError(f"{self.__name__} is specialized already")
        passed, _ = on_device(arguments)
        special = type(self)(self.py_func, self.options, [self.signature_for(passed)])
        special.launch_attributes, special.extensions = self.launch_attributes, self.extensions
        return special

    def signature_for(self, passed: Sequence[Any]) -> Signature:
        """The types that it takes these arguments as."""
        types = tuple(
            arguments_.type_of(self.__name__, str(position + 1), argument)
            for position, argument in enumerate(passed)
        )
        if self._declared is None:
            return Signature(types)
        return signatures.choose(self.__name__, self._declared, types)

    def _prepare(self, signature: Signature) -> Function:
        """The function for these types on the device in force, with the bounds that the options set."""
        current = settings.current()
        device, sanitized = current.device, current.sanitized
        max_registers = self.options.register_bound(device)
        key = signature.args, device.warp_size, max_registers, sanitized
        if key not in self._compiled:
            asked = self.options.cooperative, self.options.debug, sanitized
            compiled = compile_kernel(
                self.py_func, signature.args, device.warp_size, *asked, self.names_outside
            )
            self._compiled[key] = self.options.applied_to(compiled, device)
            try:
                for child in self._compiled[key].children:  # what is wrong with a child is told now
                    assert child.function
            except GpuSimError:
                del self._compiled[key]
                raise
        return self._compiled[key]

    @property
    def function(self) -> Function:
        """The IR for the signature that it is specialized for, or that was compiled last."""
        if self.specialized:
            return self.overloads[self.signatures[0]]._function
        if not self._compiled:
            raise LaunchError(
                f"cudaErrorInvalidDeviceFunction: {self.__name__} has not been compiled; launch it once, or "
                "give @cuda.jit a signature"
            )
        return self._prepare(self.signatures[-1])

    def _static_shared_bytes(self) -> int:
        return max((function.shared_bytes for function in self._compiled.values()), default=0)

    def configure(
        self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
    ) -> LaunchConfiguration:
        configured = super().configure(griddim, blockdim, stream, sharedmem)
        performance.tell_of_grid(configured.grid)
        return configured

    def _bound(self, given: tuple[Any, ...]) -> Bound:
        passed, copy_back = on_device(given)
        signature = self.signature_for(passed)
        return self._prepare(signature), list(arguments_.flat(signature.args, passed)), copy_back

    def _launch(
        self, grid: Dim3, block: Dim3, stream: Any, shared_bytes: int, given: tuple[Any, ...]
    ) -> None:
        """A launch of what `extensions` make of the arguments."""
        performance.tell_of_arguments(given)
        done: list[Callable[[], Any]] = []
        for extension in reversed(self.extensions):
            typed = [(signatures.numba_type_of(argument), argument) for argument in given]
            given = tuple(
                extension.prepare_args(type_, argument, stream=stream, retr=done)[1]
                for type_, argument in typed
            )
        super()._launch(grid, block, stream, shared_bytes, given)
        for finish in done:
            finish()

    def launched_with(self, types: tuple[Any, ...], at: Span) -> tuple[tuple[Any, ...], ChildKernel]:
        """What a kernel that launches it passes for arguments of these types, and to what."""
        expected = len(inspect.signature(self.py_func).parameters)
        if len(types) != expected:
            raise KernelTypeError(f"{self.__name__}() takes {expected} argument(s), {len(types)} given", at)
        if self._declared is None:
            return types, Child(self, Signature(types))
        chosen = signatures.choose(self.__name__, self._declared, types)
        return chosen.args, Child(self, chosen)

    @property
    def last_compiled(self) -> Child:
        """Whom kernels mean that ask about it."""
        return Child(self, None)

    @property
    def variables(self) -> dict[str, Any]:
        """The arrays of the device that it names from outside."""
        return dict(arrays_named(self.py_func, self.names_outside))

    # looking at it ----------------------------------------------------------------------------------------

    def inspect_ir(self, *arguments: Any) -> str:
        """The instructions beside the source: for these arguments, or for the types compiled last."""
        if arguments:
            return listing(self.compiled(*arguments))
        if not self._compiled:
            raise KernelTypeError(
                f"{self.__name__} has not been compiled; launch it, or pass arguments: inspect_ir(2.0, x, y)"
            )
        return listing(next(reversed(self._compiled.values())))

    def _no_machine_code(self, *_signature: Any, **_keywords: Any) -> NoReturn:
        """Refused, as nothing is compiled for a GPU: `inspect_ir()` shows the instructions."""
        raise UnsupportedConstruct(
            f"{self.__name__} has no machine code; its instructions are in {self.__name__}.inspect_ir()"
        )

    inspect_asm = inspect_llvm = inspect_sass = inspect_sass_cfg = inspect_types = _no_machine_code

    @property
    def specialized(self) -> bool:
        """Was it compiled for one signature, and for no other?"""
        return self._declared is not None and len(self._declared) == 1

    @property
    def signatures(self) -> list[Signature]:
        """The argument types that it was compiled for."""
        return list(dict.fromkeys(Signature(types) for types, *_ in self._compiled))

    nopython_signatures = signatures

    @property
    def overloads(self) -> dict[Signature, Overload]:
        """What it needs for each of its `signatures`."""
        return Overloads((signature, Overload(self, signature)) for signature in self.signatures)

    def _for_each(self, figure: str, signature: Any) -> Any:
        """A figure of one overload; without a signature, of the only one, or a dictionary of all."""
        if signature is not None:
            return getattr(self.compile(signature), figure)
        if self.specialized:
            return getattr(next(iter(self.overloads.values())), figure)
        return Overloads((key, getattr(overload_, figure)) for key, overload_ in self.overloads.items())

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Registers of a thread: a number for a signature or a specialized kernel, else one a signature."""
        return self._for_each("regs_per_thread", signature)

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Bytes of static shared memory of a block, likewise."""
        return self._for_each("shared_mem_per_block", signature)

    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Bytes of constant memory: of arrays of the host that it names, likewise."""
        return self._for_each("const_mem_size", signature)

    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Bytes of local memory of a thread, those of spilled registers among them, likewise."""
        return self._for_each("local_mem_per_thread", signature)

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """The largest block that can be launched, likewise."""
        return self._for_each("max_threads_per_block", signature)


@dataclass(frozen=True, eq=False)
class Child(ChildKernel):
    """A kernel as others launch it, for arguments of certain types; None: those compiled last."""

    kernel: Kernel
    signature: Signature | None

    @property
    def name(self) -> str:
        """The kernel's."""
        return self.kernel.__name__

    @property
    def function(self) -> Function:
        """Compiled for the device in force, as for a launch of the host's."""
        return self.kernel.function if self.signature is None else self.kernel._prepare(self.signature)

    @property
    def attributes(self) -> Attributes:
        """What was set for the kernel until now."""
        return self.kernel.launch_attributes


class DeviceFunction(Kernel):
    """A function for kernels to call; it is compiled into each of them."""

    is_kernel = False

    def __repr__(self) -> str:
        return f"<device function {self.__name__}>"

    def __getitem__(self, configuration: Any) -> LaunchConfiguration:
        raise LaunchError(f"{self.__name__} is a device function; call it from a kernel")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """On the host it is the plain Python function, which Numba refuses to call."""
        what = f"{self.__name__} is a device function, called on the host: this runs here, not under Numba"
        warnings.warn(f"{what}; call {self.__name__}.py_func", RunsHereOnly, stacklevel=2)
        return self.py_func(*arguments, **keywords)

    def _compile_declared(self) -> None:
        """With the kernels that call it."""

    def launched_with(self, types: tuple[Any, ...], at: Span) -> tuple[tuple[Any, ...], ChildKernel]:
        raise KernelTypeError(f"{self.__name__} is a device function, and is not launched", at, "call it")

    def _prepare(self, signature: Signature) -> Function:
        raise LaunchError(
            f"{self.__name__} is a device function; it is compiled with the kernel that calls it"
        )


class Overloads(dict[Signature, Figure]):
    """What a kernel needs for each of its signatures; Numba's types, in a tuple, name one, too."""

    def __missing__(self, key: Any) -> Figure:
        if isinstance(key, Signature):
            raise KeyError(key)
        return self[signatures.parse(key)]


@dataclass(frozen=True)
class Overload:
    """What a kernel needs when it is compiled for one signature, on the device in force."""

    kernel: Kernel
    signature: Signature

    @property
    def _function(self) -> Function:
        return self.kernel._prepare(self.signature)

    @property
    def regs_per_thread(self) -> int:
        """Registers of a thread."""
        return self._function.registers_per_thread

    @property
    def shared_mem_per_block(self) -> int:
        """Bytes of static shared memory of a block."""
        return self._function.shared_bytes

    @property
    def const_mem_size(self) -> int:
        """Bytes of constant memory."""
        return self._function.constant_bytes

    @property
    def local_mem_per_thread(self) -> int:
        """Bytes of local memory of a thread, those of spilled registers among them."""
        return self._function.local_bytes

    @property
    def max_threads_per_block(self) -> int:
        """The largest block whose registers fit, and that `launch_bounds` allows."""
        return launching.max_threads_per_block(self._function, settings.current().device)

    def max_cooperative_grid_blocks(self, blockdim: Any, dynsmemsize: int = 0) -> int:
        """How many blocks of this size are resident on the device together?"""
        block = extents("block", blockdim)
        attributes, device = self.kernel.launch_attributes, settings.current().device
        check_shape(device, (1, 1, 1), block)
        return fitted(self._function, attributes, device, block, dynsmemsize).blocks * device.multiprocessors
