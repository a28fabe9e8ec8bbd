"""What does a program get that imports `numba.cuda`? This package's `cuda`, under Numba's names of modules.

Numba itself is used where it is installed. Where it is not, there is a `numba` with types and settings alone.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from gpusim import cuda, errors
from gpusim.cuda import config, performance, types
from gpusim.cuda import errors as errors_
from gpusim.cuda.dispatcher import Kernel
from gpusim.cuda.missing import FUNCTIONS, MISSING
from gpusim.frontends.python.builtins.vectors import VECTORS
from gpusim.frontends.python.lowering import RunsHereOnly
from gpusim.program import testing
from gpusim.runtime import device, device_array, host_memory, passing, streams

CUDA = "numba.cuda"
NUMBAS_GROUPS = {"this_grid"}
HERE = "this runs on gpusim, not on Numba's simulator"


def _refused(name: str, why: str) -> Callable[..., NoReturn]:
    """A function that can be imported, since a program may have it for another case, and not be called."""

    def refused(*_given: Any, **_options: Any) -> NoReturn:
        raise errors.UnsupportedConstruct(f"cuda.{name} is not simulated: {why}")

    return refused


REFUSED = {name: _refused(name, why) for name, why in MISSING.items() if name in FUNCTIONS}


# the modules of numba.cuda that programs import: one of ours, or names of ours
MODULES: dict[str, ModuleType | Mapping[str, Any]] = {
    CUDA: cuda,
    f"{CUDA}.random": importlib.import_module("gpusim.cuda.random"),
    f"{CUDA}.cg": importlib.import_module("gpusim.frontends.python.builtins.cooperative"),
    f"{CUDA}.libdevice": {
        name: getattr(cuda.libdevice, name) for name in dir(cuda.libdevice) if name[0] != "_"
    },
    f"{CUDA}.args": {name: getattr(passing, name) for name in ("ArgHint", "In", "InOut", "Out", "wrap_arg")},
    f"{CUDA}.dispatcher": {"CUDADispatcher": Kernel, "Dispatcher": Kernel},
    f"{CUDA}.kernels": {},
    f"{CUDA}.kernels.reduction": {"Reduce": cuda.Reduce},
    f"{CUDA}.cudadrv": {},
    f"{CUDA}.cudadrv.devicearray": {
        "DeviceNDArray": device_array.DeviceNDArray,
        "DeviceRecord": device_array.DeviceRecord,
        "MappedNDArray": host_memory.MappedNDArray,
        "ManagedNDArray": host_memory.ManagedNDArray,
        "is_cuda_ndarray": cuda.is_cuda_array,
    },
    f"{CUDA}.cudadrv.devices": {
        "gpus": device.gpus,
        "get_context": device.current_context,
        "reset": device.close,
    },
    f"{CUDA}.cudadrv.driver": {
        "CudaAPIError": errors.LaunchError,
        "Stream": streams.Stream,
        "Event": streams.Event,
        "USE_NV_BINDING": False,
    },
    f"{CUDA}.cudadrv.error": {
        "CudaSupportError": errors.UnsupportedConstruct,
        "CudaDriverError": errors.LaunchError,
    },
    f"{CUDA}.testing": testing.module(f"{CUDA}.testing"),
    f"{CUDA}.compiler": {name: REFUSED[name] for name in REFUSED if name.startswith("compile")},
    f"{CUDA}.vector_types": {"vector_types": VECTORS},
    f"{CUDA}.core": {},
    f"{CUDA}.misc": {},
    f"{CUDA}.misc.special": {"literal_unroll": cuda.literal_unroll},
    f"{CUDA}.np": {},
}
# our error -> what Numba raises in its place, where it is installed
CAUGHT_AS: dict[type[Exception], tuple[str, ...]] = {
    errors.KernelTypeError: ("TypingError",),
    errors.UnsupportedConstruct: ("TypingError", "UnsupportedError", "LoweringError"),
}
# what there is of Numba itself where it is not installed
OF_NUMPY = {"from_dtype": types.from_dtype, "as_dtype": types.as_dtype}
NUMBA: dict[str, ModuleType | Mapping[str, Any]] = {
    "numba": {**types.NAMES, "from_dtype": types.from_dtype, "__version__": "0"},
    "numba.types": types,
    "numba.core": {},
    "numba.core.types": types,
    "numba.core.config": config,
    "numba.core.errors": errors_,
    "numba.np": {},
    "numba.np.numpy_support": OF_NUMPY,
}
# modules of numba.cuda that are like one of Numba's
LIKE = {
    f"{CUDA}.types": "numba.core.types",
    f"{CUDA}.errors": "numba.core.errors",
    f"{CUDA}.config": "numba.core.config",
    f"{CUDA}.core.types": "numba.core.types",
    f"{CUDA}.core.errors": "numba.core.errors",
    f"{CUDA}.core.config": "numba.core.config",
    f"{CUDA}.np.numpy_support": "numba.np.numpy_support",
}


class _NoOther:
    """Finds no further module of `numba.cuda`, nor of a Numba that is not installed, and says so."""

    def __init__(self, installed: bool) -> None:
        self.closed = f"{CUDA}." if installed else "numba."

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        if name.startswith(self.closed):
            what = (
                f"{name} is about CUDA itself"
                if name.startswith(CUDA)
                else f"{name} is Numba's: pip install numba"
            )
            raise ModuleNotFoundError(f"{what}; {HERE}", name=name)
        return None


def _lacking(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"numba.{name} is Numba's: pip install numba; {HERE}", name="numba")


def _by_target(ours: Callable[..., Any], numbas: Callable[..., Any] | None) -> Callable[..., Any]:
    """Ours for `target="cuda"`, Numba's for all others."""

    def chosen(*given: Any, **options: Any) -> Any:
        if options.get("target") == "cuda":
            return ours(*given, **{name: option for name, option in options.items() if name != "target"})
        return (numbas or _lacking(ours.__name__))(*given, **options)

    return chosen


