"""What may a thread ask the device runtime? About devices and kernels, for streams, to move memory."""

from __future__ import annotations

from gpusim.frontends import collectives, fold
from gpusim.frontends.python import passing
from gpusim.frontends.python.builtins.device_runtime import Runtime
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.values import Item, Static, Value, View, described, is_object
from gpusim.ir.details import Launch
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import S64, U64


def runtime(call: Call) -> Value:
    """A tuple: the error, and what was asked for if anything was."""
    asked: Runtime = call.called.detail
    if asked.name == "cudaDeviceSynchronize":
        return (call.convert(collectives.await_children(call.site), S64),)
    arguments, kernel = call.arguments, None
    if "func" in call.called.parameters:
        kernel, arguments = _kernel(call, arguments[0]), arguments[1:]
    operands = [_operand(call, one) for one in arguments]
    if not asked.gives:
        return (call.convert(collectives.ask(call.site, asked.name, *operands), S64),)
    found = collectives.ask(call.site, asked.name, *operands, type_=S64, kernel=kernel)
    zero = Constant(0, S64)
    fails = fold.compared(call.site, Opcode.LT, found, zero)
    error = fold.select(call.site, fails, fold.computed(call.site, Opcode.SUB, zero, found), zero)
    return error, fold.select(call.site, fails, zero, found)


def _operand(call: Call, argument: Value) -> Operand:
    """A number, or where an array begins; None for the default stream."""
    if is_object(argument, None):
        return Constant(0, U64)
    if isinstance(argument, View | Item):
        type_ = passing.type_of(call.lowering, argument, call.node)
        return passing.passed(call.lowering, type_, argument, call.node)[0]
    if isinstance(argument, Static):
        hint = "what a kernel hands to the runtime is its own: numbers, arrays, streams that it creates"
        raise call.wrong(f"{described(argument)} is of the host", hint)
    return call.convert(argument, U64)


def _kernel(call: Call, argument: Value) -> Launch:
    """The kernel that is asked about: what was compiled of it last."""
    child = getattr(argument.object, "last_compiled", None) if isinstance(argument, Static) else None
    if child is None:
        raise call.wrong(f"{described(argument)} is no kernel", "name a kernel")
    return Launch(child.name, child)


FAMILIES = {"runtime": runtime}
