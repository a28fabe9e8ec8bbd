"""What may a thread ask the device runtime? For streams and events of its block, and for its last error."""

from __future__ import annotations

from gpusim.frontends import collectives, fold
from gpusim.frontends.python.builtins.device_runtime import Runtime
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.values import Static, Value, described, is_object
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.types import S64, U64


def runtime(call: Call) -> Value:
    """A tuple: the error, and what was made if anything was."""
    asked: Runtime = call.called.detail
    if asked.name == "cudaDeviceSynchronize":
        return (call.convert(collectives.await_children(call.site), S64),)
    for argument in call.arguments:
        if isinstance(argument, Static) and not is_object(argument, None):
            hint = f"a kernel creates its own, with cudart.{asked.name.partition('Create')[0]}… in the kernel"
            raise call.wrong(f"{described(argument)} is of the host", hint)
    given = [Constant(0, U64) if is_object(one, None) else one for one in call.arguments]
    operands = [call.convert(one, U64) for one in given]
    if not asked.makes:
        return (call.convert(collectives.ask(call.site, asked.name, *operands), S64),)
    made = collectives.ask(call.site, asked.name, *operands, type_=U64)
    fails = fold.compared(call.site, Opcode.EQ, made, Constant(0, U64))
    return fold.select(call.site, fails, Constant(1, S64), Constant(0, S64)), made


FAMILIES = {"runtime": runtime}
