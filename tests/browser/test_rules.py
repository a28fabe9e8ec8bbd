"""Do the closed rules of the widgets agree with the package's? Thousands of random requests, one by one."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim.ir.parameters import MOST_BYTES, placed
from gpusim.measurements import banks, coalescing, groups, parameter_packer
from gpusim.measurements.occupancies import device_limits
from gpusim.reports.visibility import GuardedArrow, VisibilityBox, sights
from gpusim.timing import placement
from gpusim.views import embed

LANES = 32
CASES = 600


@pytest.fixture
def answers(open_fragments):
    """What a function of a module of rules gives for each of some cases."""

    def answers(module: str, function: str, cases: list[Any]) -> list[Any]:
        source = (embed.WIDGETS / f"{module}.js").read_text(encoding="utf-8")
        found = open_fragments().evaluate(  # as text: Playwright would wrap every number for itself
            f"""async ([source, cases]) => {{
                const url = URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }}));
                const rules = await import(url);
                return JSON.stringify(JSON.parse(cases).map({function}));
            }}""",
            [source, json.dumps(cases)],
        )
        answer: list[Any] = json.loads(found)
        return answer

    return answers


DEVICES = [gpusim.devices.get(name) for name in gpusim.devices.names()]
OCCUPANCY = """([gpu, threads, registers, shared]) => {
    const found = rules.occupancyOf(gpu, threads, registers, shared);
    const shares = Object.entries(found.shares).map(([name, share]) =>
        [name, share.each, share.capacity, share.usable, share.blocks]);
    return [found.blocks, found.warps, found.limiting, `${found.held} ${found.why}`, shares];
}"""


def patterns(width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Lanes in order with a stride and an offset, random, in pairs, at one address; some of them idle."""
    random = np.random.default_rng(seed)
    lane = np.arange(LANES)
    rows = []
    for number in range(CASES):
        stride, offset = random.integers(0, 70), random.integers(0, 200)
        kinds = [
            offset + stride * lane,
            random.integers(0, random.integers(1, 2000), LANES),
            (offset + stride * lane)[lane ^ (lane & random.integers(1, 4))],
            random.permutation(offset + stride * lane),
        ]
        rows.append(kinds[number % len(kinds)])
    active = random.random((CASES, LANES)) < random.choice([0.3, 0.9, 1], (CASES, 1))
    active[:, 0] |= ~active.any(axis=1)
    return np.array(rows) * width, active


@pytest.mark.parametrize("width", [4, 8, 16])
def test_the_banks_of_the_tile_explorer_are_those_of_the_package(answers, width):
    addresses, active = patterns(width, seed=width)
    cases = [
        [address if on else None for address, on in zip(*row, strict=True)]
        for row in zip(addresses.tolist(), active.tolist(), strict=True)
    ]
    shown = answers(
        "bank_rules",
        f"(lanes) => rules.bankPhases(lanes, {width}).map((phase) => [phase.lanes, phase.wavefronts,"
        " phase.queues.map((queue) => [...queue])])",
        cases,
    )
    counted = banks.wavefronts(addresses, active, width)
    assert [sum(wavefronts for _, wavefronts, _ in phases) for phases in shown] == counted.tolist()
    for found, phases in zip(shown, banks.phases(addresses, active, width), strict=True):
        assert len(found) == len(phases)
        for (lanes, wavefronts, queues), phase in zip(found, phases, strict=True):
            assert lanes[0] >= phase.lanes[0]
            assert set(lanes) <= set(phase.lanes)
            assert wavefronts == len(phase.wavefronts)
            for turn, wavefront in enumerate(phase.wavefronts):
                served = {
                    bank: (4 * queue[turn][0], tuple(queue[turn][1]))
                    for bank, queue in enumerate(queues)
                    if turn < len(queue)
                }
                assert served == wavefront


