"""What do the views show where nothing can move: a terminal, a reader without scripts, a printed page?"""

from collections.abc import Sequence

from gpusim.reports.bank import BankAccess, BankReport, BankVariant
from gpusim.reports.block import BlockReport, BlockVariant
from gpusim.reports.carveout import CarveoutReport, CarveoutVariant
from gpusim.reports.group import GroupExploration
from gpusim.reports.limits import LimitsReport
from gpusim.reports.memory import MemoryChart
from gpusim.reports.occupancy import OccupancyExploration
from gpusim.reports.order import OrderReport, OrderVariant
from gpusim.reports.parameter_packing import ParameterPacking
from gpusim.reports.placement import PlacementExploration
from gpusim.reports.prediction import PredictionReport
from gpusim.reports.roofline import RooflineReport
from gpusim.reports.schedule import ScheduleReport
from gpusim.reports.sector import SectorReport
from gpusim.reports.source import AccessMade, SourceText
from gpusim.reports.stride import StrideReport
from gpusim.reports.tile import TileReport
from gpusim.reports.timeline import Timeline, TimelineVariant, unpacked
from gpusim.reports.tree_growth import GrowthReport
from gpusim.reports.visibility import VisibilityReport
from gpusim.reports.warp import Warp, WarpReport, WarpVariant
from gpusim.views import grown_tree, launch_limits, visibility
from gpusim.whole import number_of

STATES = {
    "c": "coherent",
    "i": "if side",
    "e": "else side",
    "s": "stalled",
    "b": "at a barrier",
    "x": "has left the kernel",
    ".": "no thread",
}
FRAMES_SHOWN = 24
CLOCKS_SHOWN = 100
OUTCOMES_SHOWN = 6
GROUPS_SHOWN = 16


def warp_player(report: WarpReport) -> str:
    """Which lanes ran which line, step by step? One row a step, one character a lane, lane 0 at the left."""
    return "\n\n".join([report.title, *(_steps(report.source, variant) for variant in report.variants)])


def _steps(source: SourceText, variant: WarpVariant) -> str:
    totals, frames, warps = variant.totals, variant.frames, variant.warps
    names = _warp_names(warps) if len(warps) > 1 else [""]
    name_width = max(4, *map(len, names)) + 2 if len(warps) > 1 else 0
    width = max(len("lanes"), variant.lanes)
    rows = [
        f"{variant.label}: {totals.instructions} instructions, "
        f"{totals.active_lanes_per_instruction:.1f} of {variant.lanes} lanes active in each, "
        f"{totals.divergent_branches} of {totals.branches} branches diverged",
        f"step  {'warp' if name_width else '':<{name_width}}line  {'lanes':<{width}}  source",
    ]
    for step, frame in enumerate(frames[:FRAMES_SHOWN], start=1):
        row = frame.line - source.first_line
        text = source.lines[row].rstrip() if 0 <= row < len(source.lines) else "(the kernel's end)"
        warp = f"{names[frame.warp]:<{name_width}}"
        rows.append(f"{step:4}  {warp}{frame.line:4}  {frame.states:<{width}}  {text}".rstrip())
    if len(frames) > FRAMES_SHOWN:
        rows.append(f"      … {len(frames) - FRAMES_SHOWN} more steps")
    seen = {state for frame in frames for state in frame.states}
    rows.append(
        "      " + ", ".join(f"{state} {meaning}" for state, meaning in STATES.items() if state in seen)
    )
    return "\n".join(rows)


def _warp_names(warps: Sequence[Warp]) -> list[str]:
    """With their block where there is more than one."""
    several_blocks = len({warp.block for warp in warps}) > 1
    return [f"{_place(warp.block)} {warp.warp}" if several_blocks else str(warp.warp) for warp in warps]


def schedule_explorer(report: ScheduleReport) -> str:
    """Which outcomes are there, and in which order did the lanes run under the first two schedules?"""
    variants = report.variants[:2]
    parted = next((entry for entry in report.differences if entry.pair == (0, 1)), None)
    rows = [f"{report.title}: {report.exploration.schedules} schedules"]
    outcomes = report.exploration.outcomes
    for number, outcome in enumerate(outcomes[:OUTCOMES_SHOWN], start=1):
        rows.append(f"  {number}. {outcome.count} × {outcome.description}")
    if len(outcomes) > OUTCOMES_SHOWN:
        rows.append(f"  … and {len(outcomes) - OUTCOMES_SHOWN} more outcomes")
    for side, variant in enumerate(variants):
        rows += ["", f"{variant.label}, outcome {variant.outcome + 1}", "step  warp  line  mask"]
        for number, step in enumerate(variant.steps[:FRAMES_SHOWN]):
            line = report.parts[step.part].line
            mark = "  <- first difference" if parted and parted.steps[side] == number else ""
            rows.append(f"{number + 1:4}  {step.warp:4}  {line:4}  {step.mask}{mark}")
        if len(variant.steps) > FRAMES_SHOWN:
            rows.append(f"      … {len(variant.steps) - FRAMES_SHOWN} more steps")
    if parted:
        sides = (parted.here, parted.there)
        told = [f"{says}, {of.says}" if of else says for says, of in zip(sides, parted.causes, strict=True)]
        rows += ["", f"{parted.thread} {told[0]}; in the other schedule it {told[1]}"]
        rows += [f"there, {parted.why.says}"] if parted.why else []
    return "\n".join(rows)


