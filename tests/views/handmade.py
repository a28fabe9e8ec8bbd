"""Reports written by hand, small enough to check on paper: a kernel of 40 threads whose lanes part twice.

Lanes 0-31 (or 0-39 of 64) enter; thread 0 leaves early; even threads take the if side, odd ones the
else side; all meet at a barrier. Every lane state occurs.
"""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from gpusim.reports import bank, block, memory, roofline, schedule, sector
from gpusim.reports.exploration import ExplorationReport, OutcomeReport
from gpusim.reports.prediction import PredictionReport
from gpusim.reports.report import Drawn
from gpusim.reports.source import AccessMade
from gpusim.reports.warp import (
    Frame,
    SoFar,
    SourceText,
    StackEntry,
    Warp,
    WarpReport,
    WarpTotals,
    WarpVariant,
)
from gpusim.views.predictions import report as prediction_report

THREADS = 40
FIRST_LINE = 12
SOURCE = """\
@cuda.jit
def halve(values):
    i = cuda.grid(1)
    if i == 0:
        return
    if i % 2 == 0:  # even threads
        values[i] /= 2
    else:
        values[i] = 0
        values[i] += 1 < 2
    cuda.syncthreads()"""
PARTS, JOINS = 17, 22

Lanes = set[int]


def hex_mask(members: Lanes, lanes: int) -> str:
    return f"{sum(1 << lane for lane in members):0{lanes // 4}x}"


def warp_frames(index: int, threads: range, lanes: int) -> list[Frame]:
    """The frames of one warp, in order."""
    everyone = {thread - threads.start for thread in threads}
    gone = everyone & ({0} if threads.start == 0 else set())
    rest = everyone - gone
    even = {lane for lane in rest if (threads.start + lane) % 2 == 0}
    odd = rest - even

    frames: list[Frame] = []
    counted = {"instructions": 0, "thread_instructions": 0}

    def step(
        line: int,
        running: dict[str, Lanes],
        stack: list[tuple[str, Lanes, int, int | None]],
        instructions: str,
        event: str = "",
    ) -> None:
        states = ["."] * lanes
        for lane in everyone:
            states[lane] = "s"
        for state, members in running.items():
            for lane in members:
                states[lane] = state
        active = sum(state in "cie" for state in states)
        listing = instructions.split("; ") if instructions else []
        counted["instructions"] += len(listing)
        counted["thread_instructions"] += len(listing) * active
        ratio = counted["thread_instructions"] / counted["instructions"]
        frames.append(
            Frame(
                warp=index,
                line=line,
                instructions=tuple(listing),
                states="".join(states),
                event=event,
                active=active,
                stack=tuple(
                    StackEntry(what, hex_mask(members, lanes), at, join) for what, members, at, join in stack
                ),
                so_far=SoFar(**counted, active_lanes_per_instruction=ratio),
            )
        )

    whole = ("whole warp", everyone, 14, None)
    step(14, {"c": everyone}, [whole], "mad.s32 %i, %ctaid.x, %ntid.x, %tid.x")
    if gone:
        step(
            15,
            {"c": everyone},
            [whole],
            "setp.eq.s32 %p1, %i, 0; bra %p1",
            "diverges: 1 lane takes the if side, the others wait",
        )
        step(
            16,
            {"i": gone},
            [("whole warp", rest, 17, None), ("if side", gone, 16, 17)],
            "exit",
            "lane 0 leaves the kernel",
        )
    else:
        step(15, {"c": everyone}, [whole], "setp.eq.s32 %p1, %i, 0; bra %p1")
    left = {"x": gone}
    joined = ("reconverge", rest, JOINS, None)
    other = ("else side", odd, 19, JOINS)
    step(
        PARTS,
        {"c": rest, **left},
        [("whole warp", rest, PARTS, None)],
        "and.b32 %r1, %i, 1; setp.ne.s32 %p2, %r1, 0; bra %p2",
        f"diverges: {len(even)} lanes take the if side, {len(odd)} wait",
    )
    step(
        18,
        {"i": even, **left},
        [joined, other, ("if side", even, 18, JOINS)],
        "ld.global.f64 %x, values[%i]; div.f64 %x, %x, 2.0; st.global.f64 values[%i], %x",
        f"{len(even)} lanes reach line {JOINS} and wait there",
    )
    step(20, {"e": odd, **left}, [joined, other], "st.global.f64 values[%i], 0.0")
    step(
        21,
        {"e": odd, **left},
        [joined, other],
        "ld.global.f64 %x, values[%i]; add.f64 %x, %x, 1.0; st.global.f64 values[%i], %x",
        "lanes reconverge",
    )
    step(JOINS, {"c": rest, **left}, [("whole warp", rest, JOINS, None)], "bar.sync")
    if index == 0:
        step(
            JOINS,
            {"b": rest, **left},
            [("whole warp", rest, JOINS, None)],
            "",
            "warp 0 waits at the barrier for the other warps",
        )
    return frames


