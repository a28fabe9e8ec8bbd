"""How does a function of numbers become one of whole arrays? One thread for each element: `cuda.vectorize`.

`cuda.guvectorize` makes one of small arrays, such as the matrices of a stack. In Numba both are called
`numba.vectorize(…, target="cuda")` and `numba.guvectorize(…, target="cuda")`.

>>> @vectorize(["float64(float64, float64)"])
... def hypotenuse(a, b):
...     return (a * a + b * b) ** 0.5
>>> hypotenuse(np.array([3.0, 5.0]), np.array([4.0, 12.0])).tolist()
[5.0, 13.0]
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np

from gpusim.cuda import signatures
from gpusim.cuda.dispatcher import Kernel, jit
from gpusim.cuda.signatures import Signature
from gpusim.errors import ArrayError, KernelTypeError
from gpusim.frontends.python.builtins.intrinsics import Intrinsic, grid
from gpusim.ir.types import PRED, Array, Scalar
from gpusim.runtime.device_array import DeviceNDArray, device_array, elements, to_device
from gpusim.whole import number_of

Core = tuple[str, ...]  # the names of the axes that one call of the function takes
DTypes = tuple[np.dtype[Any], ...]
NUMBERS = (int, float, complex, np.number, np.bool_)
CLAIM = 'a signature such as "float32(float32, float32)"'
INDEX = "_i"


def vectorize(ftylist: Any = None, *, identity: Any = None, target: str = "cuda", **options: Any) -> Any:
    """Make a function of arrays of one that takes and returns numbers, for each signature given.

    The result takes arrays of the host or the device, and numbers, and `out=` and `stream=`. It broadcasts; a
    result is on the device where an argument is. `reduce(array)` combines all elements of one dimension.
    """
    _check(target, options)
    declared = _declared(ftylist, "vectorize")

    def of(function: Callable[..., Any]) -> Vectorized:
        versions = {}
        for one in declared:
            if not all(isinstance(type_, Scalar) for type_ in one.args):
                raise KernelTypeError(f"{function.__name__} needs {CLAIM}, not {one!r}")
            callee = jit(one, device=True)(function)
            if one.result is None:
                one = replace(one, result=_inferred(callee, one))
            kernel = _kernel(callee, [f"[{INDEX}]" for _ in one.args], returns=True)
            versions[_dtypes(one.args)] = _dtypes([one.result]), kernel
        return Vectorized(function, versions)

    return of


def guvectorize(ftylist: Any, signature: str, *, target: str = "cuda", **options: Any) -> Any:
    """Make a function of stacks of arrays of one that takes arrays and writes its results into the last ones.

    signature: the axes that one call takes, `"(m,n),(n,p)->(m,p)"`; axes before these are looped over, one
    thread a call.
    """
    _check(target, options)
    takes, gives = _axes(signature)
    declared = _declared(ftylist, "guvectorize")

    def of(function: Callable[..., Any]) -> Generalized:
        versions = {}
        for one in declared:
            if one.result is not None:
                raise KernelTypeError(
                    "guvectorized functions cannot return values: a signature specifies "
                    f"{signatures.type_name(one.result)} return type"
                )
            if len(one.args) != len(takes) + len(gives):
                raise KernelTypeError(
                    f"{function.__name__} takes {len(takes) + len(gives)} arguments, "
                    f"as {signature!r} says; not {one!r}"
                )
            pairs = zip([*takes, *gives], one.args, strict=True)
            kernel = _kernel(jit(one, device=True)(function), [_part(core, arg) for core, arg in pairs])
            dtypes = _dtypes(one.args)
            versions[dtypes[: len(takes)]] = dtypes[len(takes) :], kernel
        return Generalized(function, versions, takes, gives)

    return of


def _part(core: Core, argument: Any) -> str:
    """Which part of an array does one call take, as Python writes it?"""
    if core:
        return f"[{', '.join([INDEX, *(':' for _ in core)])}]"
    return f"[{INDEX}:{INDEX} + 1]" if isinstance(argument, Array) and argument.dimensions else f"[{INDEX}]"


def _kernel(callee: Kernel, parts: Sequence[str], returns: bool = False) -> Kernel:
    """One thread for each call of the function."""
    names = [f"a{position}" for position, _ in enumerate(parts)]
    call = f"callee({', '.join(name + part for name, part in zip(names, parts, strict=True))})"
    arrays = [*names, "out"] if returns else names
    text = (
        f"def each({', '.join(arrays)}):\n"
        f"    {INDEX} = grid(1)\n"
        f"    if {INDEX} < {arrays[-1]}.shape[0]:\n"
        f"        {f'out[{INDEX}] = ' if returns else ''}{call}\n"
    )
    made: dict[str, Any] = {"callee": callee, "grid": grid}
    exec(compile(text, f"<{callee.__name__}>", "exec"), made)
    made["each"].__name__ = callee.__name__
    kernel: Kernel = jit(made["each"])
    return kernel


def _inferred(callee: Kernel, signature: Signature) -> Scalar:
    """The type of what the function gives for numbers of these types."""
    seen: list[Scalar] = []

    def note(call: Any) -> tuple[Any, ...]:
        seen.append(call.numbers()[0].type)
        return bool, call.arguments[0]

    names = ", ".join(f"a{position}" for position, _ in enumerate(signature.args))
    made = {"callee": callee, "seen": Intrinsic("seen(value)", "chosen", note)}
    text = f"def typed({names}):\n    seen(callee({names}))\n"
    exec(compile(text, f"<{callee.__name__}>", "exec"), made)
    jit(signatures.Signature(signature.args))(made["typed"])
    return seen[-1]  # its variables' types are settled


@dataclass(eq=False)
class Vectorized:
    """A function of arrays: what it takes → (what it gives, the kernel)."""

    function: Callable[..., Any]
    versions: dict[DTypes, tuple[DTypes, Kernel]]

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.function)

    def __call__(self, *given: Any, out: Any = None, stream: Any = 0) -> Any:
        """Call it for each element of the arrays."""
        wanted = self._choose(given)
        (dtype,), kernel = self.versions[wanted]
        arrays = [_array(one, dtype) for one, dtype in zip(given, wanted, strict=True)]
        try:
            shape = np.broadcast_shapes(*(array.shape for array in arrays))
        except ValueError:
            shapes = ", ".join(str(array.shape) for array in arrays)
            raise ArrayError(f"{self.function.__name__}: arrays of shapes {shapes} do not fit") from None
        shape = shape or (1,)
        result = _result(out, shape, dtype, stream)
        size = math.prod(shape)
        if size:
            flat = [_moved(_spread(array, shape), (size,), stream) for array in arrays]
            kernel.forall(size, stream=stream)(*flat, result.reshape(size))
        decides = arrays if out is None else [out]
        on_device = any(isinstance(one, DeviceNDArray) for one in decides)
        return result if on_device else result.copy_to_host(out, stream)

    def reduce(self, arg: Any, stream: Any = 0) -> Any:
        """All elements of one dimension, combined: halves with each other, an odd one last, as Numba does."""
        if arg.ndim != 1 or not arg.size:
            raise ArrayError(f"{self.function.__name__}.reduce takes one dimension of one element or more")
        return self._reduced(arg if isinstance(arg, DeviceNDArray) else to_device(arg, stream), stream)[0]

    def _reduced(self, left: DeviceNDArray, stream: Any) -> DeviceNDArray:
        if left.size == 1:
            return left
        if left.size % 2:
            reduced: DeviceNDArray = self(self._reduced(left[:-1], stream), left[-1:], stream=stream)
            return reduced
        half = left.size // 2
        return self._reduced(self(left[:half], left[half:], stream=stream), stream)

    def _choose(self, given: Sequence[Any]) -> DTypes:
        """The version for these arguments: a number fits any type, unless one version has its own."""
        loose = [None if isinstance(one, NUMBERS) else _array(one).dtype for one in given]
        strict = [_array(one).dtype for one in given]
        for types in (strict, loose):
            fits = [key for key in self.versions if _fits(key, types)]
            if len(fits) > 1:
                raise KernelTypeError(
                    f"{self.function.__name__}: the numbers fit {len(fits)} of its versions; give them "
                    "NumPy's types, such as np.float32(2)"
                )
            if fits:
                return fits[0]
        raise KernelTypeError(
            f"No matching version: {_known(self.function, self.versions)}, not for {_named(strict)}; "
            "elements of arrays must have exactly these types"
        )


@dataclass(eq=False)
class Generalized:
    """A function of stacks of arrays, with the axes that one call takes and gives."""

    function: Callable[..., Any]
    versions: dict[DTypes, tuple[DTypes, Kernel]]
    takes: tuple[Core, ...]
    gives: tuple[Core, ...]

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.function)

    def __call__(self, *given: Any, out: Any = None, stream: Any = 0) -> Any:
        """Call it for each part of the arrays. Results that are passed, last or as `out`, are written."""
        inputs = [_array(one) for one in given[: len(self.takes)]]
        outs = self._outs(given, out)
        loop, sizes = self._loop([array.shape for array in inputs])
        dtypes, (made, kernel) = self._choose([array.dtype for array in inputs])
        shapes = [loop + tuple(sizes[axis] for axis in core) for core in self.gives]
        if any(one is not None and one.shape != shape for one, shape in zip(outs, shapes, strict=True)):
            raise ArrayError(f"output shape mismatch: results have {' and '.join(map(str, shapes))}")
        on_device = any(isinstance(one, DeviceNDArray) for one in (*given, out))
        results = [
            one if one is not None and on_device else device_array(shape, dtype, stream=stream)
            for one, shape, dtype in zip(outs, shapes, made, strict=True)
        ]
        count = math.prod(loop)
        if count:
            parts = [
                _moved(_spread(_single(_cast(array, dtype), core), loop + core), (count, *core), stream)
                for array, dtype, core in zip(inputs, dtypes, self._cores(sizes), strict=True)
            ]
            flat = [one.reshape(count, *one.shape[len(loop) :]) for one in results]
            kernel.forall(count, stream=stream)(*parts, *flat)
        if not on_device:
            results = [one.copy_to_host(into, stream) for one, into in zip(results, outs, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)

    def _cores(self, sizes: dict[str, int]) -> list[tuple[int, ...]]:
        return [tuple(sizes[axis] for axis in core) for core in self.takes]

    def _outs(self, given: Sequence[Any], out: Any) -> list[Any]:
        """Where results go: None for a new array."""
        few, many = len(self.takes), len(self.takes) + len(self.gives)
        if out is not None and len(given) > few:
            raise ArrayError("cannot specify argument 'out' as both positional and keyword")
        if (out is None and len(given) not in (few, many)) or (out is not None and len(given) != few):
            raise KernelTypeError(
                f"This gufunc accepts {number_of(few, 'positional argument')} (when providing input only) or "
                f"{number_of(many, 'positional argument')} (when providing input and output). Got "
                f"{number_of(len(given), 'positional argument')}."
            )
        return list(given[few:]) or [out] * len(self.gives)

    def _loop(self, shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], dict[str, int]]:
        """The axes that are looped over, and the size of each named one."""
        sizes: dict[str, int] = {}
        outer = []
        for position, (shape, core) in enumerate(zip(shapes, self.takes, strict=True), 1):
            begin = len(shape) - len(core)
            if begin < 0:
                raise ArrayError(f"arg #{position}: insufficient inner dimension: its shape is {shape}")
            for axis, (name, size) in enumerate(zip(core, shape[begin:], strict=True), begin):
                if sizes.setdefault(name, size) != size:
                    wanted = f"{name} is {sizes[name]}"
                    raise ArrayError(f"arg #{position}: shape[{axis}] mismatch argument: {wanted}")
            outer.append(shape[:begin])
        loop = max(outer, key=math.prod)
        for position, dims in enumerate(outer, 1):
            if dims not in (loop, (1,), ()):
                raise ArrayError(f"arg #{position}: outer dimension mismatch: {dims} beside {loop}")
        return loop, sizes

    def _choose(self, given: Sequence[np.dtype[Any]]) -> tuple[DTypes, tuple[DTypes, Kernel]]:
        """The version for these types, or the first whose types can be cast to them, as in Numba."""
        if tuple(given) in self.versions:
            return tuple(given), self.versions[tuple(given)]
        for key, version in self.versions.items():
            if all(np.can_cast(made, one) for made, one in zip(key, given, strict=True)):
                return key, version
        raise KernelTypeError(
            f"no matching signature: {_known(self.function, self.versions)}, not for {_named(given)}"
        )


def _check(target: str, options: dict[str, Any]) -> None:
    """Raise for a target or an option that there is not."""
    if target != "cuda":
        raise KernelTypeError(f'target="cuda" is what there is here, not {target!r}')
    if options.pop("cache", False):
        raise KernelTypeError("caching is not supported")
    if not options.pop("nopython", True):
        raise KernelTypeError("nopython flag must be True")
    if options:
        named = ", ".join(map(repr, options))
        raise KernelTypeError(f"The following target options are not supported: {named}")


def _declared(given: Any, name: str) -> list[Signature]:
    """The signatures: one, or several in a list."""
    if given is None or isinstance(given, FunctionType):
        raise KernelTypeError(f'cuda.{name} needs signatures, such as ["float32(float32, float32)"]')
    return [signatures.parse(one) for one in (given if isinstance(given, list) else [given])]


def _axes(signature: str) -> tuple[tuple[Core, ...], tuple[Core, ...]]:
    """What one call takes and gives.

    >>> _axes("(m,n),(n)->(m),()")
    ((('m', 'n'), ('n',)), (('m',), ()))
    """
    text = signature.replace(" ", "")
    core = r"\((?:\w+(?:,\w+)*)?\)"
    if not re.fullmatch(rf"{core}(?:,{core})*->{core}(?:,{core})*", text):
        raise KernelTypeError(f'{signature!r} names no axes; write them as "(m,n),(n,p)->(m,p)"')
    takes, gives = (
        tuple(tuple(re.findall(r"\w+", one)) for one in re.findall(core, side)) for side in text.split("->")
    )
    unknown = {axis for one in gives for axis in one} - {axis for one in takes for axis in one}
    if unknown:
        raise KernelTypeError(f"{signature!r}: no argument has the axis {min(unknown)}")
    return takes, gives


def _dtypes(types: Sequence[Any]) -> DTypes:
    """NumPy's types of numbers, or of elements."""
    found = [type_.element if isinstance(type_, Array) else type_ for type_ in types]
    return tuple(np.dtype(bool) if type_ is PRED else type_.dtype for type_ in found)


