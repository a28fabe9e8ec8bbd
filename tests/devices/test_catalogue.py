"""The catalogue of devices, against figures that can be checked by hand in the documents it cites."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from gpusim import devices
from gpusim.devices import CATALOGUE, Device, get
from gpusim.errors import GpuSimError, UnknownDevice

KIB = 1024
FIELDS = [f.name for f in dataclasses.fields(Device) if f.name != "sources"]
RECORDING = Path(__file__).parent.parent / "hardware" / "occupancy.json"


@pytest.fixture(params=devices.names())
def device(request: pytest.FixtureRequest) -> Device:
    return get(request.param)


def carveouts_kib(name: str) -> tuple[int, ...]:
    return tuple(size // KIB for size in get(name).carveouts_bytes)


# Every figure has its source.


def test_every_field_has_a_source(device: Device) -> None:
    assert list(device.sources) == FIELDS
    assert all(source.strip() for source in device.sources.values())


def test_assumptions_are_few_but_for_the_metax_device() -> None:
    assumed = {name: get(name).assumed_fields for name in devices.names() if get(name).assumed_fields}
    c500 = assumed.pop("MetaX C500")
    assert assumed == {
        "G80": ("shared_bytes_reserved_per_block",),
        "GT200": ("shared_bytes_reserved_per_block",),
        "C2050": ("memory_rule", "l1_caches"),
        "TX2": ("load_store_units",),
    }
    assert "scheduling" in c500
    assert not {"warp_size", "multiprocessors", "shared_bytes_per_block"} & set(c500)


def test_an_overruled_figure_does_not_keep_its_old_source() -> None:
    assert get("H200").sources["shared_bytes_per_block_optin"].startswith("measured")
    assert not get("H100").sources["shared_bytes_per_block_optin"].startswith("measured")


# Figures by hand.


def test_g80_is_the_device_of_the_first_cuda_articles() -> None:
    g80 = get("G80")
    assert (g80.product_name, g80.compute_capability) == ("GeForce 8800 GTX", (1, 0))
    assert (g80.multiprocessors, g80.fp32_units) == (16, 8)  # 128 cores
    assert (g80.max_threads_per_multiprocessor, g80.max_warps_per_multiprocessor) == (768, 24)
    assert (g80.registers_per_multiprocessor, g80.register_allocation_granularity) == (8192, "block")
    assert (g80.shared_banks, g80.bank_group_lanes, g80.shared_bytes_per_block) == (16, 16, 16 * KIB)
    assert g80.max_threads_per_block == 512
    assert g80.max_block_dim == (512, 512, 64)
    assert g80.max_grid_dim == (65535, 65535, 1)
    assert (g80.memory_rule, get("GT200").memory_rule) == ("cc1.0", "cc1.2")


@pytest.mark.parametrize(
    ("name", "cores", "special", "schedulers", "l1_kib", "shared_kib"),
    [("P100", 64, 16, 2, 24, 64), ("GTX 1080", 128, 32, 4, 48, 96), ("TX2", 128, 32, 4, 24, 64)],
)
def test_compute_capability_6(
    name: str, cores: int, special: int, schedulers: int, l1_kib: int, shared_kib: int
) -> None:
    pascal = get(name)
    assert (pascal.fp32_units, pascal.sfu_units) == (cores, special)
    assert pascal.schedulers_per_multiprocessor == schedulers
    assert pascal.shared_bytes_per_multiprocessor == shared_kib * KIB
    assert pascal.l1_and_shared_bytes - pascal.carveouts_bytes[0] == l1_kib * KIB


def test_p100_has_56_multiprocessors() -> None:
    assert get("P100").multiprocessors * get("P100").fp32_units == 3584
    assert get("P100").scheduling == "stack"
    assert get("TX2").registers_per_block == get("TX2").registers_per_multiprocessor // 2


def test_v100_and_t4_carve_shared_memory_out_of_one_cache() -> None:
    v100, t4 = get("V100"), get("T4")
    assert carveouts_kib("V100") == (0, 8, 16, 32, 64, 96)
    assert carveouts_kib("T4") == (32, 64)
    assert (v100.l1_and_shared_bytes, t4.l1_and_shared_bytes) == (128 * KIB, 96 * KIB)
    assert (v100.shared_bytes_per_block_optin, t4.shared_bytes_per_block_optin) == (96 * KIB, 64 * KIB)
    assert (v100.fp32_units, v100.fp64_units, v100.int32_units) == (64, 32, 64)
    assert (v100.tensor_units, v100.sfu_units, v100.schedulers_per_multiprocessor) == (8, 16, 4)
    assert (t4.fp64_units, t4.max_warps_per_multiprocessor) == (2, 32)


def test_a_full_a100_leaves_32_registers_for_a_thread() -> None:
    a100 = get("A100")
    assert (a100.multiprocessors, a100.max_warps_per_multiprocessor) == (108, 64)
    assert a100.registers_per_multiprocessor == 64 * 32 * 32
    assert a100.shared_bytes_per_block_optin == (164 - 1) * KIB


def test_h200() -> None:
    h200 = get("H200")
    assert h200.multiprocessors == 132
    assert (h200.shared_bytes_per_multiprocessor, h200.shared_bytes_per_block_optin) == (233472, 232448)
    assert carveouts_kib("H200") == (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)


def test_the_c500_is_64_lanes_wide() -> None:
    c500 = get("MetaX C500")
    assert (c500.warp_size, c500.multiprocessors, c500.max_warps_per_multiprocessor) == (64, 104, 32)
    assert (c500.compute_capability, c500.scheduling) == (None, "stack")


def test_h200_is_what_the_driver_said() -> None:
    properties = json.loads(RECORDING.read_text())["properties"]
    h200 = get(properties["name"])
    assert {
        "multiProcessorCount": h200.multiprocessors,
        "warpSize": h200.warp_size,
        "regsPerMultiprocessor": h200.registers_per_multiprocessor,
        "regsPerBlock": h200.registers_per_block,
        "sharedMemPerMultiprocessor": h200.shared_bytes_per_multiprocessor,
        "sharedMemPerBlock": h200.shared_bytes_per_block,
        "sharedMemPerBlockOptin": h200.shared_bytes_per_block_optin,
        "reservedSharedMemPerBlock": h200.shared_bytes_reserved_per_block,
        "maxThreadsPerMultiProcessor": h200.max_threads_per_multiprocessor,
        "maxBlocksPerMultiProcessor": h200.max_blocks_per_multiprocessor,
        "maxThreadsPerBlock": h200.max_threads_per_block,
        "maxThreadsDim": list(h200.max_block_dim),
        "maxGridSize": list(h200.max_grid_dim),
        "l2CacheSize": h200.l2_bytes,
        "totalGlobalMem": h200.memory_bytes,
        "totalConstMem": h200.constant_bytes,
    }.items() <= properties.items()


# Capacities that source 000 and the chapters made of it name, in KB: L1 (or what L1 and shared memory have
# together), shared memory, what one block may have, L2, constant memory and the cache of it.


@pytest.mark.parametrize(
    ("name", "l1_and_shared", "carveouts", "block", "l2", "constant_cache"),
    [
        ("P100", 24 + 64, (64,), 48, 4096, 4),
        ("GTX 1080", 48 + 96, (96,), 48, 2048, 8),
        ("TX2", 24 + 64, (64,), 48, 512, 8),
        ("V100", 128, (0, 8, 16, 32, 64, 96), 96, 6144, 8),
        ("T4", 96, (32, 64), 64, 4096, 8),
        ("A100", 192, (0, 8, 16, 32, 64, 100, 132, 164), 163, 40960, 8),
        ("RTX 4090", 128, (0, 8, 16, 32, 64, 100), 99, 73728, 8),
        ("H200", 256, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228), 227, 61440, 2),
        ("K40", 64, (16, 32, 48), 48, 1536, 8),
        ("C2050", 64, (16, 48), 48, 768, 8),
        ("G80", 16, (16,), 16, 0, 8),
    ],
)
def test_capacities_of_the_chapters(
    name: str, l1_and_shared: int, carveouts: tuple[int, ...], block: int, l2: int, constant_cache: int
) -> None:
    found = get(name)
    assert found.l1_and_shared_bytes == l1_and_shared * KIB
    assert carveouts_kib(name) == carveouts
    assert found.shared_bytes_per_multiprocessor == carveouts[-1] * KIB
    assert found.shared_bytes_per_block_optin == block * KIB
    assert found.l2_bytes == l2 * KIB
    assert (found.constant_bytes, found.constant_cache_bytes) == (64 * KIB, constant_cache * KIB)


def test_textures_have_a_cache_of_their_own_before_5_0() -> None:
    kib = {name: get(name).texture_cache_bytes // KIB for name in devices.names()}
    assert (kib["G80"], kib["C2050"], kib["K40"], kib["K80"]) == (8, 12, 48, 48)
    assert {name for name, size in kib.items() if size} == {"G80", "GT200", "C2050", "K40", "K80"}


@pytest.mark.parametrize(
    ("name", "cached", "fetched"),
    [
        ("G80", (), 0),
        ("C2050", ("local",), 128),
        ("K40", ("local",), 128),
        ("P100", ("loads", "local"), 32),
        ("GTX 1080", (), 32),
        ("V100", ("loads", "stores", "local"), 32),
        ("H200", ("loads", "stores", "local"), 32),
    ],
)
def test_what_l1_takes_in(name: str, cached: tuple[str, ...], fetched: int) -> None:
    assert (get(name).l1_caches, get(name).l1_fetch_bytes) == (cached, fetched)


# What holds for every device, so that a slip in a table shows.


def test_limits_fit_together(device: Device) -> None:
    warps = device.max_warps_per_multiprocessor
    assert device.max_threads_per_multiprocessor == warps * device.warp_size
    assert device.max_threads_per_block <= device.max_threads_per_multiprocessor
    assert device.registers_per_block <= device.registers_per_multiprocessor
    assert device.registers_per_multiprocessor % device.register_allocation_unit == 0
    assert device.register_allocation_unit % device.warp_size == 0
    assert warps % device.schedulers_per_multiprocessor == 0
    assert device.warp_size % device.bank_group_lanes == 0


def test_shared_memory_fits_together(device: Device) -> None:
    assert device.carveouts_bytes == tuple(sorted(device.carveouts_bytes))
    assert device.carveouts_bytes[-1] == device.shared_bytes_per_multiprocessor <= device.l1_and_shared_bytes
    assert device.shared_bytes_per_block <= device.shared_bytes_per_block_optin
    largest_block = device.shared_bytes_per_block_optin + device.shared_bytes_reserved_per_block
    assert largest_block <= device.shared_bytes_per_multiprocessor


def test_caches_fit_together(device: Device) -> None:
    assert (device.l2_bytes == 0) == (device.l2_fetch_bytes == 0) == (device.memory_rule != "sectors32")
    assert device.l2_bytes > 0 or not device.l1_caches
    assert device.constant_cache_bytes <= device.constant_bytes


def test_lanes_run_independently_from_volta_on(device: Device) -> None:
    volta_on = device.compute_capability is not None and device.compute_capability >= (7, 0)
    assert device.scheduling == ("independent" if volta_on else "stack")


# Asking for a device.


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("H200", "H200"),
        ("nvidia h200", "H200"),
        ("GeForce 8800 GTX", "G80"),
        ("gtx-1080", "GTX 1080"),
        ("Tesla V100", "V100"),
        ("jetson tx2", "TX2"),
        ("C500", "MetaX C500"),
        ("metax c500", "MetaX C500"),
        ("曦云 C500", "MetaX C500"),
    ],
)
def test_a_device_has_several_names(asked: str, name: str) -> None:
    assert get(asked) is CATALOGUE[name]


def test_a_device_stands_for_itself(device: Device) -> None:
    assert get(device) is device
    assert get(device.name) is get(device.product_name) is device
    wide = dataclasses.replace(device, warp_size=64)
    assert get(wide) is wide


def test_an_unknown_name_is_answered_with_the_nearest_and_the_whole_list() -> None:
    with pytest.raises(UnknownDevice, match=r'"H20".*G80.*MetaX C500; did you mean `H200`') as caught:
        get("H20")
    assert isinstance(caught.value, GpuSimError)
    with pytest.raises(UnknownDevice, match="G80") as caught:
        get("abacus")
    assert "did you mean" not in str(caught.value)


def test_devices_cannot_be_changed_and_can_be_keys(device: Device) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        device.warp_size = 16  # type: ignore[misc]
    with pytest.raises(TypeError):
        device.sources["warp_size"] = "hearsay"  # type: ignore[index]
    assert {device: 1}[dataclasses.replace(device)] == 1


def test_what_makes_a_request_and_what_moves_for_it():
    lanes = {name: devices.get(name).request_lanes for name in ("G80", "GT200", "H200", "MetaX C500")}
    assert lanes == {"G80": 16, "GT200": 16, "H200": 32, "MetaX C500": 64}
    assert [name for name in devices.names() if not devices.get(name).moves_sectors] == ["G80", "GT200"]