@pytest.mark.parametrize("width", [1, 2, 4, 8, 12, 16])
def test_the_sectors_of_the_stride_explorer_are_those_of_the_package(answers, width):
    addresses, active = patterns(width, seed=100 + width)
    cases = [
        [[lane, int(row[lane])] for lane in np.flatnonzero(on).tolist()]
        for row, on in zip(addresses, active, strict=True)
    ]
    shown = answers("sector_rules", f"(wants) => [...rules.sectorsOf(wants, {width})]", cases)
    assert [len(sectors) for sectors in shown] == coalescing.transactions(
        addresses, active, width
    ).sectors.tolist()
    for sectors, moves in zip(shown, coalescing.transfers(addresses, active, width), strict=True):
        assert dict(sorted((move.address, list(move.lanes)) for move in moves)) == dict(map(tuple, sectors))
        assert [first for first, _ in sectors] == sorted(first for first, _ in sectors)


def test_the_occupancy_of_the_explorer_is_that_of_the_package(answers):
    """On all devices of the catalogue: blocks of every resource, and the sentences."""
    chance = random.Random(14)
    cases = []
    for number in range(10 * CASES):
        device = DEVICES[number % len(DEVICES)]
        most = device.shared_bytes_per_block_optin
        cases.append(
            (
                device,
                chance.choice((chance.randint(1, device.max_threads_per_block), 32 * chance.randint(1, 16))),
                chance.randint(1, device.max_registers_per_thread),
                chance.choice((0, chance.randint(0, most), 512 * chance.randint(0, most // 512))),
            )
        )
    limits = {device.name: device_limits(device).as_dict() for device in DEVICES}
    asked = [[limits[device.name], *numbers] for device, *numbers in cases]
    found = answers("occupancy_rules", OCCUPANCY, asked)
    for (device, threads, registers, shared), (*shown, resources) in zip(cases, found, strict=True):
        told = gpusim.occupancy(device, threads=threads, registers_per_thread=registers, shared_bytes=shared)
        assert shown == [told.blocks, told.warps, list(told.limiting), told.says]
        for limit, (name, each, capacity, usable, blocks) in zip(told.limits, resources, strict=True):
            assert (name, each, capacity, blocks) == (
                limit.resource,
                limit.per_block,
                limit.capacity,
                limit.blocks,
            )
            assert (blocks or 0) * each <= usable <= capacity


def test_the_limits_of_the_explorer_are_those_of_the_package(answers):
    """On all devices whose kernels launch others: every row, every call, every sentence."""
    chance = random.Random(23)
    several = [device for device in DEVICES if (device.compute_capability or (9, 0)) >= (3, 5)]
    figures = {one.name: gpusim.explore_limits(one).variants[0].as_dict() for one in several}
    sentences = dict(gpusim.explore_limits(several[0]).sentences)
    cases, asked = [], []
    for number in range(5 * CASES):
        device = several[number % len(several)]
        given = {
            "cdp": chance.choice((1, 2)),
            "depth": chance.choice((1, 2, 3, chance.randint(1, 30))),
            "launches": chance.choice((1, chance.randint(1, 100), chance.randint(1, 20_000))),
            "synchronization_depth": chance.choice((0, 2, chance.randint(0, 26))),
            "pending_launches": chance.choice(
                (0, 1, 2048, chance.randint(0, 40), 1 << chance.randint(0, 24))
            ),
            "stack_bytes": chance.choice((1024, chance.randint(0, 1 << 19))),
            "heap_bytes": chance.choice(
                (0, 8 << 20, chance.randint(0, 1 << 17), 1 << chance.randint(12, 38))
            ),
        }
        cases.append((device, given))
        asked.append([figures[device.name], given, sentences])
    found = answers(
        "limits_rules", "([gpu, given, sentences]) => rules.workedOut(gpu, given, sentences)", asked
    )
    for (device, given), shown in zip(cases, found, strict=True):
        (told,) = gpusim.explore_limits(device, **given).variants
        data = told.as_dict()
        assert shown == {name: data[name] for name in ("reserved", "free_bytes", "calls")}, given
    errors = {error for shown in found for _, error, _ in shown["calls"]}
    assert len(errors) == 7  # success, and six others: every one came about


PLACEMENT = """([times, multiprocessors, resident]) => {
    const stays = rules.placed(times, multiprocessors, resident);
    const { end, tail, idle, empty } = rules.tailOf(stays, multiprocessors, resident);
    return [stays, end, [tail, idle, empty]];
}"""


def test_the_placement_of_the_view_is_that_of_the_package(answers):
    """Blocks that take their own time, in eighths of a turn, so that many end together."""
    chance, cases = random.Random(15), []
    for _ in range(2 * CASES):
        multiprocessors, resident = chance.randint(1, 9), chance.randint(1, 5)
        most = chance.choice((1, 3, 40))
        times = [
            chance.randint(1, most) / 8 for _ in range(chance.randint(1, 4 * multiprocessors * resident))
        ]
        cases.append((times, multiprocessors, resident))
    for (times, *room), (shown, end, ending) in zip(
        cases, answers("placement_rules", PLACEMENT, cases), strict=True
    ):
        stays = placement.placed(np.array(times), room[1], 1.0, *room)
        assert [tuple(stay) for stay in shown] == stays
        assert end == max(stay.end for stay in stays)
        assert ending == pytest.approx(placement.tail(stays, *room))


GROUPS = """([asked, what, by, given, holds]) => rules.levelsOf(asked).map((level, depth, all) =>
  level.map((group) => {
    const { threads, size, number, groups, mask } = group;
    if (depth < all.length - 1) return [threads, size, number, groups, `${mask}`];
    const steps = rules.stepsOf(group, what, by, given, holds);
    const shown = steps.map(({ says, values, from, marks, parts }) => [says, values, from, marks, parts]);
    return [threads, size, number, groups, `${mask}`, rules.refusal(group, what, by), shown];
}))"""
COLLECTIVES = ("shfl_down", "shfl_xor", "reduce", "inclusive_scan", "ballot", "sync")


def random_groups(count: int):
    chance = random.Random(15)
    for number in range(count):
        threads, lanes = chance.randint(1, 40), chance.choice((32, 64))
        threads = chance.choice((threads, threads, threads, lanes, 100, 128, threads & -8 or 8))
        kind = chance.choice(("tiles", "tiles", "coalesced", "binary", "labeled"))
        labels = [chance.randrange(chance.choice((1, 2, 2, 5))) for _ in range(threads)]
        asked = {
            "threads": threads,
            "lanes": lanes,
            "kind": kind,
            "tile": chance.choice(groups.SIZES),
            "inner": chance.choice((0, *groups.SIZES)),
            "picked": [label % 2 for label in labels] if kind in ("coalesced", "binary") else labels,
        }
        given = [chance.randint(0, 99) for _ in range(threads)]
        holds = [chance.randrange(2) for _ in range(threads)]
        yield asked, COLLECTIVES[number % 6], chance.choice((1, 2, 3, 4, 8, 16)), given, holds


def test_the_groups_of_the_group_map_are_those_of_the_package(answers):
    """What each thread is in every group, and what each step of a collective gives it."""
    cases = list(random_groups(2000))
    for (asked, what, by, given, holds), shown in zip(
        cases, answers("group_rules", GROUPS, cases), strict=True
    ):
        levels = groups.levels(**asked)
        told = [
            [
                [list(group.threads), group.size, group.number, group.groups, str(group.mask)]
                for group in level
            ]
            for level in levels
        ]
        assert told == [[group[:5] for group in level] for level in shown]
        for group, (*_, refused, steps) in zip(levels[-1], shown[-1], strict=True):
            wide, loose = group.size > asked["lanes"], asked["kind"] != "tiles"
            assert bool(refused) == (
                len(group.threads) < group.size
                or (wide and what in ("shfl_down", "shfl_xor", "ballot"))
                or (what == "shfl_xor" and (loose or by >= group.size))
            )
            if refused:
                assert [says for says, *_ in steps] == [refused]
                continue
            expected = groups.result(group, what, given, by, holds)
            if what == "ballot":
                assert f" 0x{expected[0]:x}." in steps[-1][0]
            else:
                assert steps[-1][1] == expected
            follows(what, steps)


def follows(what, steps):
    """Each step's values come from where its arrows begin, and its sentence is one or two."""
    for (_, had, *_), (says, values, origins, _marks, parts) in pairwise(steps):
        assert says[0].isupper()
        assert says[-1] == "."
        assert "undefined" not in says
        if parts or what in ("ballot", "sync"):
            continue
        adds = says.startswith("Step ")
        assert values == [
            had[rank] if origin < 0 else had[origin] + (had[rank] if adds else 0)
            for rank, origin in enumerate(origins)
        ]


PACKED = """([names, parts, most]) => {
  const { firsts, size } = rules.packed(parts), ends = firsts.map((first, place) => first + parts[place][0]);
  const padding = firsts.map((first, place) => first - (ends[place - 1] ?? 0));
  const says = firsts.map((first, at) => rules.packedSays(names[at], parts[at], first, padding[at]));
  return [firsts, size, rules.tightest(parts), says, rules.wholeSays(names, parts, most)];
}"""


def test_the_parameter_packer_places_as_the_package_does(answers):
    """Where each parameter lies and why, which order needs least, and what is too much."""
    chance, most = random.Random(16), [MOST_BYTES[1], MOST_BYTES[2]]
    cases = []
    for _ in range(3000):
        alignments = [2 ** chance.randrange(5) for _ in range(chance.randint(1, 12))]
        longest = chance.choice((1, 2, 4, 300))
        parts = [(alignment * chance.randint(1, longest), alignment) for alignment in alignments]
        cases.append(([f"p{place}" for place in range(len(parts))], parts, most))
    for (names, parts, _), shown in zip(cases, answers("packer_rules", PACKED, cases), strict=True):
        firsts, size = placed(parts)
        ends = [0, *(first + bytes_ for first, (bytes_, _) in zip(firsts, parts, strict=True))]
        says = [
            parameter_packer.placed_says(name, *part, first, first - end)
            for name, part, first, end in zip(names, parts, firsts, ends, strict=False)
        ]
        order = parameter_packer.tightest(parts)
        assert shown == [firsts, size, order, says, parameter_packer.whole_says(names, parts, most)]
        assert placed(parts[place] for place in order)[1] == sum(bytes_ for bytes_, _ in parts)


SIGHTS = """([boxes, removed]) =>
    [...rules.sights(boxes, new Set(removed))].map(([box, one]) => [box, one.sees, one.may, one.certain])"""


def random_boxes(count: int):
    """Boxes on few cells, each after some earlier ones, with guards; and which of these are removed."""
    chance = random.Random(7)
    for _ in range(count):
        boxes = []
        for number in range(chance.randrange(1, 12)):
            kind = chance.choice(["read", "write", "atomic", "barrier"])
            after = chance.sample(range(number), min(number, chance.randrange(3)))
            arrows = tuple(GuardedArrow(box, "", chance.randrange(-1, 3)) for box in sorted(after))
            cell = "" if kind == "barrier" else chance.choice("xy")
            boxes.append(VisibilityBox(number, 0, kind, "", cell, "", arrows))
        yield boxes, chance.sample(range(3), chance.randrange(3))


def test_what_reads_see_in_the_visibility_view_is_what_the_package_says(answers):
    cases = list(random_boxes(CASES))
    asked = [[[box.as_dict() for box in boxes], removed] for boxes, removed in cases]
    for (boxes, removed), found in zip(cases, answers("visibility_rules", SIGHTS, asked), strict=True):
        told = sights(boxes, frozenset(removed))
        assert found == [[one.box, [*one.sees], [*one.may_see], one.certain] for one in told]