def _named(types: Sequence[Any]) -> str:
    return f"({', '.join(map(str, types))})"


def _fits(made: DTypes, given: Sequence[Any]) -> bool:
    """Is a version made for these types? None is a number of any."""
    return len(made) == len(given) and all(b is None or a == b for a, b in zip(made, given, strict=True))


def _known(function: Callable[..., Any], versions: dict[DTypes, Any]) -> str:
    return f"{function.__name__} is made for {' and '.join(map(_named, versions))}"


def _array(given: Any, dtype: Any = None) -> Any:
    """An array of the device as it is; all else as one of the host."""
    return given if isinstance(given, DeviceNDArray) else np.asarray(given, dtype)


def _cast(array: Any, dtype: np.dtype[Any]) -> Any:
    if array.dtype == dtype:
        return array
    if isinstance(array, DeviceNDArray):
        raise KernelTypeError(
            f"compatible signature is possible by casting but {type(array)} does not support .astype()"
        )
    return array.astype(dtype)


def _single(array: Any, core: tuple[int, ...]) -> Any:
    """One part for all calls without the axis of length one before it."""
    return array.reshape(core) if array.shape == (1, *core) else array


def _spread(array: Any, shape: tuple[int, ...]) -> Any:
    """Broadcast, without copying."""
    if isinstance(array, DeviceNDArray):
        return DeviceNDArray(np.broadcast_to(elements(array), shape), array.gpu_data, array.stream)
    return np.broadcast_to(array, shape)


def _moved(array: Any, shape: tuple[int, ...], stream: Any) -> DeviceNDArray:
    """On the device, in this shape: a view where its elements lie so."""
    if isinstance(array, DeviceNDArray):
        reshaped = elements(array).reshape(shape)
        if np.shares_memory(reshaped, elements(array)):
            return DeviceNDArray(reshaped, array.gpu_data, array.stream)
        return to_device(np.ascontiguousarray(reshaped), stream)
    return to_device(np.ascontiguousarray(array.reshape(shape)), stream)


def _result(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], stream: Any) -> DeviceNDArray:
    """Where a result is written on the device."""
    if out is not None and (out.shape, out.dtype) != (shape, dtype):
        raise ArrayError(f"out has shape {out.shape} and {out.dtype}; the result has {shape} and {dtype}")
    return out if isinstance(out, DeviceNDArray) else device_array(shape, dtype, stream=stream)
