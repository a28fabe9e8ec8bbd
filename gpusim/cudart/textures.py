"""CUDA arrays, and textures and surfaces over them, by the names of NVIDIA's cuda-python.

An object is a number, which a kernel takes as its `cudaTextureObject_t` or `cudaSurfaceObject_t`. Memory is
an array, as in `gpusim.cudart.streams`. What a fetch gives is in `gpusim.machine.memory.texels`.

>>> from gpusim import cudart
>>> _, floats = cudart.cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKind.cudaChannelFormatKindFloat)
>>> _, array = cudart.cudaMallocArray(floats, 64, 48)
>>> picture = np.zeros((48, 64), np.float32)
>>> done = cudart.cudaMemcpy2DToArray(array, 0, 0, picture, 256, 256, 48)
>>> resource, texture = cudart.cudaResourceDesc(), cudart.cudaTextureDesc()
>>> resource.res.array.array = array
>>> texture.addressMode = [cudaTextureAddressMode.cudaAddressModeClamp] * 2
>>> texture.filterMode = cudaTextureFilterMode.cudaFilterModeLinear
>>> error, handle = cudart.cudaCreateTextureObject(resource, texture, None)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from gpusim.cudart.spelling import SUCCESS, Spelled, cudaError_t, member
from gpusim.cudart.streams import INVALID, Done, allocation_of, cudaMemcpyKind, moved, octets_of
from gpusim.errors import LaunchError
from gpusim.machine.memory.texels import Axis, Surface, TexelObject, Texels, Texture
from gpusim.runtime import settings, streams
from gpusim.runtime.device_array import DeviceNDArray, device_array
from gpusim.whole import is_whole, whole

ROW_ALIGNMENT = 32  # texturePitchAlignment of all GPUs
cudaArrayDefault, cudaArraySurfaceLoadStore = 0, 2
CHOSEN = cudaMemcpyKind.cudaMemcpyDefault


class cudaChannelFormatKind(IntEnum, metaclass=Spelled):
    """What are the numbers of a texel?"""

    cudaChannelFormatKindSigned = 0
    cudaChannelFormatKindUnsigned = 1
    cudaChannelFormatKindFloat = 2


class cudaResourceType(IntEnum, metaclass=Spelled):
    """What is a texture or surface made over?"""

    cudaResourceTypeArray = 0
    cudaResourceTypeLinear = 2


class cudaTextureAddressMode(IntEnum, metaclass=Spelled):
    """What is outside?"""

    cudaAddressModeWrap = 0
    cudaAddressModeClamp = 1
    cudaAddressModeMirror = 2
    cudaAddressModeBorder = 3


class cudaTextureFilterMode(IntEnum, metaclass=Spelled):
    """What is between?"""

    cudaFilterModePoint = 0
    cudaFilterModeLinear = 1


class cudaTextureReadMode(IntEnum, metaclass=Spelled):
    """Do integers stay what they are, or become 0 to 1?"""

    cudaReadModeElementType = 0
    cudaReadModeNormalizedFloat = 1


@dataclass(slots=True)
class cudaChannelFormatDesc:
    """A texel: the bits of each number, 0 for none, and their kind."""

    x: int
    y: int
    z: int
    w: int
    f: int


@dataclass(slots=True)
class _Over:
    array: cudaArray | None = None
    devPtr: DeviceNDArray | None = None
    desc: cudaChannelFormatDesc | None = None
    sizeInBytes: int = 0


@dataclass(slots=True)
class _Resource:
    array: _Over = field(default_factory=_Over)
    linear: _Over = field(default_factory=_Over)


@dataclass(slots=True)
class cudaResourceDesc:
    """What is it made over? `res.array.array`, or `res.linear` with `devPtr`, `desc` and `sizeInBytes`."""

    resType: int = 0
    res: _Resource = field(default_factory=_Resource)


@dataclass(slots=True)
class cudaTextureDesc:
    """How is a texture asked? As in C++, zeros say: wrap, point, element type, coordinates in texels."""

    addressMode: list[int] = field(default_factory=lambda: [0, 0, 0])
    filterMode: int = 0
    readMode: int = 0
    normalizedCoords: int = 0


@dataclass(frozen=True, eq=False)
class cudaArray:
    """A CUDA array, which kernels reach by textures and surfaces alone."""

    texels: Texels
    flags: int


# arrays -----------------------------------------------------------------------------------------------------


def cudaCreateChannelDesc(
    x: int, y: int, z: int, w: int, f: int
) -> tuple[cudaError_t, cudaChannelFormatDesc]:
    """A texel of numbers of so many bits: (8, 8, 8, 8, cudaChannelFormatKindUnsigned) is a uchar4."""
    return SUCCESS, cudaChannelFormatDesc(x, y, z, w, f)


def cudaMallocArray(
    desc: cudaChannelFormatDesc, width: int, height: int = 0, flags: int = cudaArrayDefault
) -> tuple[cudaError_t, cudaArray]:
    """A CUDA array of one row of texels, or of `height` rows. For surfaces it needs the flag."""
    element, numbers = _channel(desc)
    across = whole(width, f"{INVALID}: a width", least=1)
    down = whole(height, f"{INVALID}: a height", least=0)
    if flags not in (cudaArrayDefault, cudaArraySurfaceLoadStore):
        raise LaunchError(f"{INVALID}: flags are 0 or cudaArraySurfaceLoadStore (2), not {flags!r}")
    pitch = -(-across * numbers * element.itemsize // ROW_ALIGNMENT) * ROW_ALIGNMENT
    memory = device_array(pitch * max(down, 1), np.uint8)
    return SUCCESS, cudaArray(Texels(memory.gpu_data, element, numbers, across, down, pitch), flags)


def cudaFreeArray(array: cudaArray) -> Done:
    """Give it back, after the host has waited for all work."""
    streams.synchronize()
    _array(array).texels.allocation.free()
    return (SUCCESS,)


def cudaMemcpy2DToArray(
    dst: cudaArray,
    wOffset: int,
    hOffset: int,
    src: Any,
    spitch: int,
    width: int,
    height: int,
    kind: int = CHOSEN,
) -> Done:
    """Copy rows of `width` bytes, which begin every `spitch` bytes, to byte `wOffset` of row `hOffset`."""
    window, rows = _parts("cudaMemcpy2DToArray", dst, wOffset, hOffset, src, spitch, width, height)
    moved("cudaMemcpy2DToArray", dst.texels.allocation, window, allocation_of(src), rows, kind)
    return (SUCCESS,)


def cudaMemcpy2DFromArray(
    dst: Any,
    dpitch: int,
    src: cudaArray,
    wOffset: int,
    hOffset: int,
    width: int,
    height: int,
    kind: int = CHOSEN,
) -> Done:
    """The other way."""
    window, rows = _parts("cudaMemcpy2DFromArray", src, wOffset, hOffset, dst, dpitch, width, height)
    moved("cudaMemcpy2DFromArray", allocation_of(dst), rows, src.texels.allocation, window, kind)
    return (SUCCESS,)


def cudaMemcpyToArray(
    dst: cudaArray, wOffset: int, hOffset: int, src: Any, count: int, kind: int = CHOSEN
) -> Done:
    """Copy bytes to a part of one row, or to whole rows."""
    row = _array(dst).texels.width * dst.texels.bytes
    rows, rest = (1, 0) if wOffset or count < row else divmod(count, row)
    if rest:
        raise LaunchError(f"{INVALID}: {count} bytes are no whole rows of {row}: use cudaMemcpy2DToArray")
    return cudaMemcpy2DToArray(dst, wOffset, hOffset, src, count // rows, count // rows, rows, kind)


def _parts(
    name: str, array: cudaArray, x: int, y: int, memory: Any, pitch: int, width: int, height: int
) -> tuple[Any, Any]:
    """The bytes of a CUDA array that a copy means, and those of other memory: (height, width)."""
    texels = _array(array).texels
    row, rows = texels.width * texels.bytes, max(texels.height, 1)
    for number in (x, y, width, height, pitch):
        whole(number, f"{INVALID}: {name} takes numbers of bytes and rows", least=0)
    if x + width > row or y + height > rows or pitch < width:
        raise LaunchError(
            f"{INVALID}: {name} is to move {height} rows of {width} bytes, of every {pitch}, at byte {x} of "
            f"row {y}; the array has {rows} of {row}"
        )
    flat = octets_of(name, memory, (height - 1) * pitch + width if height else 0)
    window = texels.allocation.data.reshape(rows, texels.pitch_bytes)[y : y + height, x : x + width]
    return window, np.lib.stride_tricks.as_strided(flat, (height, width), (pitch, 1))


def _array(given: Any) -> cudaArray:
    if not isinstance(given, cudaArray):
        raise LaunchError(f"cudaErrorInvalidResourceHandle: {given!r} is not what cudaMallocArray gave")
    if not given.texels.allocation.live:
        raise LaunchError("cudaErrorInvalidResourceHandle: this CUDA array was freed")
    return given


def _channel(desc: Any) -> tuple[np.dtype[Any], int]:
    """The NumPy type of a number, and how many a texel has."""
    if isinstance(desc, cudaChannelFormatDesc):
        given = [desc.x, desc.y, desc.z, desc.w]
        numbers, kind = sum(map(bool, given)), member(cudaChannelFormatKind, desc.f)
        known = given == [desc.x] * numbers + [0] * (4 - numbers) and numbers in (1, 2, 4)
        if known and desc.x in ((32,) if kind == 2 else (8, 16, 32)):
            return np.dtype(f"{'iuf'[kind]}{desc.x // 8}"), numbers
    raise LaunchError(
        "cudaErrorInvalidChannelDescriptor: a texel is 1, 2 or 4 numbers alike, integers of 8, 16 or 32 bits "
        f"or floats of 32, not {desc!r}"
    )


# objects ----------------------------------------------------------------------------------------------------


def cudaCreateTextureObject(
    pResDesc: cudaResourceDesc, pTexDesc: cudaTextureDesc, pResViewDesc: None = None
) -> tuple[cudaError_t, int]:
    """A texture over an array or linear memory; the number is what a kernel takes."""
    texels, how = _texels(pResDesc), pTexDesc
    linear = bool(member(cudaTextureFilterMode, how.filterMode))
    as_float = bool(member(cudaTextureReadMode, how.readMode)) and texels.element.kind != "f"
    if as_float and texels.element.itemsize == 4:
        raise LaunchError("cudaErrorInvalidNormSetting: integers of 32 bits are not read as 0 to 1")
    if not texels.pitch_bytes:  # linear memory: all else is ignored
        return SUCCESS, _made(Texture(texels, (Axis(texels.width, "border"),), as_float))
    if linear and not (as_float or texels.element.kind == "f"):
        hint = "set readMode to cudaReadModeNormalizedFloat"
        raise LaunchError(f"cudaErrorInvalidFilterSetting: integers are not filtered: {hint}")
    axes = list[Axis]()
    for size, mode in zip((texels.width, texels.height), how.addressMode, strict=False):
        addressing = member(cudaTextureAddressMode, mode).name.removeprefix("cudaAddressMode").lower()
        if size and addressing in ("wrap", "mirror") and not how.normalizedCoords:
            raise LaunchError(
                f"{INVALID}: CUDA does not {addressing} coordinates in texels, but clamps them: set "
                "addressMode to cudaAddressModeClamp or …Border for each axis, or normalizedCoords to 1"
            )
        axes += [Axis(size, addressing, linear, bool(how.normalizedCoords))] * bool(size)
    if pResViewDesc is not None or len(axes) != 1 + bool(texels.height):
        raise LaunchError(f"{INVALID}: addressMode has a mode for each axis, and pResViewDesc is None")
    return SUCCESS, _made(Texture(texels, tuple(axes), as_float))


def cudaCreateSurfaceObject(pResDesc: cudaResourceDesc) -> tuple[cudaError_t, int]:
    """A surface over an array that was made with `cudaArraySurfaceLoadStore`."""
    texels = _texels(pResDesc)
    if not texels.pitch_bytes or not _array(pResDesc.res.array.array).flags:
        raise LaunchError(f"{INVALID}: a surface takes a cudaMallocArray(…, cudaArraySurfaceLoadStore)")
    return SUCCESS, _made(Surface(texels))


def cudaDestroyTextureObject(texObject: int) -> Done:
    """No kernel may use it any more; its memory stays."""
    return _destroyed(texObject, Texture)


def cudaDestroySurfaceObject(surfObject: int) -> Done:
    """No kernel may use it any more; its array stays."""
    return _destroyed(surfObject, Surface)


def _made(made: TexelObject) -> int:
    objects = settings.memory().objects
    objects.append(made)
    return len(objects)


def _destroyed(handle: int, kind: type[TexelObject]) -> Done:
    objects = settings.memory().objects
    if not is_whole(handle) or not 0 < handle <= len(objects) or not isinstance(objects[handle - 1], kind):
        raise LaunchError(f"{INVALID}: {handle!r} is no {kind.called} object, or none any more")
    objects[handle - 1] = None
    return (SUCCESS,)


def _texels(resource: cudaResourceDesc) -> Texels:
    """Where the texels of a resource lie."""
    if member(cudaResourceType, resource.resType) is cudaResourceType.cudaResourceTypeArray:
        return _array(resource.res.array.array).texels
    over = resource.res.linear
    element, numbers = _channel(over.desc)
    size = numbers * element.itemsize
    given = whole(over.sizeInBytes, f"{INVALID}: sizeInBytes", least=size)
    if not isinstance(over.devPtr, DeviceNDArray) or given > over.devPtr.nbytes:
        raise LaunchError(
            f"{INVALID}: devPtr is an array on the device of at least {given} bytes: {over.devPtr}"
        )
    allocation = over.devPtr.gpu_data
    if not allocation.live:
        raise LaunchError(f"{INVALID}: the memory of devPtr was freed")
    first = int(over.devPtr.device_ctypes_pointer.value or 0) - allocation.address
    if first % size:
        raise LaunchError(f"{INVALID}: devPtr begins at byte {first} of its memory, no multiple of {size}")
    return Texels(allocation, element, numbers, given // size, first=first)
