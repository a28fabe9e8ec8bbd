"""Which device is this, under the names that Numba gives it? `get_current_device().MULTIPROCESSOR_COUNT`.

There is one device, number 0: the one of the catalogue that `gpusim.use(…)` or `gpusim.profile(…)` chose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from gpusim import devices
from gpusim.errors import LaunchError, NotOffered
from gpusim.runtime import residency, settings, streams
from gpusim.runtime.device_figures import ATTRIBUTES
from gpusim.runtime.launching import kernel_of
from gpusim.whole import is_whole

# the field of CUDA's cudaDeviceProp -> the attribute
PROPERTIES = {
    "major": "COMPUTE_CAPABILITY_MAJOR",
    "minor": "COMPUTE_CAPABILITY_MINOR",
    "warpSize": "WARP_SIZE",
    "waveSize": "WARP_SIZE",  # MXMACA's name, in mcDeviceProp
    "multiProcessorCount": "MULTIPROCESSOR_COUNT",
    "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTI_PROCESSOR",
    "maxBlocksPerMultiProcessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "regsPerMultiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK",
    "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "reservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY",
    "l2CacheSize": "L2_CACHE_SIZE",
    "globalL1CacheSupported": "GLOBAL_L1_CACHE_SUPPORTED",
    "localL1CacheSupported": "LOCAL_L1_CACHE_SUPPORTED",
    "singleToDoublePrecisionPerfRatio": "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO",
    "clockRate": "CLOCK_RATE",
}


class CudaDevice:
    """The device in force when it was asked for. Its attributes have CUDA's names in capitals."""

    id = 0

    def __init__(self, device: devices.Device) -> None:
        self._device = device
        self.name, self.compute_capability = device.product_name, device.compute_capability

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # what copy and pickle ask for before there is a device
        if name in ATTRIBUTES:
            return ATTRIBUTES[name](self._device)
        raise NotOffered(
            f"no figure for the device's {name!r}; there are {', '.join(ATTRIBUTES)}, and more under other "
            f"names in gpusim.devices.get({self._device.name!r})"
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *ATTRIBUTES]

    def __repr__(self) -> str:
        return f"<simulated CUDA device 0 '{self.name}'>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CudaDevice) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self.name)

    def __enter__(self) -> CudaDevice:
        return self

    def __exit__(self, *_exception: object) -> None:
        """There is no other device to go back to."""

    def reset(self) -> None:
        """Free all memory."""
        Context().reset()


class MemoryInfo(NamedTuple):
    """Bytes of device memory."""

    free: int
    total: int


class Deallocations:
    """Memory that waits to be freed: none, since memory is freed when its last array goes."""

    def __len__(self) -> int:
        return 0

    def clear(self) -> None:
        """Free what waits."""


class Context:
    """What a host program holds on a device."""

    def __init__(self) -> None:
        self.device, self.deallocations = get_current_device(), Deallocations()

    def __repr__(self) -> str:
        return f"<context on {self.device!r}>"

    def get_memory_info(self) -> MemoryInfo:
        """How much memory is free, and how much is there?"""
        total = settings.current().device.memory_bytes
        return MemoryInfo(total - settings.memory().bytes_in_use, total)

    def get_active_blocks_per_multiprocessor(
        self, func: Any, blocksize: int, memsize: int, flags: int | None = None
    ) -> int:
        """How many blocks of a kernel fit on a multiprocessor? `memsize`: bytes of dynamic shared memory."""
        kernel = kernel_of(func)
        occupancy_flags(flags or 0)
        return residency.active_blocks(kernel.function, kernel.launch_attributes, blocksize, memsize)

    def get_max_potential_block_size(
        self,
        func: Any,
        b2d_func: Callable[[int], int] | None,
        memsize: int,
        blocksizelimit: int,
        flags: int | None = None,
    ) -> tuple[int, int]:
        """The blocks that fill the device, and the block size with which it is fullest.

        `b2d_func` gives the bytes of dynamic shared memory for a block size; without one they are `memsize`.
        """
        kernel = kernel_of(func)
        occupancy_flags(flags or 0)
        return residency.best_launch(
            kernel.function, kernel.launch_attributes, b2d_func or memsize, blocksizelimit
        )

    def synchronize(self) -> None:
        streams.synchronize()

    def create_stream(self) -> streams.Stream:
        return streams.stream()

    def get_default_stream(self) -> streams.Stream:
        """The stream of work that names none."""
        return streams.default_stream()

    def create_event(self, timing: bool = True) -> streams.Event:
        return streams.event(timing)

    def reset(self) -> None:
        """Free all memory. Arrays that are still around must not be used any more."""
        settings.current().grids.state.reset()


class Gpus:
    """`cuda.gpus`: the list of devices, with one in it."""

    def __getitem__(self, number: int) -> CudaDevice:
        return (CudaDevice(settings.current().device),)[number]

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[CudaDevice]:
        yield self[0]

    def __repr__(self) -> str:
        return repr(list(self))

    @property
    def current(self) -> CudaDevice:
        return self[0]


gpus = Gpus()


def occupancy_flags(flags: int) -> None:
    """Refuse what is no flag: 0, or 1 so that blocks keep L1 even if fewer fit. Here as many fit with L1."""
    if not is_whole(flags) or flags not in (0, 1):
        raise LaunchError(
            "cudaErrorInvalidValue: flags are cudaOccupancyDefault (0) or "
            f"cudaOccupancyDisableCachingOverride (1), not {flags!r}"
        )


def get_current_device() -> CudaDevice:
    """The device in force, with its figures by CUDA's names."""
    return gpus.current


def list_devices() -> Gpus:
    """All devices: one."""
    return gpus


def select_device(device_id: int) -> CudaDevice:
    """Use the device of this number; there is only 0. Raises `LaunchError` for others."""
    if not is_whole(device_id) or device_id != 0:
        raise LaunchError(
            f"there is no device {device_id!r}, only 0; gpusim.use(…) chooses which GPU that is, "
            'for example gpusim.use("V100")'
        )
    return get_current_device()


def current_context(devnum: int | None = None) -> Context:
    """The context of the device, which knows how much memory is free."""
    select_device(devnum or 0)
    return Context()


def close() -> None:
    """Free all memory of the device. Arrays that are still around must not be used any more."""
    Context().reset()


def detect() -> bool:
    """Print which devices there are; True where there is one."""
    device = get_current_device()
    capability = device.compute_capability
    version = ".".join(map(str, capability)) if capability else "none, it is not NVIDIA's"
    print("Found 1 CUDA devices")
    print(f"id 0    {device.name:>20} {'[SIMULATED]':>40}")
    print(f"{'Compute Capability':>40}: {version}")
    print("Summary:\n\t1/1 devices are supported")
    return True


def is_available() -> bool:
    """Is there a device? Here always."""
    return True


def is_supported_version() -> bool:
    """Does the version of the CUDA runtime fit? There is none to misfit."""
    return True


def is_float16_supported() -> bool:
    """Are there 16-bit floats? Yes."""
    return True


def is_bfloat16_supported() -> bool:
    """Has a kernel numbers of the type bfloat16? Not here."""
    return False


def is_fp8_supported() -> bool:
    """Has a kernel floats of 8 bits? Not here."""
    return False


def cuda_error() -> str | None:
    """What went wrong when CUDA was initialised? Nothing."""
    return None


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """On a GPU, keep freed memory for a `with` block so as not to wait; nothing ever waits here."""
    yield