def block_mapper(report: BlockReport) -> str:
    """Which threads make up which warp? One row a warp."""
    return "\n\n".join([report.title, *map(_warps, report.variants)])


def _warps(variant: BlockVariant) -> str:
    lanes = variant.lanes
    rows = [f"{variant.label} ({variant.device}): block {_place(variant.block)}"]
    for warp in variant.warps:
        idle = f", {lanes - warp.threads} of {lanes} lanes idle" if warp.threads < lanes else ""
        members = f"{_place(warp.first)} to {_place(warp.last)}"
        rows.append(f"  warp {warp.warp}: {warp.threads} threads {members}{idle}")
    return "\n".join(rows)


def carveout_explorer(report: CarveoutReport) -> str:
    """How is memory split for the request shown first? One row a capacity of its device; then the others."""
    shared, threads, percent, config = report.start
    asked = report.configs[config].name if config else f"{report.percents[percent]} %"
    asked = "no preference" if not config and report.percents[percent] < 0 else asked
    block = f"{report.shared[shared]} of shared memory and {report.threads[threads]} threads a block"
    rows = [f"{report.title}: {block}, {asked}"]
    for number, variant in enumerate(report.variants):
        case = variant.cases[shared][threads]
        if number == 0:
            rows += ["", f"  {'shared':>8}  {'L1':>8}  blocks  ({variant.label})"]
            for place, (_, capacity, l1) in enumerate(variant.capacities):
                chosen = "  <- chosen" if case and _chosen(report, variant) == place else ""
                rows.append(f"  {capacity:>8}  {l1:>8}  {case.fitting[place] if case else 0:>6}{chosen}")
            rows.append("")
        rows.append(f"{variant.label}: {_carveout_sentences(report, variant)}")
    return "\n".join(rows)


def _carveout_sentences(report: CarveoutReport, variant: CarveoutVariant) -> str:
    """Why does a device choose the capacity that it chooses, and how many blocks fit?"""
    shared, threads, percent, config = report.start
    sentences, case = report.sentences, variant.cases[shared][threads]
    preference = len(report.percents) + config - 1 if config else percent
    block = variant.blocks[shared]
    wanted = variant.wanted[preference]
    figures = {
        "device": variant.label,
        "block": block.text,
        "percent": report.percents[percent],
        "asked": report.configs[config].name,
        "wanted": wanted.text if wanted else "",
        "largest": variant.capacities[-1].shared,
        "limit": variant.limits[block.verdict == "refused"],
    }
    chosen = _chosen(report, variant)
    if case is None or chosen is None:
        return sentences["refused" if block.verdict == "refused" else "no_registers"].format(**figures)
    count, capacity = case.fitting[chosen], variant.capacities[chosen]
    figures |= {"capacity": capacity.shared, "l1": capacity.l1, "count": count, "others": case.others}
    figures["occupancy"] = f"{variant.occupancy[threads][count]:g}"
    parts = [report.reasons[int(case.reasons[preference], 36)], "some" if count < case.others else "all"]
    parts += ["opt_in"] if block.verdict == "opt_in" else []
    for *place, taken, recorded in variant.measured:
        if place == [shared, threads, preference]:
            figures |= {"taken": variant.capacities[taken].shared, "recorded": recorded}
            parts.append("measured")
    return " ".join(sentences[part].format(**figures) for part in parts)


def _chosen(report: CarveoutReport, variant: CarveoutVariant) -> int | None:
    """Which capacity does a device choose for the request shown first? None where it refuses the launch."""
    shared, threads, percent, config = report.start
    case = variant.cases[shared][threads]
    if case is None or variant.blocks[shared].verdict == "refused":
        return None
    return int(case.capacities[len(report.percents) + config - 1 if config else percent], 36)


def prediction(report: PredictionReport) -> str:
    """What is asked? The question and what it may be answered by, never the answer."""
    if report.lanes:
        ways = [f"lanes 0 to {report.lanes - 1}: which are on?"]
    else:
        fields = [f"{each.label} ____ {each.unit}".strip() for each in report.asked]
        ways = [f"( ) {choice}" for choice in report.choices] or fields
    return "\n  ".join([f"Predict: {report.title}", *ways])