def variant(lanes: int, scheduling: str = "independent") -> WarpVariant:
    cuts = [*range(0, THREADS, lanes), THREADS]
    parts = [range(start, stop) for start, stop in pairwise(cuts)]
    frames = [frame for index, threads in enumerate(parts) for frame in warp_frames(index, threads, lanes)]
    instructions = sum(len(frame.instructions) for frame in frames)
    thread_instructions = sum(len(frame.instructions) * frame.active for frame in frames)
    return WarpVariant(
        label=f"handmade, {lanes} lanes, {scheduling}",
        device="by hand",
        lanes=lanes,
        scheduling=scheduling,
        error=None,
        warps=tuple(Warp((0, 0, 0), index, len(threads)) for index, threads in enumerate(parts)),
        frames=tuple(frames),
        totals=WarpTotals(
            instructions=instructions,
            thread_instructions=thread_instructions,
            branches=2 * len(parts),
            divergent_branches=len(parts) + 1,
            active_lanes_per_instruction=thread_instructions / instructions,
        ),
    )


def warp_report(*lanes: int) -> WarpReport:
    return WarpReport(
        title="halve, 40 threads",
        source=SourceText("halve", FIRST_LINE, tuple(SOURCE.splitlines())),
        variants=tuple(variant(width) for width in lanes or (32,)),
    )


