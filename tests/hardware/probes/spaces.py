"""Which accesses to local memory, and which atomics, are in memory_spaces.json? Offsets for 32 lanes.

A pattern is (name, mask, offsets in bytes of the 32 lanes); `width` is bytes a lane.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

LANES = range(32)
ALL = 0xFFFFFFFF
MASKS = {
    "all lanes": ALL,
    "low half": 0xFFFF,
    "odd lanes": 0xAAAAAAAA,
    "lane 5": 1 << 5,
    "lanes 3 and 19": 1 << 3 | 1 << 19,
}
WIDTHS = {"u32": 4, "s32": 4, "f32": 4, "u64": 8, "f64": 8}
OPERATIONS = (
    "add_u32", "max_s32", "exch_u32", "cas_u32", "add_f32", "add_u64", "exch_u64", "cas_u64", "add_f64",
)  # fmt: skip
LOCAL_BYTES = 512
Pattern = tuple[str, int, list[int]]


def local(width: int) -> Iterator[Pattern]:
    """Elements of an array of each thread's own: the same one, neighbours, far ones, random ones."""
    elements = LOCAL_BYTES // width
    shapes = {
        "all element 0": [0 for _ in LANES],
        "all element 1": [1 for _ in LANES],
        "all element 5": [5 for _ in LANES],
        "lane mod 2": [lane % 2 for lane in LANES],
        "lane mod 4": [lane % 4 for lane in LANES],
        "lane / 8": [lane // 8 for lane in LANES],
        "lane": [lane % elements for lane in LANES],
        "31 - lane": [(31 - lane) % elements for lane in LANES],
        "2 lane": [2 * lane % elements for lane in LANES],
    }
    for name, shape in shapes.items():
        yield name, ALL, [width * element for element in shape]
    for name, mask in list(MASKS.items())[1:]:
        yield f"all element 1, {name}", mask, [width for _ in LANES]
        yield f"lane, {name}", mask, [width * (lane % elements) for lane in LANES]
    yield from _random(width, elements, 6)


def atomic(width: int) -> Iterator[Pattern]:
    """Words side by side, apart, shared by some lanes or all, at random."""
    shapes = {
        "unit stride": list(LANES),
        "same word": [0 for _ in LANES],
        "two words by parity": [lane % 2 for lane in LANES],
        "two words by half": [lane // 16 for lane in LANES],
        "4 lanes a word": [lane // 4 for lane in LANES],
        "lane mod 8": [lane % 8 for lane in LANES],
        "stride 2": [2 * lane for lane in LANES],
        "stride 8": [8 * lane for lane in LANES],
        "stride 32": [32 * lane for lane in LANES],
        "same bank, 2 lanes a word": [32 * (lane // 2) for lane in LANES],
    }
    for name, shape in shapes.items():
        yield name, ALL, [width * element for element in shape]
    for name, mask in list(MASKS.items())[1:]:
        yield f"unit stride, {name}", mask, [width * lane for lane in LANES]
        yield f"same word, {name}", mask, [0 for _ in LANES]
    yield from _random(width, 64, 3)
    yield from _random(width, 1024, 3)


def _random(width: int, elements: int, count: int) -> Iterator[Pattern]:
    draw = random.Random(1000 * width + elements)
    for number in range(count):
        mask = ALL if number % 2 else draw.getrandbits(32) | 1
        few = [draw.randrange(elements) for _ in range(draw.choice((2, 4, 32)))]
        yield f"random {number} of {elements}", mask, [width * draw.choice(few) for _ in LANES]