def memory_chart(report: MemoryChart) -> str:
    """What went between the kernel, the memories, the caches and DRAM? One row an arrow."""
    parts = [report.title]
    for variant in report.variants:
        names = {box.place: box.name for box in variant.boxes}
        rows = [
            f"  {names[arrow.source]} and {names[arrow.target]}, {arrow.kind}s: "
            f"{number_of(arrow.count, arrow.unit)}, {number_of(arrow.bytes, 'byte')}"
            for arrow in variant.arrows
        ]
        rows += [f"  {box.name}: {' '.join(box.texts)}" for box in variant.boxes if box.texts]
        parts.append("\n".join([variant.label, *rows]))
    return "\n\n".join(parts)


def stride_explorer(report: StrideReport) -> str:
    """How many sectors does a warp touch, for each stride and no offset? One row a size."""
    rows = [f"{report.title}: sectors that 32 lanes touch, without an offset"]
    for variant in report.variants:
        each = ", ".join(f"stride {stride}: {count}" for stride, count in enumerate(variant.sectors))
        rows.append(f"  {variant.label}: {each}")
    return "\n".join(rows)


def occupancy_explorer(report: OccupancyExploration) -> str:
    """What fits on a multiprocessor of each device? One row a device."""
    asked = f"{report.threads} threads per block, {report.registers_per_thread} registers per thread, "
    rows = [f"{report.title}: {asked}{number_of(report.shared_bytes, 'byte')} of shared memory per block"]
    return "\n".join([*rows, *(f"  {variant.label}: {variant.says}" for variant in report.variants)])


def limits_explorer(report: LimitsReport) -> str:
    """What do launches in kernels reserve on each device, and which call fails? A row for each."""
    return launch_limits.limits_text(report)


def block_placement(report: PlacementExploration) -> str:
    """Which multiprocessor has which blocks, from when to when? A row a multiprocessor of the first grid."""
    first, *others = report.variants
    rows = [report.title, f"{first.label}: {first.placement.says}", *first.placement.rows()]
    return "\n".join([*rows, *(f"{variant.label}: {variant.placement.says}" for variant in others)])


def group_map(report: GroupExploration) -> str:
    """Which groups does a block of so many threads form? One row a group of those shown first."""
    rows = [f"{report.title}: {report.kind} in a block of {number_of(report.threads, 'thread')}"]
    for variant in report.variants:
        left_out = len(variant.says) - GROUPS_SHOWN
        rows += [f"warps of {variant.label}", *(f"  {says}" for says in variant.says[:GROUPS_SHOWN])]
        rows += [f"  … and {left_out} more groups"] if left_out > 0 else []
    return "\n".join(rows)


def parameter_packer(report: ParameterPacking) -> str:
    """Where does each parameter lie, and why? A sentence for each, and one about all."""
    begins = f"the buffer begins at {report.base}, a multiple of {report.base_alignment}"
    return "\n".join([f"{report.title}, {report.address_bits}-bit addresses: {begins}", *report.says])


def roofline(report: RooflineReport) -> str:
    """How far is each run from the roofs over it? A row for each run and level of memory."""
    rows = [report.title]
    rows += [
        f"{device.name}: {', '.join(limit.says for limit in (*device.compute, *device.levels))}"
        for device in report.devices
    ]
    for variant in report.variants:
        rows += [f"{variant.label}: {variant.says}", *(f"  {place.says}" for place in variant.places)]
    return "\n".join(rows)


def tile_explorer(report: TileReport) -> str:
    """How often do the banks work for a column of the tile, for each pitch and swizzled? One row a size."""
    rows = [f"{report.title}: wavefronts of a warp that reads a column of 32 rows"]
    for variant in report.variants:
        pitches = enumerate(variant.wavefronts, variant.first_pitch)
        each = ", ".join(f"pitch {pitch}: {count}" for pitch, count in pitches)
        rows.append(f"  {variant.label}: {each}; pitch {variant.columns}, swizzled: {variant.swizzled}")
    return "\n".join(rows)


def timeline(report: Timeline) -> str:
    """What did each warp do in each clock? One row a warp, one character a clock; capitals are issues."""
    first, *others = report.variants
    rows = [report.title, *_timeline(first)]
    rows += [f"{variant.label}: {_slots_used(variant)}" for variant in others]
    said = {state for warp in first.warps for state in warp.states if state.islower()}
    pipes = "; ".join(f"{mark} {name}" for mark, name, *_ in first.multiprocessor.pipes)
    waits = "; ".join(f"{mark} {name}" for mark, name, _ in report.waits if mark in said)
    return "\n".join([*rows, f"issued: {pipes}; waits: {waits}"])


