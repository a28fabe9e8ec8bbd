"""Which device does the host see?"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError, LaunchError
from gpusim.runtime.device import ATTRIBUTES

RECORDING = Path(__file__).parent.parent / "hardware" / "occupancy.json"


def test_the_device_is_the_one_in_force(device):
    with gpusim.use(device):
        found = cuda.get_current_device()
        assert found.name == gpusim.devices.get(device).product_name
        assert gpusim.devices.get(device).warp_size == found.WARP_SIZE
        assert found == cuda.gpus[0] == cuda.gpus.current == cuda.select_device(0)
        assert hash(found) == hash(cuda.gpus[0])
    assert cuda.get_current_device().compute_capability == (9, 0)
    assert repr(cuda.get_current_device()) == "<simulated CUDA device 0 'NVIDIA H200'>"


@pytest.mark.parametrize("name", sorted(ATTRIBUTES))
def test_every_attribute_has_a_value_on_every_device(name):
    for device in gpusim.devices.names():
        with gpusim.use(device):
            value = getattr(cuda.get_current_device(), name)
            assert value is None or isinstance(value, int)
            assert name in dir(cuda.get_current_device())


def test_the_h200_says_what_the_real_one_says():
    recorded, device = json.loads(RECORDING.read_text())["properties"], cuda.get_current_device()
    pairs = {
        "WARP_SIZE": "warpSize",
        "MULTIPROCESSOR_COUNT": "multiProcessorCount",
        "MAX_THREADS_PER_BLOCK": "maxThreadsPerBlock",
        "MAX_THREADS_PER_MULTI_PROCESSOR": "maxThreadsPerMultiProcessor",
        "MAX_BLOCKS_PER_MULTIPROCESSOR": "maxBlocksPerMultiProcessor",
        "MAX_REGISTERS_PER_BLOCK": "regsPerBlock",
        "MAX_REGISTERS_PER_MULTIPROCESSOR": "regsPerMultiprocessor",
        "MAX_SHARED_MEMORY_PER_BLOCK": "sharedMemPerBlock",
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": "sharedMemPerBlockOptin",
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": "sharedMemPerMultiprocessor",
        "RESERVED_SHARED_MEMORY_PER_BLOCK": "reservedSharedMemPerBlock",
        "TOTAL_CONSTANT_MEMORY": "totalConstMem",
        "L2_CACHE_SIZE": "l2CacheSize",
    }
    assert {name: getattr(device, name) for name in pairs} == {
        name: recorded[property_] for name, property_ in pairs.items()
    }
    assert [getattr(device, f"MAX_GRID_DIM_{axis}") for axis in "XYZ"] == recorded["maxGridSize"]
    assert [getattr(device, f"MAX_BLOCK_DIM_{axis}") for axis in "XYZ"] == recorded["maxThreadsDim"]
    assert device.name == recorded["name"]
    assert cuda.current_context().get_memory_info().total == recorded["totalGlobalMem"]


def test_an_unknown_attribute_is_refused_with_the_known_ones():
    with pytest.raises(GpuSimError, match=r"no figure for the device's 'PCI_BUS_ID'; there are WARP_SIZE"):
        _ = cuda.get_current_device().PCI_BUS_ID
    assert not hasattr(cuda.get_current_device(), "PCI_BUS_ID")


def test_there_is_one_device():
    assert len(cuda.gpus) == len(cuda.list_devices()) == len(list(cuda.gpus)) == 1
    with pytest.raises(LaunchError, match=r"no device 1, only 0; gpusim\.use\(…\) chooses which GPU that is"):
        cuda.select_device(1)
    with pytest.raises(IndexError):
        cuda.gpus[1]
    with cuda.gpus[0] as device:
        assert device.id == 0


def test_detect_prints_the_device(capsys):
    with gpusim.use("MetaX C500"):
        assert cuda.detect()
    assert "Found 1 CUDA devices\nid 0              MetaX C500" in capsys.readouterr().out


def test_the_context():
    context = cuda.current_context()
    memory = context.get_memory_info()
    assert memory.total == gpusim.devices.get("H200").memory_bytes
    assert 0 < memory.free <= memory.total
    context.deallocations.clear()
    assert len(context.deallocations) == 0
    assert isinstance(context.create_stream(), type(context.get_default_stream()))
    context.create_event().record()
    context.synchronize()
    assert repr(context) == "<context on <simulated CUDA device 0 'NVIDIA H200'>>"
    array = cuda.device_array(3)
    cuda.get_current_device().reset()
    assert not array.gpu_data.live
    with cuda.defer_cleanup():
        cuda.device_array(3)


def test_questions_with_one_answer():
    assert cuda.is_available()
    assert cuda.is_supported_version()
    assert cuda.is_float16_supported()
    assert cuda.cuda_error() is None


def test_a_device_can_be_copied():
    device = cuda.get_current_device()
    assert copy.copy(device) == device
    assert copy.copy(device).WARP_SIZE == 32


@pytest.mark.parametrize("number", [False, 0.0, None])
def test_a_device_has_a_whole_number(number):
    with pytest.raises(LaunchError, match="there is no device"):
        cuda.select_device(number)