def block_report(*shapes: tuple[tuple[int, int, int], int]) -> block.BlockReport:
    """One variant for each (block, lanes)."""
    variants = []
    for (width, height, depth), lanes in shapes or [((16, 4, 1), 32)]:
        threads = tuple((x, y, z) for z in range(depth) for y in range(height) for x in range(width))
        warps = tuple(
            block.WarpThreads(start // lanes, len(members), members[0], members[-1])
            for start in range(0, len(threads), lanes)
            if (members := threads[start : start + lanes])
        )
        label = f"{len(threads)} threads, {lanes} lanes"
        variants.append(block.BlockVariant(label, "by hand", lanes, (width, height, depth), warps))
    return block.BlockReport("From threads to warps", tuple(variants))


EXCHANGE = """\
@cuda.jit
def neighbour(x):
    s = cuda.shared.array(4, np.int32)
    i = cuda.threadIdx.x
    s[i] = 10 * i
    x[i] = s[(i + 1) % 4]"""
WRITE, READ = 5, 6


def schedule_report() -> schedule.ScheduleReport:
    """Four threads read what their neighbour wrote, with no barrier: in step; lane by lane; half in step.

    Thread 0 is the first to read too early: 10 in step, nothing where it runs alone.
    """
    parts = (
        schedule.Part(WRITE, ("mul.s32 %1, %i, 10", "st.shared.s32 s[%i], %1")),
        schedule.Part(READ, ("ld.shared.s32 %3, s[%2]", "st.global.s32 x[%i], %3")),
    )

    def steps(*turns: tuple[int, list[int]]) -> tuple[schedule.Step, ...]:
        held, taken = dict[int, str](), []
        for part, members in turns:
            mask = f"{sum(1 << lane for lane in members):08x}"
            if part == 0:
                held |= {lane: str(10 * lane) for lane in members}
                reads, written = {}, {"s": [(lane, held[lane]) for lane in members]}
            else:
                from_lanes = [(lane + 1) % 4 for lane in members]
                reads = {"s": tuple(sorted(from_lanes))}
                values = [held.get(of, "-1") for of in from_lanes]
                written = {"x": list(zip(members, values, strict=True))}
            writes = {
                name: tuple(schedule.Written(*pair) for pair in pairs) for name, pairs in written.items()
            }
            taken.append(schedule.Step(0, part, mask, reads, writes))
        return tuple(taken)

    everyone = [0, 1, 2, 3]
    memory = (
        schedule.ArrayReport("x", "global", ("7",) * 4),
        schedule.ArrayReport("s", "shared", ("",) * 4),
    )
    runs = [
        ("friendly", 0, steps((0, everyone), (1, everyone))),
        ("seed 3", 1, steps((0, [0]), (1, [0]), (0, [1]), (1, [1]), (0, [2]), (1, [2]), (0, [3]), (1, [3]))),
        ("seed 8", 2, steps((0, [0, 1]), (1, [0]), (1, [1]), (0, [2, 3]), (1, [2, 3]))),
    ]
    outcomes = [
        ("x = [10, 20, 30, 0]", 5, None, "friendly"),
        ("x[0]: -1, not 10; x[1]: -1, not 20; x[2]: -1, not 30", 2, None, 3),
        ("OutOfBounds: made up for the picture", 1, "OutOfBounds", 8),
    ]
    differences = [
        ((0, 1), (1, 1), "thread 0", "reads 10 from s[1]", "reads -1 from s[1]"),
        ((0, 2), (1, 2), "thread 1", "reads 20 from s[2]", "reads -1 from s[2]"),
        ((1, 2), (1, 1), "thread 0", "reads -1 from s[1]", "reads 10 from s[1]"),
    ]
    return schedule.ScheduleReport(
        title="neighbour, 4 threads",
        source=SourceText("neighbour", 1, tuple(EXCHANGE.splitlines())),
        lanes=32,
        warps=(Warp((0,), 0, 4),),
        parts=parts,
        exploration=ExplorationReport(
            kernel="neighbour",
            device="handmade",
            scheduling="independent",
            schedules=8,
            deterministic=False,
            outcomes=tuple(
                OutcomeReport(count, (first,), f"with gpusim.use(schedule={first!r}):", error, text, ())
                for text, count, error, first in outcomes
            ),
        ),
        variants=tuple(
            schedule.ScheduleVariant(label, outcome, cut=False, steps=taken, memory=memory)
            for label, outcome, taken in runs
        ),
        differences=tuple(
            schedule.FirstDifference(*difference, causes, why)
            for difference, (causes, why) in zip(differences, stories(), strict=True)
        ),
    )


def stories() -> tuple[tuple[tuple[schedule.Cause, ...], schedule.Cause], ...]:
    """Whose value was read, and who was late: both sides of each difference between the three schedules."""

    def told(element: int, right: int) -> tuple[schedule.Cause, schedule.Cause]:
        place = ("s", element)
        wrote = schedule.Cause(f"which thread {element} wrote in step {right + 1} (line 5)", right, place)
        return wrote, schedule.Cause("where nobody had written", None, place)

    def why(thread: int, read: int, late: int) -> schedule.Cause:
        text = f"thread {thread} read s[{thread + 1}] in step {read + 1}, before thread {thread + 1} wrote it"
        return schedule.Cause(f"{text} in step {late + 1} (line 5)", late, ("s", thread + 1))

    by_one = "s[1] was written by thread 1 in step 1 (line 5), before thread 0 read it in step 2"
    return (
        (told(1, 0), why(0, 1, 2)),
        (told(2, 0), why(1, 2, 3)),
        (told(1, 0)[::-1], schedule.Cause(by_one, 0, ("s", 1))),
    )


def bank_report(*strides: int) -> bank.BankReport:
    """32 lanes store to word stride · lane of 32 banks, for powers of two; then all of them load word 3."""
    variants = []
    for stride in strides or (1,):
        wavefronts: list[list[bank.Served]] = [[] for _ in range(stride)]
        for lane in range(32):
            turn, number = divmod(stride * lane, 32)
            wavefronts[turn].append(bank.Served(number, stride * lane, (lane,)))
        broadcast = [bank.Served(3, 3, tuple(range(32)))]
        accesses = (
            _bank_access("store", f"data[{stride} * t]", wavefronts),
            _bank_access("load", "data[3]", [broadcast]),
        )
        variants.append(
            bank.BankVariant(
                label=f"stride {stride}",
                device="by hand",
                lanes=32,
                banks=32,
                bank_bytes=4,
                accesses=accesses,
                left_out=0,
                totals=bank.BankTotals(requests=2, wavefronts=stride + 1, conflicts=stride - 1),
            )
        )
    return bank.BankReport("Strides", tuple(variants))


def _bank_access(kind: str, expression: str, wavefronts: list[list[bank.Served]]) -> bank.BankAccess:
    conflicts = tuple(range(1, len(wavefronts)))
    phase = bank.Phase((0, 31), "warp", tuple(map(tuple, wavefronts)), conflicts)
    source = f"{expression} = x[t]" if kind == "store" else f"x[t] = {expression}"
    made = AccessMade(9 if kind == "store" else 11, source, kind, 4, "data", expression, 0, (), 1)
    return bank.BankAccess(made, (phase,), len(wavefronts), len(conflicts))


def memory_chart(*lines: int) -> memory.MemoryChart:
    """For each number: a warp loads so many lines of 128 bytes, which are in L2, and stores one float."""
    return memory.MemoryChart("Lines", tuple(map(_moved, lines or (1,))))


def _moved(lines: int) -> memory.MemoryVariant:
    boxes = (
        memory.Box("kernel", "Kernel", 0, ()),
        memory.Box("global", "Global", 1, (f"{(4 * lines + 1) / 2:.1f} sectors", "per request")),
        memory.Box("l1", "L1", 2, ("0.0 % hit", "of loads")),
        memory.Box("l2", "L2", 3, ("100.0 % hit", "of loads")),
    )
    arrows = [
        ("kernel", "global", "load", "global_load_requests", 1, "request", 128 * lines),
        ("global", "l1", "load", "global_load_sectors", 4 * lines, "sector", 128 * lines),
        ("kernel", "global", "store", "global_store_requests", 1, "request", 32),
        ("global", "l1", "store", "global_store_sectors", 1, "sector", 32),
        ("l1", "l2", "load", "l2_load_sectors", 4 * lines, "sector", 128 * lines),
        ("l1", "l2", "store", "l2_store_sectors", 1, "sector", 32),
    ]
    return memory.MemoryVariant(f"{lines} lines", boxes, tuple(memory.Arrow(*arrow) for arrow in arrows))


RULES = (
    sector.RuleName("cc1.0", "compute capability 1.0 and 1.1", "transaction"),
    sector.RuleName("cc1.2", "compute capability 1.2 and 1.3", "segment"),
    sector.RuleName("sectors32", "32-byte sectors, 2.0 and later", "sector"),
)


def sector_report(*strides: int) -> sector.SectorReport:
    """32 lanes load every stride-th float, for strides of 1 to 32 that are powers of two."""
    variants = []
    for stride in strides or (1,):
        lanes_of = {
            # in order only with stride 1: one transaction of 64 bytes a half-warp, else one for each lane
            "cc1.0": _together(stride, 16 if stride == 1 else 1),
            "cc1.2": _together(stride, min(16, max(1, 32 // stride))),
            "sectors32": _together(stride, max(1, 8 // stride)),
        }
        rules = {}
        for rule, moves in lanes_of.items():
            moved = moves[-1].bytes_so_far
            rules[rule] = sector.Moved(moves, len(moves), moved, round(100 * 128 / moved, 1))
        access = sector.SectorAccess(
            made=AccessMade(5, f"y[t] = x[{stride} * t]", "load", 4, "x", f"x[{stride} * t]", 0, (), 1),
            array_byte=0,
            wants=tuple(sector.Want(lane, 4 * stride * lane) for lane in range(32)),
            bytes_wanted=128,
            rules=rules,
        )
        totals = {
            rule: sector.RuleTotals(found.transfers, found.bytes_moved) for rule, found in rules.items()
        }
        variants.append(
            sector.SectorVariant(
                label=f"stride {stride}",
                device="by hand",
                lanes=32,
                rule="sectors32",
                accesses=(access,),
                left_out=0,
                totals=sector.SectorTotals(1, totals),
            )
        )
    return sector.SectorReport("Strides", tuple(variants), RULES)


def _together(stride: int, lanes: int) -> tuple[sector.Move, ...]:
    """Moves of so many neighbouring lanes each, in pieces of 32, 64 or 128 bytes."""
    moves, so_far = list[sector.Move](), 0
    for first in range(0, 32, lanes):
        start, last = 4 * stride * first, 4 * stride * (first + lanes - 1) + 3
        size = next(size for size in (32, 64, 128) if start // size == last // size)
        so_far += size
        moves.append(sector.Move(start // size * size, size, tuple(range(first, first + lanes)), so_far))
    return tuple(moves)


def predictions() -> list[PredictionReport]:
    """A question of every kind, with replies to typical wrong answers."""
    return [
        prediction_report(
            "200 threads: how many warps?",
            7,
            unit="warps",
            wrong={6: "Six warps hold 192 threads.", (6.25, 6.5): "A warp is whole.", "more": "So many?"},
            why="The last one is not full.",
        ),
        prediction_report("How many lanes are active?", 28.571, unit="lanes"),
        prediction_report(
            "What is in the last warp?",
            {"threads": 8, "idle lanes": 24},
            wrong={"threads": {200: "In all warps."}, "idle lanes": {0: "The last warp has 32 lanes, too."}},
        ),
        prediction_report(
            "Which side runs first?",
            "the if side",
            choices=["the if side", "the else side", "both at once"],
            wrong={"both at once": "A warp has one program counter."},
        ),
        prediction_report(
            "Which lanes run line 8?", range(0, 8, 4), lanes=8, wrong={"more": "Not only multiples of 4."}
        ),
        prediction_report(
            "What is the mask of line 8?", "11111111", lanes=32, mask=True, wrong={"88888888": "Backwards."}
        ),
        prediction_report("How many cycles, do you think?", unit="cycles", why="Now measure."),
    ]


def first_changed(report: Drawn, **changes: Any) -> Drawn:
    """The report, with other values in its first variant."""
    first, *others = report.variants
    return replace(report, variants=(replace(first, **changes), *others))


def roofline_report(*performances: float) -> roofline.RooflineReport:
    """Kernels with an operation for every byte, on a device of 64 TFLOP/s, 4 and 8 TB/s; and a larger one."""

    def device(name: str, size: int) -> roofline.RooflineDevice:
        limits = [
            roofline.Limit(each, size * most, f"{each} {most / 1e12:g}")
            for each, most in (("FP32", 64e12), ("FP64", 32e12), ("DRAM", 4e12), ("L2", 8e12))
        ]
        return roofline.RooflineDevice(name, tuple(limits[:2]), tuple(limits[2:]), "assumed")

    def place(performance: float, level: str, most: float) -> roofline.Place:
        if not performance:
            return roofline.Place(None, None, 1e12, f"It computes no floats; of {level} it moves 1 TB/s.")
        return roofline.Place(1.0, most, performance, f"{performance:g} of {most:g} by {level}.")

    points = [
        roofline.RooflinePoint(
            f"kernel {number}",
            "small",
            performance,
            "Bound by latency.",
            (place(performance, "DRAM", 4e12), place(performance, "L2", 8e12)),
        )
        for number, performance in enumerate(performances or (1e12, 0.0))
    ]
    return roofline.RooflineReport("Rooflines", tuple(points), (device("small", 1), device("large", 4)))