def _timeline(variant: TimelineVariant) -> list[str]:
    end = variant.first + min(variant.clocks, CLOCKS_SHOWN)
    rows = [f"{variant.label}, {variant.device}: {_slots_used(variant)}"]
    rows += [f"  scheduler  warp  clocks {variant.first} to {end - 1} of one multiprocessor"]
    rows += [
        f"  {warp.scheduler:9}  {warp.warp:4}  {unpacked(warp.states)[:CLOCKS_SHOWN]}"
        for warp in variant.warps
    ]
    return [*rows, *([f"  {variant.left_out}"] if variant.left_out else [])]


def _slots_used(variant: TimelineVariant) -> str:
    slots = variant.used + sum(variant.lost.values())
    return f"{variant.used} of {number_of(slots, 'issue slot')} used"


def bank_view(report: BankReport) -> str:
    """How many wavefronts does each access take, and who waits for whom? One sentence per access."""
    return "\n\n".join([report.title, *map(_banks, report.variants)])


def _banks(variant: BankVariant) -> str:
    totals = variant.totals
    rows = [
        f"{variant.label}: {number_of(totals.requests, 'request')}, "
        f"{number_of(totals.wavefronts, 'wavefront')}, {number_of(totals.conflicts, 'bank conflict')}"
    ]
    rows += [f"{_access(access.made)}: {_turns(access)}" for access in variant.accesses]
    left_out = variant.left_out
    return "\n".join([*rows, *([f"  … and {left_out} more of its accesses"] if left_out else [])])


def _turns(access: BankAccess) -> str:
    """`4 wavefronts, 3 of them by bank conflicts: lane 8 waits for lane 0 at bank 0`."""
    text, phases = number_of(access.wavefronts, "wavefront"), len(access.phases)
    text += f" in {phases} phases" if phases > 1 else ""
    for phase in access.phases:
        for turn in phase.conflicts:
            holds = {bank: lanes[0] for bank, _word, lanes in phase.wavefronts[turn - 1]}
            bank, _word, (lane, *_) = next(one for one in phase.wavefronts[turn] if one.bank in holds)
            by = f"{access.conflicts} by bank conflicts"
            return f"{text}, {by}: lane {lane} waits for lane {holds[bank]} at bank {bank}"
    return f"{text}, no bank conflict"


def happens_before(report: OrderReport) -> str:
    """What was done in which lane, what comes directly after what, and which pairs race?"""
    return "\n\n".join([report.title, *map(_order, report.variants)])


def _order(variant: OrderVariant) -> str:
    wide = max(map(len, variant.lanes))
    rows = [variant.label, *([variant.left_out] if variant.left_out else [])]
    for row, done in enumerate(variant.rows):
        rows.append(f"{row + 1:3}. {done.says}")
        for box in (box for box in variant.boxes if box.row == row):
            names = " to ".join(dict.fromkeys(variant.lanes[lane] for lane in (box.lanes[0], box.lanes[-1])))
            rows.append(f"     {names:<{wide}}  {box.kind}{f' {box.text}' * (box.text != box.kind)}")
    for pair in (pair for pair in variant.pairs if pair.race):
        one, other = (variant.boxes[number].called for number in pair.boxes)
        rows.append(f"{one} and {other}: not ordered, {pair.says}")
    return "\n".join(rows)


def launch_tree(report: GrowthReport) -> str:
    """Who launched which grid, and for whom it waited; then what happened, a line a step."""
    return grown_tree.grown_text(report)


def visibility_view(report: VisibilityReport) -> str:
    """What a parent and its children do, and what each read sees."""
    return visibility.visibility_text(report)


def sector_view(report: SectorReport) -> str:
    """What moves for each request, under each rule?"""
    parts = [report.title]
    for variant in report.variants:
        rows = [f"{variant.label}: {number_of(variant.totals.requests, 'request')}"]
        for access in variant.accesses:
            each = [
                f"{number_of(found.transfers, rule.piece)}, {number_of(found.bytes_moved, 'byte')} "
                f"({found.percent_wanted} % wanted) under {rule.name}{own}"
                for rule in report.rules
                for found, own in [
                    (access.rules[rule.key], ", this device" if rule.key == variant.rule else "")
                ]
            ]
            rows.append(
                f"{_access(access.made)}: the lanes want {access.bytes_wanted} bytes; {'; '.join(each)}"
            )
        if variant.left_out:
            rows.append(f"  … and {variant.left_out} more of its accesses")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def _access(access: AccessMade) -> str:
    alike = len(access.alike)
    which = f"warp {access.warp}" + (f" and {alike} more alike" if alike else "")
    often = f", made {access.times} times" if access.times > 1 else ""
    return (
        f"line {access.line}, {access.kind} {access.expression}, "
        f"{number_of(access.width, 'byte')} per lane, {which}{often}"
    )


def _place(position: Sequence[int]) -> str:
    return f"({', '.join(map(str, position))})"
