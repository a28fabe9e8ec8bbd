"""What do textures and surfaces give, what do they count, and what do they refuse?

The reference is the CUDA C++ Programming Guide, "Texture Fetching", number by number.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import (
    AccessError,
    KernelTypeError,
    LaunchError,
    OutOfBounds,
    UnsupportedConstruct,
    UseAfterFree,
)

KINDS = {"i": 0, "u": 1, "f": 2}
WRAP, CLAMP, MIRROR, BORDER = range(4)
WEIGHTS_OFF = 0.012  # of 1: a 512th on each axis, twice that where normalized coordinates are cut
POINT, LINEAR = range(2)
SURFACES = cudart.cudaArraySurfaceLoadStore
TEXT = "\n".join(
    f"""
__global__ void one_{T}(cudaTextureObject_t t, const float* x, {T}* out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<{T}>(t, x[i]);
}}
__global__ void two_{T}(cudaTextureObject_t t, const float2* at, {T}* out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<{T}>(t, at[i].x, at[i].y);
}}
__global__ void linear_{T}(cudaTextureObject_t t, {T}* out, int first) {{
    out[threadIdx.x] = tex1Dfetch<{T}>(t, threadIdx.x + first);
}}"""
    for T in ("float", "float2", "float4", "uchar4", "short2", "int")
)
MODULE = gpusim.RawModule(code=TEXT)


def an_array(values, flags=0, numbers=1):
    """A CUDA array that holds these."""
    bits = [8 * values.itemsize] * numbers + [0] * (4 - numbers)
    _, desc = cudart.cudaCreateChannelDesc(*bits, KINDS[values.dtype.kind])
    rows = values.reshape(-1, *values.shape[values.ndim - (numbers > 1) - 1 :])
    height = len(rows) if values.ndim - (numbers > 1) == 2 else 0
    _, array = cudart.cudaMallocArray(desc, rows.shape[1], height, flags)
    row = rows[0].nbytes
    cudart.cudaMemcpy2DToArray(array, 0, 0, values, row, row, len(rows))
    return array


def over(array):
    resource = cudart.cudaResourceDesc()
    resource.res.array.array = array
    return resource


def a_texture(array, addressing=CLAMP, filtering=POINT, normalized=False, as_float=False):
    how = cudart.cudaTextureDesc()
    how.addressMode = [addressing] * 2
    how.filterMode, how.normalizedCoords, how.readMode = filtering, int(normalized), int(as_float)
    return cudart.cudaCreateTextureObject(over(array), how, None)[1]


def sampled(texture, x, kernel="one_float", numbers=1, dtype=np.float32):
    x = np.asarray(x, np.float32)
    out = np.zeros((len(x), numbers), dtype)
    MODULE.get_function(kernel)((-(-len(x) // 64),), (64,), (texture, x, out, len(x)))
    return out[:, 0] if numbers == 1 else out


# worked examples --------------------------------------------------------------------------------------------


def test_a_signal_between_and_outside_its_samples():
    signal = an_array(np.array([10, 20, 40, 80], np.float32))
    linear, point = a_texture(signal, CLAMP, LINEAR), a_texture(signal)
    assert sampled(linear, [-3, 0, 0.5, 1, 1.5, 2.25, 3.5, 4, 99]).tolist() == [
        10,
        10,
        10,
        15,
        20,
        35,
        80,
        80,
        80,
    ]
    assert sampled(point, [-3, 0, 0.99, 1, 3.99, 4, np.inf, np.nan]).tolist() == [
        10,
        10,
        10,
        20,
        80,
        80,
        80,
        10,
    ]


@pytest.mark.parametrize(
    ("addressing", "normalized", "expected"),
    [
        (BORDER, False, [0, 0, 1, 4, 0, 0]),
        (CLAMP, True, [1, 1, 1, 4, 4, 4]),
        (WRAP, True, [1, 4, 1, 4, 1, 3]),
        (MIRROR, True, [4, 1, 1, 4, 4, 2]),
    ],
)
def test_what_is_outside(addressing, normalized, expected):
    texture = a_texture(an_array(np.array([1, 2, 3, 4], np.int32)), addressing, POINT, normalized)
    places = np.array([-3.5, -0.5, 0.5, 3.5, 4.5, 6.5]) / (4 if normalized else 1)
    assert sampled(texture, places, "one_int", dtype=np.int32).tolist() == expected


def test_bytes_are_read_as_zero_to_one():
    colours = np.array([[0, 51, 102, 255]] * 2, np.uint8)
    texture = a_texture(an_array(colours, numbers=4), as_float=True)
    expected = np.array([0, 51, 102, 255]) / np.float32(255)
    np.testing.assert_array_equal(sampled(texture, [0.5], "one_float4", 4)[0], expected.astype(np.float32))
    signed = a_texture(an_array(np.array([[-128, -127], [0, 127]], np.int8), numbers=2), as_float=True)
    assert sampled(signed, [0.5, 1.5], "one_float2", 2).tolist() == [[-1, -1], [0, 1]]
    assert sampled(a_texture(an_array(colours, numbers=4)), [1.5], "one_uchar4", 4, np.uint8).tolist() == [
        [0, 51, 102, 255]
    ]


def test_linear_memory_is_fetched_by_whole_numbers_and_zero_outside():
    memory = cuda.to_device(np.arange(1, 21, dtype=np.int16))
    resource = cudart.cudaResourceDesc()
    resource.resType = cudart.cudaResourceType.cudaResourceTypeLinear
    resource.res.linear.devPtr, resource.res.linear.sizeInBytes = memory[2:], 32
    _, resource.res.linear.desc = cudart.cudaCreateChannelDesc(16, 16, 0, 0, 0)
    _, texture = cudart.cudaCreateTextureObject(resource, cudart.cudaTextureDesc(), None)
    out = np.zeros((32, 2), np.int16)
    MODULE.get_function("linear_short2")((1,), (32,), (texture, out, -1))
    assert out.tolist() == [[0, 0], *([n, n + 1] for n in range(3, 19, 2)), *[[0, 0]] * 23]


BOX = gpusim.RawModule(
    code="""