def install() -> None:
    """Let imports of `numba.cuda`, from now on and in the whole process, find what is here."""
    if sys.modules.get(CUDA) is cuda:
        return
    _add(MODULES)
    vars(cuda).update(REFUSED)
    try:
        numba = importlib.import_module("numba")
    except ImportError:
        installed = False
        _add(NUMBA)
        numba = sys.modules["numba"]
        vars(numba)["__getattr__"] = _lacking
    else:
        installed = True
        _caught_as_numbas(importlib.import_module("numba.core.errors"))
    cuda.HAS_NUMBA = installed
    _add({name: importlib.import_module(like) for name, like in LIKE.items()})
    for name in LIKE:
        above, _, last = name.rpartition(".")
        setattr(sys.modules[above], last, sys.modules[name])
    numbers = vars(sys.modules[f"{CUDA}.types"])
    vars(cuda).update({name: numbers[name] for name in types.OF_CUDA if name in numbers})
    for name in ("vectorize", "guvectorize"):
        setattr(numba, name, _by_target(getattr(cuda, name), vars(numba).get(name)))
    for name in (*NUMBA, *MODULES) if not installed else MODULES:
        above, _, last = name.rpartition(".")
        if above and last not in vars(sys.modules[above]):
            setattr(sys.modules[above], last, sys.modules[name])
    sys.meta_path.insert(0, _NoOther(installed))


def refuse_ours() -> None:
    """From now on, what Numba refuses on a GPU is an error, and our names are not there."""
    warnings.simplefilter("error", RunsHereOnly)
    vars(cuda.atomic).pop("block", None)
    for name in vars(cuda.cg).keys() - NUMBAS_GROUPS:
        delattr(cuda.cg, name)


@contextlib.contextmanager
def warned() -> Iterator[None]:
    """Launches inside bring Numba's performance warnings, after `install`."""
    errors_, config = (importlib.import_module(f"numba.core.{name}") for name in ("errors", "config"))
    before = performance.asked.set(performance.Asked(config, errors_.NumbaPerformanceWarning))
    try:
        yield
    finally:
        performance.asked.reset(before)


def _caught_as_numbas(numbas: ModuleType) -> None:
    """`except TypingError` of a program catches ours, too."""
    for ours, names in CAUGHT_AS.items():
        ours.__bases__ += tuple(getattr(numbas, name) for name in names)


def _add(modules: Mapping[str, ModuleType | Mapping[str, Any]]) -> None:
    for name, given in modules.items():
        if isinstance(given, ModuleType):
            sys.modules[name] = given
        else:
            sys.modules[name] = module = ModuleType(name)
            vars(module).update(given, __path__=[])
