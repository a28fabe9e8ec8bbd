"""Which GPU runs the kernel, and what are its limits? `get("H200").max_warps_per_multiprocessor` is 64.

The catalogue is three tables. `LIMITS` and `RULES` say what a compute capability fixes (columns and rows as
in NVIDIA's own table); `CHIPS` says what one product adds: how many multiprocessors, which clock, how much
memory. Every field of every device carries the source it was taken from, or "assumed: ..." and the reason:

>>> get("H200").sources["shared_bytes_per_multiprocessor"]
'measured: H200, 2026-11-21 (tests/hardware/occupancy.json)'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from gpusim.devices.device import Device, Granularity, MemoryRule, Scheduling
from gpusim.errors import UnknownDevice, suggestion

GUIDE = (
    'CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"'
    " (release 5.0 for 1.x and 2.x, 11 for 3.x, 12 from 6.x on)"
)
ARCHITECTURE = (
    'CUDA C++ Programming Guide, sections "Compute Capability N.x: Architecture" and table'
    ' "Throughput of Native Arithmetic Instructions" (same releases)'
)
SHARED_SECTIONS = 'CUDA C++ Programming Guide, sections "Compute Capability N.x: Shared Memory"'
GLOBAL_SECTIONS = 'CUDA C++ Programming Guide, sections "Compute Capability N.x: Global Memory"'
SCHEDULING_SECTION = 'CUDA C++ Programming Guide, "Compute Capability 7.x: Independent Thread Scheduling"'
CALCULATOR = 'CUDA Occupancy Calculator, table "Physical Limits for GPU"; from 3.x on also cuda_occupancy.h'
WHITEPAPERS = (
    "NVIDIA's whitepaper of the architecture, figure of the multiprocessor;"
    ' 1.x: CUDA Programming Guide 2.3, "Instruction Throughput": 8 memory operations a clock'
)
CACHE_SECTIONS = (
    'CUDA C++ Programming Guide, sections "Compute Capability N.x: Global Memory"; NVIDIA\'s tuning guides of'
    ' Maxwell and Pascal (L1/texture cache: on by default on GP100 alone) and Volta; stores: PTX ISA, "Cache'
    ' Operators" for 2.x, measured on an H200 (tests/hardware/vec3_struct.json) for 7.0 and later'
)
TRANSACTION_SECTIONS = (
    'CUDA C++ Programming Guide, sections "Compute Capability N.x: Global Memory": lines of 128 bytes where'
    " L1 of 2.x and 3.x serves a load, else 32; the L2 of 9.0: measured on an H200"
    " (tests/hardware/timing.json, stride_read)"
)
CACHE_TABLE = (
    'CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", cache working sets per'
    ' multiprocessor (the larger where it says "between"); 48 KB of read-only data cache on 3.x; from 5.x on'
    " textures are in L1; the constant cache of 9.0: measured on an H200 (tests/hardware/caches.json), where"
    " the table says 8 KB"
)
MEASURED = "measured: H200, 2026-11-21 (tests/hardware/occupancy.json)"

# One row per field, one column per compute capability; K is 1024.
LIMITS = {
    # compute capability               1.0  1.3  2.0  3.5  3.7  6.0  6.1  6.2  7.0  7.5  8.0  8.9  9.0
    GUIDE: """
    warp_size                           32   32   32   32   32   32   32   32   32   32   32   32   32
    max_threads_per_block              512  512   1K   1K   1K   1K   1K   1K   1K   1K   1K   1K   1K
    max_threads_per_multiprocessor     768   1K 1536   2K   2K   2K   2K   2K   2K   1K   2K 1536   2K
    max_blocks_per_multiprocessor        8    8    8   16   16   32   32   32   32   16   32   24   32
    registers_per_multiprocessor        8K  16K  32K  64K 128K  64K  64K  64K  64K  64K  64K  64K  64K
    registers_per_block                 8K  16K  32K  64K  64K  64K  64K  32K  64K  64K  64K  64K  64K
    shared_bytes_per_multiprocessor    16K  16K  48K  48K 112K  64K  96K  64K  96K  64K 164K 100K 228K
    shared_bytes_per_block             16K  16K  48K  48K  48K  48K  48K  48K  48K  48K  48K  48K  48K
    shared_bytes_per_block_optin       16K  16K  48K  48K  48K  48K  48K  48K  96K  64K 163K  99K 227K
    shared_banks                        16   16   32   32   32   32   32   32   32   32   32   32   32
    constant_bytes                     64K  64K  64K  64K  64K  64K  64K  64K  64K  64K  64K  64K  64K
    local_bytes_per_thread             16K  16K 512K 512K 512K 512K 512K 512K 512K 512K 512K 512K 512K
    """,
    CALCULATOR: """
    max_registers_per_thread           124  124   63  255  255  255  255  255  255  255  255  255  255
    register_allocation_unit           256  512   64  256  256  256  256  256  256  256  256  256  256
    warp_allocation_granularity          2    2    2    4    4    2    4    4    4    4    4    4    4
    shared_allocation_unit_bytes       512  512  128  256  256  256  256  256  256  256  128  128  128
    shared_bytes_reserved_per_block      0    0    0    0    0    0    0    0    0    0   1K   1K   1K
    """,
    SHARED_SECTIONS: """
    bank_bytes                           4    4    4    4    4    4    4    4    4    4    4    4    4
    bank_group_lanes                    16   16   32   32   32   32   32   32   32   32   32   32   32
    """,
    ARCHITECTURE: """
    schedulers_per_multiprocessor        1    1    2    4    4    2    4    4    4    4    4    4    4
    fp32_units                           8    8   32  192  192   64  128  128   64   64   64  128  128
    fp64_units                           0    1   16   64   64   32    4    4   32    2   32    2   64
    int32_units                          8    8   32  160  160   64  128  128   64   64   64   64   64
    sfu_units                            2    2    4   32   32   16   32   32   16   16   16   16   16
    tensor_units                         0    0    0    0    0    0    0    0    8    8    4    4    4
    l1_and_shared_bytes                16K  16K  64K  64K 128K  88K 144K  88K 128K  96K 192K 128K 256K
    """,
    TRANSACTION_SECTIONS: """
    l1_fetch_bytes                       0    0  128  128  128   32   32   32   32   32   32   32   32
    l2_fetch_bytes                       0    0   32   32   32   32   32   32   32   32   32   32   64
    """,
    CACHE_TABLE: """
    texture_cache_bytes                 8K   8K  12K  48K  48K    0    0    0    0    0    0    0    0
    constant_cache_bytes                8K   8K   8K   8K   8K   4K   8K   8K   8K   8K   8K   8K   2K
    """,
    WHITEPAPERS: """
    load_store_units                     8    8   16   32   32   16   32   32   32   16   32   16   32
    """,
}

# The same columns as rows: architecture, scheduling, memory rule, registers go to each ..., carve-outs in KiB
RULES: dict[tuple[int, int], tuple[str, Scheduling, MemoryRule, Granularity, tuple[int, ...]]] = {
    (1, 0): ("Tesla", "stack", "cc1.0", "block", (16,)),
    (1, 3): ("Tesla", "stack", "cc1.2", "block", (16,)),
    (2, 0): ("Fermi", "stack", "sectors32", "warp", (16, 48)),
    (3, 5): ("Kepler", "stack", "sectors32", "warp", (16, 32, 48)),
    (3, 7): ("Kepler", "stack", "sectors32", "warp", (80, 96, 112)),
    (6, 0): ("Pascal", "stack", "sectors32", "warp", (64,)),
    (6, 1): ("Pascal", "stack", "sectors32", "warp", (96,)),
    (6, 2): ("Pascal", "stack", "sectors32", "warp", (64,)),
    (7, 0): ("Volta", "independent", "sectors32", "warp", (0, 8, 16, 32, 64, 96)),
    (7, 5): ("Turing", "independent", "sectors32", "warp", (32, 64)),
    (8, 0): ("Ampere", "independent", "sectors32", "warp", (0, 8, 16, 32, 64, 100, 132, 164)),
    (8, 9): ("Ada Lovelace", "independent", "sectors32", "warp", (0, 8, 16, 32, 64, 100)),
    (9, 0): ("Hopper", "independent", "sectors32", "warp", (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)),
}

# What L1 takes in, up to 6.2 (6.1 and 6.2: only what is read-only, through __ldg); from 7.0 on all
L1_CACHES = {
    (1, 0): (), (1, 3): (), (2, 0): ("loads", "local"), (3, 5): ("local",), (3, 7): ("local",),
    (6, 0): ("loads", "local"), (6, 1): (), (6, 2): (),
}  # fmt: skip

Figures = dict[str, tuple[Any, str]]  # field -> (value, source); the right side of `|` overrules the left


def _sourced(source: str, **values: Any) -> Figures:
    """Which figures come from this one source? The building block of the catalogue."""
    return {name: (value, source) for name, value in values.items()}


def _limits(compute_capability: tuple[int, int]) -> Figures:
    """What does a compute capability fix? (7, 0) allows 96 KiB of shared memory per multiprocessor."""
    column = list(RULES).index(compute_capability)
    figures: Figures = {}
    for source, table in LIMITS.items():
        for name, *cells in map(str.split, table.strip().splitlines()):
            cell = cells[column]
            figures[name] = (int(cell[:-1]) * 1024 if cell.endswith("K") else int(cell), source)
    architecture, scheduling, memory_rule, granularity, carveouts_kib = RULES[compute_capability]
    major = compute_capability[0]
    return (
        figures
        | _sourced(
            GUIDE,
            max_block_dim=(1024, 1024, 64) if major > 1 else (512, 512, 64),
            max_grid_dim=(2**31 - 1 if major >= 3 else 65535, 65535, 65535 if major > 1 else 1),
        )
        | _sourced(ARCHITECTURE, architecture=architecture)
        | _sourced(SCHEDULING_SECTION, scheduling=scheduling)
        | _sourced(GLOBAL_SECTIONS, memory_rule=memory_rule)
        | _sourced(CACHE_SECTIONS, l1_caches=L1_CACHES.get(compute_capability, ("loads", "stores", "local")))
        | _sourced(CALCULATOR, register_allocation_granularity=granularity)
        | _sourced(SHARED_SECTIONS, carveouts_bytes=tuple(kib * 1024 for kib in carveouts_kib))
    )


KIB, MIB, GIB = 1024, 1024**2, 1024**3
QUERY = "; multiprocessors, clock and L2 as deviceQuery prints them"

# What only the chip decides; the clock is the highest (boost) one. Catalogue name, product name, other names,
# compute capability, year announced, multiprocessors, MHz, L2 bytes, memory bytes, GB/s, source.
Chip = tuple[str, str, tuple[str, ...], tuple[int, int], int, int, int, int, int, float, str]
CHIPS: tuple[Chip, ...] = (
    ("G80", "GeForce 8800 GTX", ("8800 GTX",), (1, 0), 2006, 16, 1350, 0, 768 * MIB, 86.4,
     "CUDA Programming Guide 1.1, appendix A; NVIDIA GeForce 8800 architecture technical brief"),
    ("GT200", "Tesla C1060", ("C1060",), (1, 3), 2008, 30, 1296, 0, 4 * GIB, 102.4,
     "NVIDIA Tesla C1060 board specification" + QUERY),
    ("C2050", "Tesla C2050", ("Fermi",), (2, 0), 2009, 14, 1150, 768 * KIB, 3 * GIB, 144.0,
     "NVIDIA Tesla C2050 board specification; NVIDIA Fermi whitepaper (L2)"),
    ("K40", "Tesla K40c", ("Tesla K40",), (3, 5), 2013, 15, 745, 1536 * KIB, 12 * GIB, 288.4,
     "NVIDIA Tesla K40 board specification (base clock)" + QUERY),
    ("K80", "Tesla K80", (), (3, 7), 2014, 13, 824, 1536 * KIB, 12 * GIB, 240.5,
     "NVIDIA Tesla K80 board specification (one of its two GPUs)" + QUERY),
    ("P100", "Tesla P100-SXM2-16GB", ("Tesla P100",), (6, 0), 2016, 56, 1480, 4 * MIB, 16 * GIB, 732.2,
     "NVIDIA Tesla P100 whitepaper (GP100)"),
    ("GTX 1080", "GeForce GTX 1080", (), (6, 1), 2016, 20, 1733, 2 * MIB, 8 * GIB, 320.3,
     "NVIDIA GeForce GTX 1080 whitepaper (GP104)" + QUERY),
    ("TX2", "NVIDIA Tegra X2", ("Jetson TX2",), (6, 2), 2017, 2, 1300, 512 * KIB, 8 * GIB, 59.7,
     "NVIDIA Jetson TX2 module data sheet (memory shared with the CPU)" + QUERY),
    ("V100", "Tesla V100-SXM2-16GB", ("Tesla V100",), (7, 0), 2017, 80, 1530, 6 * MIB, 16 * GIB, 898.0,
     "NVIDIA Tesla V100 whitepaper (GV100)" + QUERY),
    ("T4", "Tesla T4", (), (7, 5), 2018, 40, 1590, 4 * MIB, 16 * GIB, 320.1,
     "NVIDIA Tesla T4 product brief" + QUERY),
    ("A100", "NVIDIA A100-SXM4-40GB", (), (8, 0), 2020, 108, 1410, 40 * MIB, 40 * GIB, 1555.2,
     "NVIDIA A100 whitepaper (GA100)" + QUERY),
    ("RTX 4090", "NVIDIA GeForce RTX 4090", (), (8, 9), 2022, 128, 2520, 72 * MIB, 24 * GIB, 1008.1,
     "NVIDIA Ada GPU Architecture whitepaper" + QUERY),
    ("H100", "NVIDIA H100 80GB HBM3", ("H100 SXM5",), (9, 0), 2022, 132, 1980, 50 * MIB, 80 * GIB, 3352.3,
     "NVIDIA H100 whitepaper (GH100)" + QUERY),
    # bandwidth: 2 transfers x 3201 MHz x 6016 bits
    ("H200", "NVIDIA H200", (), (9, 0), 2023, 132, 1980, 60 * MIB, 150109880320, 4814.3, MEASURED),
)  # fmt: skip

# Figures of a compute capability that a recording confirmed on the H200 itself.
MEASURED_FIELDS = (
    "warp_size", "max_threads_per_block", "max_block_dim", "max_grid_dim", "max_threads_per_multiprocessor",
    "max_blocks_per_multiprocessor", "registers_per_multiprocessor", "registers_per_block",
    "register_allocation_unit", "register_allocation_granularity", "warp_allocation_granularity",
    "shared_bytes_per_multiprocessor", "shared_bytes_per_block", "shared_bytes_per_block_optin",
    "shared_bytes_reserved_per_block", "shared_allocation_unit_bytes", "carveouts_bytes", "constant_bytes",
)  # fmt: skip

_NO_PARAMETERS = "assumed: none; that launch parameters stand in shared memory on 1.x is not modelled"
ASSUMPTIONS = {
    "G80": _sourced(_NO_PARAMETERS, shared_bytes_reserved_per_block=0),
    "GT200": _sourced(_NO_PARAMETERS, shared_bytes_reserved_per_block=0),
    "C2050": _sourced(
        "assumed: L1 bypassed (-dlcm=cg), else lines of 128 bytes move",
        memory_rule="sectors32",
        l1_caches=("local",),
    ),
    "TX2": _sourced("assumed: as compute capability 6.1", load_store_units=32),
}


def _nvidia(chip: Chip) -> Figures:
    """What is the whole row of one product? V100 is column (7, 0) with 80 multiprocessors at 1530 MHz."""
    name, product, _, capability, year, multiprocessors, mhz, l2_bytes, memory_bytes, bandwidth, source = chip
    figures = _limits(capability)
    if source == MEASURED:
        figures |= {measured: (figures[measured][0], MEASURED) for measured in MEASURED_FIELDS}
    return (
        figures
        | _sourced("name in this catalogue", name=name)
        | _sourced("NVIDIA's announcement of the product", vendor="NVIDIA", product_name=product, year=year)
        | _sourced(
            source,
            compute_capability=capability,
            multiprocessors=multiprocessors,
            clock_mhz=mhz,
            l2_bytes=l2_bytes,
            memory_bytes=memory_bytes,
            memory_bandwidth_gb_per_s=bandwidth,
        )
        | ASSUMPTIONS.get(name, {})
    )


TEXTBOOK = "source 004 (MXMACA textbook): waveSize = 64"
C500_PROPERTIES = (
    "device properties of a C500 as PyTorch reads them, published in github.com/Dryoung95/kda-on-maca,"
    ' "C500 Architecture Facts" (2026-09-15)'
)


def _metax_c500() -> Figures:
    """What is known of the 64-wide device? Its width and sizes; the rest is assumed to be as on CC 8.0."""
    as_ampere = "assumed: as compute capability 8.0, which MACA reports to CUDA programs for a C500"
    return (
        {name: (value, as_ampere) for name, (value, _) in _limits((8, 0)).items()}
        | _sourced("name in this catalogue", name="MetaX C500")
        | _sourced("MetaX's announcement of the C500 (2023-06-14)", vendor="MetaX", year=2023)
        | _sourced("target xcore1000 of MetaX's compiler mxcc", architecture="XCore 1000")
        | _sourced("not a CUDA device; MACA reports 8.0 for compatibility", compute_capability=None)
        | _sourced(TEXTBOOK, warp_size=64)
        | _sourced(
            C500_PROPERTIES,
            product_name="MetaX C500",
            multiprocessors=104,
            max_threads_per_multiprocessor=2048,
            registers_per_multiprocessor=128 * KIB,
            shared_bytes_per_multiprocessor=64 * KIB,
            shared_bytes_per_block=64 * KIB,
            shared_bytes_per_block_optin=64 * KIB,
            shared_bytes_reserved_per_block=0,  # a block may take all that its multiprocessor has
            l2_bytes=8 * MIB,
        )
        | _sourced("mx-smi on a C500: 65536 MiB", memory_bytes=64 * GIB)
        | _sourced(
            "measured: read bandwidth of a C500, README of github.com/CompilerFans/DeepSelect",
            memory_bandwidth_gb_per_s=1650.0,
        )
        | _sourced(
            "assumed: source 004 runs the sides of a branch one after the other under masks, though it also"
            " gives every thread its own program counter",
            scheduling="stack",
        )
        | _sourced("assumed: a block may use all of its multiprocessor's", registers_per_block=128 * KIB)
        | _sourced("assumed: 8 for each of 64 lanes, as 256 for 32", register_allocation_unit=512)
        | _sourced("assumed: one for each of the 32 waves that fit", max_blocks_per_multiprocessor=32)
        | _sourced("assumed: shared memory is separate from L1", carveouts_bytes=(64 * KIB,))
        | _sourced("assumed: 32 KiB of L1; published notes say 32 and 64", l1_and_shared_bytes=96 * KIB)
        | _sourced("assumed: the highest clock in published notes of mx-smi", clock_mhz=1600)
    )


def _device(figures: Figures) -> Device:
    values = {name: value for name, (value, _) in figures.items()}
    sources = {f.name: figures[f.name][1] for f in fields(Device) if f.name != "sources"}
    return Device(**values, sources=MappingProxyType(sources))


def _key(name: str) -> str:
    """Under which key is a name found? "NVIDIA GTX-1080" and "gtx 1080" are both gtx1080."""
    return "".join(c for c in name.casefold() if c.isalnum()).removeprefix("nvidia")


CATALOGUE: Mapping[str, Device] = MappingProxyType(
    {device.name: device for device in [*map(_device, map(_nvidia, CHIPS)), _device(_metax_c500())]}
)
OTHER_NAMES = {chip[0]: chip[2] for chip in CHIPS} | {"MetaX C500": ("C500", "曦云 C500", "MXC500")}
_BY_KEY = {
    _key(name): device
    for device in CATALOGUE.values()
    for name in (device.name, device.product_name, *OTHER_NAMES[device.name])
}


def names() -> tuple[str, ...]:
    """Which devices are there? Their names in the catalogue, oldest NVIDIA part first."""
    return tuple(CATALOGUE)


def get(device: str | Device) -> Device:
    """Which device is meant? "H200", "nvidia h200" and the `Device` itself all give the H200.

    Raises `UnknownDevice`, which lists the catalogue and suggests the nearest name.
    """
    if isinstance(device, Device):
        return device
    if isinstance(device, str) and _key(device) in _BY_KEY:
        return _BY_KEY[_key(device)]
    known, close = f"the catalogue has {', '.join(names())}", suggestion(device, names())
    if not isinstance(device, str):
        raise UnknownDevice(f"a device is a name or a Device, not {device!r}", hint=known)
    raise UnknownDevice(f'no device is called "{device}"', hint=f"{known}; {close}" if close else known)