__global__ void box(cudaSurfaceObject_t in, cudaSurfaceObject_t out, cudaSurfaceBoundaryMode mode) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            float value;
            surf2Dread(&value, in, (x + i) * 4, y + j, mode);
            sum += value;
        }
    surf2Dwrite(sum / 9, out, x * 4, y, mode);
}
__global__ void reversed(cudaSurfaceObject_t s, int n) {
    int i = threadIdx.x, x = i * (int)sizeof(uchar4);
    if (i >= n / 2) return;
    uchar4 mine = surf1Dread<uchar4>(s, x), other = surf1Dread<uchar4>(s, (n - 1 - i) * 4);
    surf1Dwrite(other, s, x);
    surf1Dwrite(mine, s, (n - 1 - i) * 4);
}
__global__ void write(cudaSurfaceObject_t s, int step) { surf2Dwrite(1.f, s, threadIdx.x * step, 0); }
__global__ void choose(cudaTextureObject_t a, cudaTextureObject_t b, float* out) {
    int i = threadIdx.x;
    if (i < 40) out[i] = tex1D<float>(i % 2 ? a : b, i + 0.5f);
}
__global__ void twice(cudaTextureObject_t t, float* out) {
    int i = threadIdx.x;
    out[i] = tex1D<float>(t, i + 1.0f) + tex1D<float>(t, i + 1.0f);
}
"""
)


@pytest.mark.parametrize(("mode", "padding"), [(0, "constant"), (1, "edge")])
def test_a_box_filter_by_surfaces(mode, padding):
    picture = np.random.default_rng(2).random((8, 20), np.float32)
    here, there = an_array(picture, SURFACES), an_array(np.zeros_like(picture), SURFACES)
    handles = [cudart.mcCreateSurfaceObject(over(array))[1] for array in (here, there)]
    BOX.get_function("box")((1,), (20, 8), (*handles, mode))
    wide, result = np.pad(picture, 1, mode=padding), np.zeros_like(picture)
    cudart.cudaMemcpy2DFromArray(result, 80, there, 0, 0, 80, 8)
    expected = sum(wide[j : j + 8, i : i + 20] for j, i in product(range(3), repeat=2)) / np.float32(9)
    np.testing.assert_array_equal(result, expected)


def test_a_surface_of_one_row_is_reversed_in_place():
    colours = np.arange(44, dtype=np.uint8).reshape(11, 4)
    array, back = an_array(colours, SURFACES, numbers=4), np.zeros_like(colours)
    BOX.get_function("reversed")((1,), (32,), (cudart.cudaCreateSurfaceObject(over(array))[1], 11))
    cudart.cudaMemcpy2DFromArray(back, 44, array, 0, 0, 44, 1)
    assert back.tolist() == colours[::-1].tolist()


@pytest.mark.parametrize("device", ["K40", "P100", "H200", "MetaX C500"])
def test_lanes_may_fetch_from_different_textures(device):
    with gpusim.profile(device=device):
        one, other = (a_texture(an_array(np.arange(40, dtype=np.float32) + n)) for n in (0, 100))
        out = np.zeros(64, np.float32)
        BOX.get_function("choose")((1,), (64,), (one, other, out))
    assert out.tolist() == [i + (0 if i % 2 else 100) for i in range(40)] + [0] * 24


# against the guide's formulas -------------------------------------------------------------------------------


def guide(picture, place, addressing, filtering, normalized):
    """One fetch, of a picture of one or two dimensions, as the guide writes it."""
    extents = picture.shape[::-1]
    place = [float(x) * n if normalized else float(x) for x, n in zip(place, extents, strict=True)]

    def texel(*index):
        meant = []
        for i, n in zip(index, extents, strict=True):
            if addressing == BORDER and not 0 <= i < n:
                return 0.0
            round_, rest = divmod(i, n)
            kept = {WRAP: rest, MIRROR: n - 1 - rest if round_ % 2 else rest}
            meant.append(kept.get(addressing, min(max(i, 0), n - 1)))
        return float(picture[tuple(meant[::-1])])

    if filtering == POINT:
        return texel(*(math.floor(x) for x in place))
    low = [math.floor(x - 0.5) for x in place]
    part = [math.floor((x - 0.5 - i) * 256 + 0.5) / 256 for x, i in zip(place, low, strict=True)]
    a, i = part[0], low[0]
    if len(place) == 1:
        return (1 - a) * texel(i) + a * texel(i + 1)
    b, j = part[1], low[1]
    return (
        (1 - a) * (1 - b) * texel(i, j)
        + a * (1 - b) * texel(i + 1, j)
        + (1 - a) * b * texel(i, j + 1)
        + a * b * texel(i + 1, j + 1)
    )


@pytest.mark.parametrize("shape", [(7,), (5, 3), (4, 16)])
@pytest.mark.parametrize("filtering", [POINT, LINEAR])
@pytest.mark.parametrize(
    ("addressing", "normalized"),
    [(CLAMP, False), (CLAMP, True), (BORDER, False), (BORDER, True), (WRAP, True), (MIRROR, True)],
)
def test_random_places_are_fetched_as_the_guide_says(shape, filtering, addressing, normalized):
    rng = np.random.default_rng(len(shape) + 10 * addressing + filtering)
    picture = rng.random(shape, np.float32)
    texture = a_texture(an_array(picture), addressing, filtering, normalized)
    sizes = np.ones(len(shape)) if normalized else np.array(shape[::-1])
    places = (rng.uniform(-2, 3, (100, len(shape))) * sizes).astype(np.float32)
    kernel = ("one_float", "two_float")[len(shape) - 1]
    expected = [guide(picture, place, addressing, filtering, normalized) for place in places]
    found = sampled(texture, places if len(shape) > 1 else places[:, 0], kernel)
    off = WEIGHTS_OFF if filtering else 0  # a GPU's weights have 8 bits
    np.testing.assert_allclose(found, np.array(expected, np.float32), rtol=0, atol=off)


def test_magnified_pictures_are_bilinear_in_every_component():
    picture = np.random.default_rng(4).integers(0, 256, (3, 4, 4), dtype=np.uint8)
    texture = a_texture(an_array(picture, numbers=4), CLAMP, LINEAR, True, as_float=True)
    places = np.stack(np.meshgrid((np.arange(16) + 0.5) / 16, (np.arange(12) + 0.5) / 12), -1).reshape(-1, 2)
    found = sampled(texture, places, "two_float4", 4)
    for number in range(4):
        one = picture[..., number] / 255
        expected = [guide(one, place, CLAMP, LINEAR, True) for place in places.astype(np.float32)]
        np.testing.assert_allclose(found[:, number], expected, rtol=0, atol=WEIGHTS_OFF)


# counted ----------------------------------------------------------------------------------------------------


def test_a_fetch_is_one_instruction_and_counts_the_sectors_of_all_its_texels():
    """32 lanes between 33 floats: 132 bytes, five sectors. The second fetch finds them in the cache."""
    array = an_array(np.arange(64, dtype=np.float32))
    with gpusim.profile(caches=True) as run:
        BOX.get_function("twice")((1,), (32,), (a_texture(array, CLAMP, LINEAR), np.zeros(32, np.float32)))
    assert (run.texture_requests, run.texture_sectors, run.texture_sector_hits) == (2, 10, 5)
    assert (run.global_load_requests, run.global_store_requests, run.constant_load_requests) == (0, 1, 0)
    text = BOX.get_function("twice").inspect_ir()
    assert text.count("tex.f32 ") == 2
    assert "ld." not in text
    assert "textures" in repr(run)


def test_before_maxwell_textures_have_a_cache_of_their_own():
    with gpusim.profile(device="K40", caches=True) as run:
        texture = a_texture(an_array(np.arange(64, dtype=np.float32)))
        BOX.get_function("twice")((1,), (32,), (texture, np.zeros(32, np.float32)))
    assert (run.texture_sectors, run.texture_sector_hits, run.l1_load_sector_hits) == (10, 5, 0)


def test_surfaces_count_as_textures_do():
    array = an_array(np.zeros((1, 32), np.float32), SURFACES)
    with gpusim.profile() as run:
        BOX.get_function("write")((1,), (32,), (cudart.cudaCreateSurfaceObject(over(array))[1], 4))
    assert (run.texture_requests, run.texture_sectors, run.global_store_requests) == (1, 4, 0)
    assert run.timing().seconds > 0


def test_checkers_see_through_objects():
    _, desc = cudart.cudaCreateChannelDesc(32, 0, 0, 0, 2)
    _, array = cudart.cudaMallocArray(desc, 32, 0, 0)
    with gpusim.sanitize() as found:
        sampled(a_texture(array), np.arange(8))
    assert [finding.tool for finding in found.findings] == ["initcheck"]


# refused ----------------------------------------------------------------------------------------------------


def test_handles_types_and_places_that_do_not_fit_are_told_at_the_line():
    floats = an_array(np.zeros((2, 8), np.float32), SURFACES)
    texture, surface = a_texture(floats), cudart.cudaCreateSurfaceObject(over(floats))[1]
    two, write = MODULE.get_function("two_int"), BOX.get_function("write")
    arguments = np.zeros(64, np.float32), np.zeros(32, np.int32), 32
    with pytest.raises(AccessError, match=r"calls tex2D of 0, which is no texture object"):
        two((1,), (32,), (0, *arguments))
    with pytest.raises(AccessError, match=r"calls tex2D of a surface object, which is no texture object"):
        two((1,), (32,), (surface, *arguments))
    with pytest.raises(AccessError, match=r"calls tex2D of a texture of 1 x 32 bits, float, for 1 x s32"):
        two((1,), (32,), (texture, *arguments))
    with pytest.raises(
        AccessError, match=r"calls tex1D of a texture object over a CUDA array of 2(.|\n)*use tex2D"
    ):
        sampled(texture, [1])
    with pytest.raises(
        OutOfBounds, match=r"thread \(8, 0, 0\).*writes 4 bytes at byte 32 of row 0.*2 rows of 32"
    ):
        write((1,), (32,), (surface, 4))
    with pytest.raises(AccessError, match=r"for 4 bytes at byte 1(.|\n)*x counts bytes"):
        write((1,), (32,), (surface, 1))
    cudart.cudaDestroyTextureObject(texture)
    with pytest.raises(UseAfterFree, match="calls tex2D of a texture object that was destroyed"):
        two((1,), (32,), (texture, *arguments))
    cudart.cudaFreeArray(floats)
    with pytest.raises(UseAfterFree, match="of a surface whose memory was freed"):
        write((1,), (1,), (surface, 4))
    with pytest.raises(LaunchError, match="no texture object, or none any more"):
        cudart.cudaDestroyTextureObject(texture)


def test_memory_that_was_freed_is_no_array_any_more():
    array, (_, memory) = an_array(np.zeros(8, np.float32)), cudart.cudaMalloc(32)
    linear = cudart.cudaResourceDesc(cudart.cudaResourceType.cudaResourceTypeLinear)
    linear.res.linear.devPtr, linear.res.linear.sizeInBytes = memory, 32
    _, linear.res.linear.desc = cudart.cudaCreateChannelDesc(32, 0, 0, 0, KINDS["f"])
    cudart.cudaFreeArray(array)
    cudart.cudaFree(memory)
    for use in (
        lambda: cudart.cudaFreeArray(array),
        lambda: cudart.cudaMemcpy2DFromArray(np.zeros(8, np.float32), 32, array, 0, 0, 32, 1),
        lambda: a_texture(array),
        lambda: cudart.cudaCreateTextureObject(linear, cudart.cudaTextureDesc(), None),
    ):
        with pytest.raises(LaunchError, match="was freed"):
            use()


def test_what_cuda_does_not_make_is_refused_when_it_is_asked_for():
    whole, real = an_array(np.zeros(8, np.int32)), an_array(np.zeros(8, np.float32))
    with pytest.raises(LaunchError, match="CUDA does not wrap coordinates in texels, but clamps them"):
        a_texture(real, WRAP)
    with pytest.raises(LaunchError, match="cudaErrorInvalidFilterSetting: integers are not filtered"):
        a_texture(whole, CLAMP, LINEAR)
    with pytest.raises(LaunchError, match="cudaErrorInvalidNormSetting"):
        a_texture(whole, as_float=True)
    with pytest.raises(LaunchError, match="cudaArraySurfaceLoadStore"):
        cudart.cudaCreateSurfaceObject(over(real))
    with pytest.raises(LaunchError, match="is not what cudaMallocArray gave"):
        cudart.cudaCreateTextureObject(cudart.cudaResourceDesc(), cudart.cudaTextureDesc(), None)
    with pytest.raises(LaunchError, match="cudaErrorInvalidChannelDescriptor"):
        cudart.cudaMallocArray(cudart.cudaCreateChannelDesc(32, 32, 32, 0, 2)[1], 4)
    with pytest.raises(LaunchError, match="36 bytes are no whole rows of 32"):
        cudart.cudaMemcpyToArray(real, 0, 0, np.zeros(9, np.float32), 36)
    with pytest.raises(AttributeError):
        cudart.cudaTextureDesc().filtermode = 1


@pytest.mark.parametrize("type_", ["double", "float3"])
def test_types_that_no_texel_has_are_refused(type_):
    text = f"__global__ void k(cudaTextureObject_t t, {type_}* x) {{ x[0] = tex2D<{type_}>(t, 0, 0); }}"
    with pytest.raises(KernelTypeError, match="`tex2D` of a type that no texel has"):
        gpusim.RawModule(code=text).get_function("k").inspect_ir()


def test_objects_need_compute_capability_3_0():
    with gpusim.profile(device="C2050"), pytest.raises(UnsupportedConstruct, match=r"3\.0"):
        sampled(1, [0])


def test_one_warp_may_take_its_texture_from_a_table():
    kernel = gpusim.RawModule(
        code="""extern "C" __global__ void from_a_table(const unsigned long long* table, float* out) {
        out[threadIdx.x] = tex1D<float>(table[blockIdx.x], threadIdx.x + 0.5f); }"""
    ).get_function("from_a_table")
    row = np.arange(32, dtype=np.float32)
    out = np.zeros(32, np.float32)
    kernel((1,), (32,), (np.array([a_texture(an_array(row))], np.uint64), out))
    assert (out == row).all()


def test_racecheck_knows_that_a_surface_is_written():
    kernel = gpusim.RawModule(
        code='extern "C" __global__ void k(cudaSurfaceObject_t s) { surf1Dwrite((float)threadIdx.x, s, 0); }'
    ).get_function("k")
    array = an_array(np.zeros(32, np.float32), flags=cudart.cudaArraySurfaceLoadStore)
    _, surface = cudart.cudaCreateSurfaceObject(over(array))
    with gpusim.sanitize("racecheck") as report:
        kernel((1,), (32,), (surface,))
    (found,) = report.findings
    assert found.hazard == "WAW"
    assert "let one of them do it" in found.hint
    assert "atomic" not in found.hint


STALE = """
__global__ void fetch(float* x, cudaTextureObject_t t) { x[4] = tex1Dfetch<float>(t, 0); }
__global__ void store(float* x) { x[0] = 5; }
__global__ void parent(float* x, cudaTextureObject_t t) { STATEMENT }
"""


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("x[0] = 5; x[4] = tex1Dfetch<float>(t, 0);", 4),
        ("x[0] = 5; __syncthreads(); x[4] = tex1Dfetch<float>(t, 0);", 4),
        ("x[0] = 5; fetch<<<1, 1>>>(x, t);", None),
        ("store<<<1, 1>>>(x); fetch<<<1, 1>>>(x, t);", None),
        ("store<<<1, 1>>>(x); cudaDeviceSynchronize(); x[4] = tex1Dfetch<float>(t, 0);", None),
    ],
)
def test_what_a_grid_wrote_itself_a_texture_need_not_show(statement, line):
    """A launch, and the end of a child, bring it there."""
    memory = cuda.to_device(np.zeros(8, np.float32))
    linear = cudart.cudaResourceDesc(cudart.cudaResourceType.cudaResourceTypeLinear)
    linear.res.linear.devPtr, linear.res.linear.sizeInBytes = memory, 32
    _, linear.res.linear.desc = cudart.cudaCreateChannelDesc(32, 0, 0, 0, KINDS["f"])
    _, texture = cudart.cudaCreateTextureObject(linear, cudart.cudaTextureDesc(), None)
    with gpusim.use(cdp=1), gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=STALE.replace("STATEMENT", statement)).get_function("parent")[1, 1](
            memory, texture
        )
    assert [one.lines for one in report] == ([] if line is None else [(line, line)])
    assert not report.findings or "need not show" in report.findings[0].message


@pytest.mark.parametrize("filtering", [POINT, LINEAR])
def test_one_coordinate_may_be_the_same_for_all_lanes(filtering):
    code = """__global__ void row(cudaTextureObject_t t, float* out, float y) {
        out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, y);
        out[4 + threadIdx.x] = tex2D<float>(t, 1.5f, threadIdx.x + 0.5f);
    }"""
    picture, out = np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros(8, np.float32)
    texture = a_texture(an_array(picture), filtering=filtering)
    gpusim.RawKernel(code, "row")((1,), (4,), (texture, out, 2.5))
    assert out.tolist() == [*picture[2], *picture[:, 1]]
