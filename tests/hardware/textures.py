"""What does a texture give between and outside its texels, here and on an H200? By `textures.json`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import gpusim
from gpusim import cudart

Row = list[Any]

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "textures.json").read_text())
# as probes/textures.cu fills them: type of a texel's numbers, numbers, and rows
TEXELS = {
    "column": np.array([3, -1.5, 100, 0.25, 7, 1e6, -42, 0.1], np.float32),
    "ramp": np.arange(4099, dtype=np.float32),
    "plane": ((np.arange(30) * 37) % 101 - 50).astype(np.float32).reshape(5, 6),
    "grey": np.array([0, 255, 1, 254, 128, 7, 100, 33], np.uint8),
    "heights": (np.arange(8) * 9001 - 32768).astype(np.int16),
    "colours": ((np.arange(120) * 73) % 256).astype(np.uint8).reshape(5, 6, 4),
}
MODES = "cudaAddressModeWrap", "cudaAddressModeClamp", "cudaAddressModeMirror", "cudaAddressModeBorder"
KINDS = {"f": "Float", "u": "Unsigned", "i": "Signed"}
CLAMP, BORDER = 1, 3
ADDED_IN_ANOTHER_ORDER = {"rtol": 2e-7, "atol": 1e-9}  # where float texels of very different sizes meet


@cache
def module() -> gpusim.RawModule:
    return gpusim.RawModule(
        code="""
template <class T> __global__ void one(cudaTextureObject_t t, const float* x, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(t, x[i]);
}
template <class T> __global__ void two(cudaTextureObject_t t, const float* x, const float* y, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, x[i], y[i]);
}
"""
    )


def texture(name: str, addressing: int, linear: int, normalized: int) -> Any:
    """A texture object as the recorded program made it."""
    texels = TEXELS[name]
    numbers = texels.shape[2] if texels.ndim == 3 else 1
    bits = [8 * texels.itemsize] * numbers + [0] * (4 - numbers)
    kind = getattr(cudart.cudaChannelFormatKind, f"cudaChannelFormatKind{KINDS[texels.dtype.kind]}")
    width, height = (texels.shape[1], texels.shape[0]) if texels.ndim > 1 else (texels.shape[0], 0)
    _, array = cudart.cudaMallocArray(cudart.cudaCreateChannelDesc(*bits, kind)[1], width, height, 0)
    row = width * numbers * texels.itemsize
    how = cudart.cudaMemcpyKind.cudaMemcpyHostToDevice
    cudart.cudaMemcpy2DToArray(array, 0, 0, texels, row, row, height or 1, how)
    where, asked = cudart.cudaResourceDesc(), cudart.cudaTextureDesc()
    where.resType = cudart.cudaResourceType.cudaResourceTypeArray
    where.res.array.array = array
    asked.addressMode = [getattr(cudart.cudaTextureAddressMode, MODES[addressing])] * 2
    asked.filterMode = linear
    asked.normalizedCoords = normalized
    if texels.dtype.kind != "f":
        asked.readMode = cudart.cudaTextureReadMode.cudaReadModeNormalizedFloat
    return cudart.cudaCreateTextureObject(where, asked, None)[1]


def fetched(
    name: str, addressing: int, linear: int, normalized: int, places: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The numbers at these places, (fetches, numbers)."""
    numbers = TEXELS[name].shape[2] if TEXELS[name].ndim == 3 else 1
    out = np.zeros((len(places), numbers), np.float32)
    axes = [np.ascontiguousarray(axis) for axis in places.T[: min(TEXELS[name].ndim, 2)]]
    kernel = module().get_function(f"{('one', 'two')[len(axes) - 1]}<float{numbers if numbers > 1 else ''}>")
    kernel((1,), (len(places),), (texture(name, addressing, linear, normalized), *axes, out, len(places)))
    return out


class Fetches(NamedTuple):
    """Fetches of a texture: what it gave there, and what it gives here. (fetches, numbers) floats."""

    name: str
    linear: int
    recorded: npt.NDArray[np.float32]
    here: npt.NDArray[np.float32]

    @property
    def equal(self) -> int:
        near = {"rtol": 0.0, "atol": 0.0} if self.name != "column" else ADDED_IN_ANOTHER_ORDER
        return int(np.isclose(self.here, self.recorded, **near).all(axis=1).sum())


def is_refused(row: Row) -> bool:
    """A GPU clamps without a word where coordinates in texels are to be wrapped or mirrored."""
    _name, addressing, _linear, normalized, _fetches = row
    return not normalized and addressing not in (CLAMP, BORDER)


def compared(row: Row) -> Fetches:
    """What a recorded row of fetches gives here."""
    name, addressing, linear, normalized, fetches = row
    places = np.array([fetch[:2] for fetch in fetches], np.float32)
    bits = [[int(number, 16) for number in fetch[2:]] for fetch in fetches]
    here = fetched(name, CLAMP if is_refused(row) else addressing, linear, normalized, places)
    return Fetches(name, linear, np.array(bits, np.uint32).view(np.float32), here)
