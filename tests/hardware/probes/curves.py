"""What does a conflict, a stride, a barrier, another warp cost? The curves of `timing.json`, as launches.

Each point of a curve is two launches of a kernel of `curves.cu`, a short and a long one: by how much more the
long one takes is what its further rounds cost, without what every launch costs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

MULTIPROCESSORS, CLOCK_MHZ = 132, 1980  # of the H200
ROUNDS = 32, 96
Key = tuple[Any, ...]
Values = Mapping[Key, Mapping[str, Any]]
Launch = Callable[..., tuple[str, float]]


@dataclass(frozen=True)
class Curve:
    """A curve of `timing.json`: what each of `keys` is recorded with.

    `launch(*key, rounds)`: a row as in `times.py`, and the work that is done in it. `rate`: a value is work
    per time, else time per work. `alone`: its launches give every multiprocessor the same to do, so that one
    of them shows it, and times are clocks; else nanoseconds where it is a rate.
    """

    group: str
    name: str
    keys: tuple[Key, ...]
    recorded: tuple[float, ...]
    launch: Launch
    rounds: tuple[int, int]
    rate: bool
    alone: bool

    @property
    def label(self) -> str:
        """Its name among all."""
        return f"{self.group}: {self.name}"

    def launches(self, longer: int = 1) -> Iterator[tuple[str, str, float]]:
        """Of each point, a short and a long launch, and what the long one does more."""
        for key in self.keys:
            (short, some), (long, more) = (self.launch(*key, longer * n) for n in self.rounds)
            yield short, long, more - some

    def value(self, clocks: float, work: float) -> float:
        """Of a point, from how much longer the long launch took."""
        if not self.rate:
            return clocks / work
        return work / clocks * (1 if self.alone else CLOCK_MHZ / 1000)


@cache
def section(name: str, keys: int = 1) -> Values:
    """Rows of a section of `timing.json` by their first columns."""
    recorded = json.loads((Path(__file__).parents[1] / "timing.json").read_text(encoding="utf-8"))
    fields, *rows = recorded[name]
    return {tuple(row[:keys]): dict(zip(fields[1:], row, strict=False)) for row in rows}


def curve(
    group: str,
    name: str,
    rows: Values,
    column: str,
    launch: Launch,
    *,
    among: Sequence[Key] | None = None,
    rounds: tuple[int, int] = ROUNDS,
    rate: bool = False,
    alone: bool = True,
) -> Curve:
    """A column of some rows."""
    keys = tuple(rows if among is None else among)
    recorded = tuple(rows[key][column] for key in keys)
    return Curve(group, name, keys, recorded, launch, rounds, rate, alone)


def curves() -> Iterator[Curve]:
    """All of them."""
    yield from shared_memory()
    yield from arithmetic()
    yield from ways()
    yield from memory()


def one_block(kernel: str, warps: int, arguments: str, rounds: int, per_round: float) -> tuple[str, float]:
    """A block for each multiprocessor; a round is some work of each of its warps."""
    threads = 32 * warps
    row = f"{kernel} {MULTIPROCESSORS} 1 {threads} 1 0 I:{threads}:zero {arguments} i:{rounds}"
    return row, warps * per_round * rounds


def many(count: int, what: str = "warp") -> str:
    """How many of something.

    >>> many(1), many(8)
    ('1 warp', '8 warps')
    """
    return f"{count} {what}{'s' * (count != 1)}"


def shared_memory() -> Iterator[Curve]:
    """Conflicts, strides, widths, atomics, barriers."""
    for group, table, lanes in (
        ("conflict degree", "shared_conflict", "i:{} i:32 i:1"),
        ("stride", "shared_stride", "i:1 i:0 i:{}"),
    ):
        rows = section(table)
        for column, kernel, warps, accesses in (
            ("latency", "shared_chain", 1, 1),
            ("load_cyc_1warp", "shared_loads", 1, 8),
            ("load_cyc_8warps", "shared_loads", 8, 8),
            ("load_cyc_32warps", "shared_loads", 32, 8),
            ("store_cyc_1warp", "shared_stores", 1, 8),
            ("store_cyc_8warps", "shared_stores", 8, 8),
        ):
            if column in next(iter(rows.values())):

                def launch(
                    value: int, n: int, *, kernel=kernel, warps=warps, lanes=lanes, accesses=accesses
                ) -> tuple[str, float]:
                    return one_block(kernel, warps, lanes.format(value), n, accesses)

                yield curve(group, f"{kernel}, {many(warps)}", rows, column, launch)
    yield curve(
        "width",
        "shared loads, 8 warps",
        section("shared_width"),
        "load_cyc_8warps",
        lambda width, n: one_block(f"shared_loads_of_{width}", 8, "", n, 4),
    )
    for kind, lanes in (("same bank", "i:{} i:32 i:1"), ("same address", "i:{} i:0 i:1")):
        rows = {key[:1]: row for key, row in section("shared_atomic", 2).items() if key[1].startswith(kind)}
        for column, kernel, warps in (
            ("int_add_noret", "shared_adds", 1),
            ("int_add_noret_8warps_per_op", "shared_adds", 8),
            ("int_add_chain", "shared_add_chain", 1),
            ("cas_chain", "shared_swap_chain", 1),
        ):

            def adds(d: int, n: int, *, kernel=kernel, warps=warps, lanes=lanes) -> tuple[str, float]:
                return one_block(kernel, warps, lanes.format(d), n, 1)

            yield curve("atomics", f"{kernel}, {many(warps)}, {kind}", rows, column, adds)
    yield curve(
        "barriers",
        "__syncthreads",
        section("bar_sync"),
        "cycles",
        lambda threads, n: one_block("barriers", threads // 32, "", n, 32 / threads),
    )


# operation -> its kernel, and what its array and its number are
CHAINS = {
    "FFMA": ("products", "F f"),
    "IMAD": ("int_products", "I i"),
    "DFMA": ("double_products", "D d"),
    "MUFU.EX2": ("powers", "F f"),
    "SHFL.IDX": ("shuffles", "I i"),
    "POPC": ("bits", "I i"),
    "ISETP+VOTE.BALLOT": ("votes", "I i"),
    "fp32 divide (IEEE)": ("quotients", "F f"),
    "fp32 sqrt (IEEE)": ("roots", "F f"),
}


def chains(operation: str, count: int, warps: int, rounds: int) -> tuple[str, float]:
    """Chains of an operation in all warps of each multiprocessor. The work is in thread operations."""
    kernel, types = CHAINS[operation]
    array, number = types.split()
    kernel += "" if count == 1 else f"_of_{count}"
    blocks = MULTIPROCESSORS * (1 + (warps > 32))
    threads = 32 * warps * MULTIPROCESSORS // blocks
    fill = "random%32" if array == "I" else "random"
    arguments = f"{array}:{blocks * threads}:{fill} {number}:{3 if array == 'I' else 0.5} i:{rounds}"
    row = f"{kernel} {blocks} 1 {threads} 1 0 {arguments}"
    return row, 32 * warps * count * rounds


def arithmetic() -> Iterator[Curve]:
    """Latencies; and throughput by resident warps and by independent chains."""
    yield curve(
        "latency",
        "operations that wait for each other",
        section("dependent_op_latency"),
        "cycles",
        lambda name, n: (chains(name, 1, 1, n)[0], n),
        among=[(name,) for name in CHAINS],
    )
    table = section("alu", 3)
    for name, count in dict.fromkeys(key[:2] for key in table):
        few = [key for key in table if key[:2] == (name, count) and (key[2] <= 20 or key[2] in (32, 48, 64))]
        yield curve(
            "warps", f"{name}, ILP {count}", table, "thread_ops_per_clk_per_sm", chains, among=few, rate=True
        )
    for warps in (1, 2, 4, 8, 12, 16):
        few = [("FFMA", count, warps) for count in (1, 2, 4)]
        yield curve(
            "ILP", f"FFMA, {many(warps)}", table, "thread_ops_per_clk_per_sm", chains, among=few, rate=True
        )


MODES = ("lane mod k", "warp mod k", "lane groups")


def ways() -> Iterator[Curve]:
    """A switch with k ways."""
    for table, blocks, threads in (("kway_full_sm", 8, 256), ("kway_one_warp_per_sm", 1, 32)):
        rows = section(table, 2)

        def launch(mode: str, k: int, n: int, *, blocks=blocks, threads=threads) -> tuple[str, float]:
            grid = blocks * MULTIPROCESSORS
            arguments = f"i:{k} i:{MODES.index(mode)} f:0.5 i:{n}"
            return f"ways {grid} 1 {threads} 1 0 F:{grid * threads}:zero {arguments}", n

        for mode in dict.fromkeys(key[0] for key in rows):
            keys = [key for key in rows if key[0] == mode]
            name = f"{mode}, {many(blocks * threads // 32)}"
            yield curve("ways", name, rows, "slowdown", launch, among=keys, rounds=(8, 24))


STRIDES = tuple((s,) for s in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32))
WIDTHS = {
    "GBps_4B": ("fresh_reads_of_4", 4),
    "GBps_8B": ("fresh_reads_of_8", 8),
    "GBps_16B": ("fresh_reads_of_16", 16),
    "GBps_16B_2_in_flight": ("fresh_reads_two_at_once", 16),
    "GBps_16B_4_in_flight": ("fresh_reads_four_at_once", 16),
}


def memory() -> Iterator[Curve]:
    """Latency of L1; strides; warps and widths; block sizes and occupancy; atomics."""
    yield curve(
        "latency",
        "a chain of loads through L1, by its bytes",
        {key: row for key, row in section("chase").items() if row["ca_latency"] > 0},
        "ca_latency",
        lambda size, n: (
            f"chain_in_l1 1 1 1 1 0 I:1:zero I:{size // 4}:next+32 i:{n * size // 128}",
            n * size // 128,
        ),
        rounds=(1, 2),
        alone=False,
    )
    threads = 8 * 256 * MULTIPROCESSORS
    reads = {key[1:]: row for key, row in section("stride_read", 2).items() if key[0] == 4}
    big = {"among": STRIDES, "rate": True, "alone": False}
    yield curve(
        "stride",
        "global reads, 8 in flight",
        reads,
        "useful_GBps",
        lambda s, n: (
            f"strided_reads {threads // 256} 1 256 1 0 F:{threads}:zero "
            f"F:{8 * n * threads * s}:zero i:{s} i:{n}",
            32 * n * threads,
        ),
        rounds=(1, 3),
        **big,
    )
    yield curve(
        "stride",
        "global writes",
        reads,
        "write_useful_GBps",
        lambda s, n: (
            f"strided_writes {8 * MULTIPROCESSORS} 1 256 1 0 F:{n * threads * s}:zero i:{s} i:{n}",
            4 * n * threads,
        ),
        rounds=(8, 16),
        **big,
    )
    yield curve(
        "stride",
        "global copy",
        section("stride_copy"),
        "useful_GBps_read_plus_write",
        lambda s, n: (f"strided_copy {n // 256} 1 256 1 0 F:{n * s}:zero F:{n * s}:zero i:{s}", 8 * n),
        rounds=(1 << 20, 1 << 21),
        **big,
    )
    table = section("warps_per_sm")
    for column in WIDTHS:
        name = f"global reads, {column.removeprefix('GBps_').replace('_', ' ')}"
        rows = {(column, *key): row for key, row in table.items()}
        yield curve("warps", name, rows, column, fresh_reads, rounds=(8, 24), rate=True, alone=False)
    for warps in (1, 8, 32):
        rows = {(column, warps): {"GBps": table[warps,][column]} for column in WIDTHS}
        name = f"global reads, {many(warps)}"
        yield curve("width", name, rows, "GBps", fresh_reads, rounds=(8, 24), rate=True, alone=False)
    yield from occupancies()
    yield from global_atomics()


def fresh_reads(column: str, warps: int, n: int) -> tuple[str, float]:
    """Each load of a thread waits for the one before, or for some of them."""
    kernel, width = WIDTHS[column]
    blocks = MULTIPROCESSORS * (1 + (warps > 32))
    block = 32 * warps * MULTIPROCESSORS // blocks
    ints = blocks * block * n * width // 4
    return f"{kernel} {blocks} 1 {block} 1 0 I:1:zero I:{ints}:zero i:{n}", ints * 4


def axpy(block: int, dynamic: int, n: int) -> tuple[str, float]:
    """An element for each thread."""
    blocks = -(-n // block)
    array = f"F:{blocks * block}:zero"
    return f"axpy {blocks} 1 {block} 1 {dynamic} {array} {array} f:2", 12 * blocks * block


def occupancies() -> Iterator[Curve]:
    """a * x + y: an element for each thread, or as many threads as fit at once."""
    sizes = 1 << 21, 1 << 22
    yield curve(
        "block size",
        "axpy",
        section("axpy_block_size"),
        "GBps",
        lambda block, n: axpy(block, 0, n),
        rounds=sizes,
        rate=True,
        alone=False,
    )
    for table in ("axpy_occupancy", "axpy_grid_stride_occupancy"):
        rows = section(table, 2)

        def looping(block: int, dynamic: int, n: int, *, rows=rows) -> tuple[str, float]:
            blocks = MULTIPROCESSORS * rows[block, dynamic]["blocks_per_sm"]
            count = blocks * block * n
            array = f"F:{count}:zero"
            return f"axpy_looping {blocks} 1 {block} 1 {dynamic} {array} {array} f:2 i:{n}", 12 * count

        for block in (128, 256):
            yield curve(
                "occupancy",
                f"{table.removesuffix('_occupancy')}, blocks of {block}",
                rows,
                "GBps",
                axpy if table == "axpy_occupancy" else looping,
                among=[key for key in rows if key[0] == block],
                rounds=sizes if table == "axpy_occupancy" else (8, 24),
                rate=True,
                alone=False,
            )


def global_atomics() -> Iterator[Curve]:
    """Of one warp, a result after the other; and of all at once."""
    rows = section("global_atomic")
    yield curve(
        "atomics",
        "global_add_chain",
        rows,
        "latency_chain_cycles",
        lambda lanes, n: (f"global_add_chain 1 1 32 1 0 I:96:zero i:{lanes} i:{n}", n),
        alone=False,
    )
    warps = 4 * 8 * MULTIPROCESSORS
    for column, apart in (
        ("int_noret_own_line_per_warp_Gops", 32),
        ("int_noret_all_warps_same_line_Gops", 0),
    ):
        yield curve(
            "atomics",
            f"global_adds, {'a line for each warp' if apart else 'one line'}",
            rows,
            column,
            lambda lanes, n, apart=apart: (
                f"global_adds {4 * MULTIPROCESSORS} 1 256 1 0 I:{32 * warps}:zero i:{lanes} i:{apart} i:{n}",
                32 * warps * n,
            ),
            rounds=(8, 24),
            rate=True,
            alone=False,
        )
