"""How does a function call itself? Its body becomes a loop, and a stack in local memory keeps the rest.

A call writes what is needed behind it to the stack, with the number of the place to return to, gives the
parameters new values, and jumps to the beginning of the body. At the end of the body a chain of comparisons
finds the place to return to. What is needed behind a call is known only when the body is whole: each call has
two blocks that stay empty until then, one to store in and one to load in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import memory, types, values
from gpusim.frontends.cuda_cpp.lowering import Frame, Lowering
from gpusim.frontends.site import Site
from gpusim.ir import control_flow
from gpusim.ir.builder import Builder
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.terminators import Branch, Jump, Return
from gpusim.ir.types import PRED, S32, S64
from gpusim.source import Span

ROOM_BYTES = 256  # the stack is full where it has not this much left; more where a function needs more
ROOM, ALIGNMENT = "room of the stack", "alignment of the stack"


@dataclass(frozen=True)
class Call:
    """A call of a function that is already running: the blocks before it, on the way, and behind it."""

    before: int
    onward: int
    behind: int
    inner: Activation
    span: Span


@dataclass(eq=False)
class Activation:
    """A function that calls itself, while its body is lowered into `builder`.

    Its present call has bytes of the stack from `base` on: objects that need an address, then what it keeps
    while it calls. `back` says where that call returns to; 0 is behind the first one. `slots` are its
    parameters. Registers after `mark`, and variables from number `first` on, are its own.
    """

    frame: Frame
    builder: Builder
    base: Register
    back: Register
    mark: Register
    first: int
    entry: int
    kept_from: int  # how many bytes its objects took when the body was lowered last
    bytes: int = 0
    slots: list[values.Result] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def room(self, low: Lowering, type_: types.CType) -> values.Address:
        """Bytes of the stack for an object of each call."""
        if type_.alignment > _alignment(low):
            low.choose(ALIGNMENT, str(type_.alignment))
        self.bytes = _up(self.bytes, type_.alignment) + type_.size
        return values.Address(low.stack(), ((self.base, 1),), self.bytes - type_.size)

    def variables(self, low: Lowering) -> set[Register]:
        """The registers of variables that were made for the present call."""
        return set(low.registers[self.first :])


def begun(low: Lowering, frame: Frame) -> Activation:
    """The body of a function that calls itself begins; its parameters are still to be written."""
    builder, name, around = low.builder, frame.source.name, low.activation
    base, back, first = Register(f"{name}.frame", S64), Register(f"{name}.return", S32), len(low.registers)
    low.registers += base, back
    kept_from = int(low.choices.get(("bytes", frame.path), "0"))
    made = Activation(
        frame, builder, base, back, builder.temporary(S64), first, builder.label(), kept_from
    )  # fmt: skip
    if around is None:
        low.emit(Opcode.MOVE, S64, Constant(0, S64), into=base)
    else:
        _add(low, around.base, _up(around.kept_from, _alignment(low)), base)
    low.emit(Opcode.MOVE, S32, Constant(0, S32), into=back)
    low.activations[frame.function.hash] = made
    return made


def run(low: Lowering, active: Activation, site: Site, body: Callable[[], object]) -> None:
    name = active.frame.source.name
    low.builder.place(active.entry, site.span)
    limit = Constant(memory.STACK_BYTES - int(low.choices.get(ROOM, ROOM_BYTES)), S64)

    def fits(then: int, otherwise: int) -> None:
        flow.branch(site, fold.compared(site, Opcode.LE, active.base, limit), then, otherwise)

    what = f"`{name}` calls itself too often: its calls do not fit on the stack"
    flow.insisted(site, fits, f"{what}, which has {memory.STACK_BYTES} bytes in each thread")
    body()


def again(low: Lowering, active: Activation, write: Callable[[], None]) -> None:
    """A call of a function that is already running. `write` gives its parameters their values."""
    builder, inner, span = low.builder, low.activation, low.at
    if builder is not active.builder:
        return  # only the type is asked for
    assert inner is not None
    call = Call(builder.label(), builder.label(), builder.label(), inner, span)
    active.calls.append(call)
    builder.place(call.before, span)
    builder.place(call.onward, span)
    write()
    builder.end(Jump(active.entry, span))
    after = builder.label()
    builder.place(call.behind, span)
    builder.place(after, span)


def ended(low: Lowering, active: Activation) -> None:
    """The body is whole: fill in what calls store and load, and go back to where each came from."""
    builder, site = low.builder, low.site
    if active.bytes != active.kept_from:
        low.choose(("bytes", active.frame.path), str(active.bytes))
    live = _needed_behind(low, active)
    for number, call in enumerate(active.calls, 1):
        _keep(low, active, call, number, live[call])
    del low.activations[active.frame.function.hash]
    for number, call in enumerate(active.calls, 1):
        following = builder.label()
        here = fold.compared(site, Opcode.EQ, active.back, Constant(number, S32))
        flow.branch(site, here, call.behind, following)
        builder.place(following, site.span)


def _needed_behind(low: Lowering, active: Activation) -> dict[Call, list[Register]]:
    """The registers of this activation that are read behind each call before they are written."""
    blocks: dict[int, Block] = dict(active.builder.placed)
    running = [one for one in low.activations.values() if one.builder is active.builder]
    entries = {one.entry for one in running}
    for label, block in blocks.items():
        end = block.terminator
        if isinstance(end, Jump) and end.target in entries:
            blocks[label] = Block(block.instructions, Return(end.span))
    any_way = Register("any way", PRED)
    for call in (call for one in running for call in one.calls):
        blocks[call.before] = Block((), Branch(any_way, call.onward, call.behind, call.span))
    assert active.frame.exits.leave is not None
    blocks[active.frame.exits.leave] = Block((), Return(low.at))
    labels = sorted(set().union(*(control_flow.reachable_from(blocks, call.behind) for call in active.calls)))
    number = {label: place for place, label in enumerate(labels)}
    ends = {label: control_flow.renumber(blocks[label].terminator, number) for label in labels}
    view = [Block(blocks[label].instructions, end) for label, end in ends.items()]
    live, variables, mark = control_flow.live_registers(view), active.variables(low), int(active.mark.name)

    def own(register: Register) -> bool:
        return int(register.name) > mark if register.is_temporary else register in variables

    found = {}
    for call in active.calls:
        wanted = {register for register in live[number[call.behind]] if own(register)}
        wanted = (wanted | {active.back}) - {active.base}
        found[call] = sorted(wanted, key=lambda register: (-register.type.bytes, register.name))
    return found


def _keep(low: Lowering, active: Activation, call: Call, number: int, wanted: list[Register]) -> None:
    """Store before a call what is needed behind it, and load it there."""
    builder, inner = low.builder, call.inner
    if inner is not active:
        wanted = [*wanted, active.base]
    alignment = max(_alignment(low), *(register.type.bytes for register in wanted))
    if alignment > _alignment(low):
        low.choose(ALIGNMENT, str(alignment))
    places, end = list[int](), _up(inner.kept_from, alignment)
    for register in wanted:
        end = _up(end, register.type.bytes)
        places.append(end)
        end += register.type.bytes
    end = _up(end, alignment)
    if end > int(low.choices.get(ROOM, ROOM_BYTES)):
        if end > memory.STACK_BYTES // 2:
            hint = "use fewer objects in it that need an address, or smaller arrays"
            raise low.refused(f"`{active.frame.source.name}`, which keeps {end} bytes in each call,", hint)
        low.choose(ROOM, str(end))
    low.at = call.span
    with builder.before_the_end_of(call.before):
        for register, place in zip(wanted, places, strict=True):
            where = low.access(values.Address(low.stack(), ((inner.base, 1),), place), register.type)
            builder.store(where, register, low.at)
        _add(low, inner.base, end, active.base)
        low.emit(Opcode.MOVE, S32, Constant(number, S32), into=active.back)
    with builder.before_the_end_of(call.behind):
        for register, place in zip(wanted, places, strict=True):
            where = low.access(values.Address(low.stack(), ((active.base, 1),), place - end), register.type)
            low.emit(Opcode.LOAD, register.type, into=register, place=where)
        if inner is active:
            _add(low, active.base, -end, active.base)


def _add(low: Lowering, operand: Operand, bytes_: int, into: Register) -> None:
    low.emit(Opcode.ADD, S64, operand, Constant(bytes_, S64), into=into)


def _alignment(low: Lowering) -> int:
    return int(low.choices.get(ALIGNMENT, "8"))


def _up(bytes_: int, alignment: int) -> int:
    return -(-bytes_ // alignment) * alignment


def check_outlives(low: Lowering, active: Activation, value: values.Value) -> None:
    """A pointer to a variable of this call goes to the next: the variable must be in memory."""
    for variable in (address.region for address in values.pointed_to(value)):
        if isinstance(variable, values.Variable):
            own = active.variables(low)
            if any(slot.register in own for slot in variable.slots.values()):
                low.into_memory(variable)
