"""What does `child<<<grid, block, bytes, stream>>>(…)` mean in a kernel? A launch by each active thread.

Clang checks it as it checks a launch from the host.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.errors import KernelTypeError
from gpusim.frontends import collectives
from gpusim.frontends.cuda_cpp import (
    addresses,
    asking,
    clang,
    dispatch,
    inlining,
    instances,
    layout,
    objects,
    values,
)
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.functions.lowered import Call
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.launch_text import BEFORE
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import INT, ULONG, CType, FunctionType, Pointer, bare
from gpusim.ir.details import Launch
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.parameters import Packed, placed
from gpusim.ir.program import Function
from gpusim.ir.types import S32, U32, U64

K = CursorKind
NO_KERNEL = "a launch by an address that is not that of a kernel: take it as (void*)child"
SIGNED = {TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG}
UNSIGNED = {TypeKind.BOOL, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG}
NO_POINTER = "a launch through a pointer that is null, or points to no kernel of this text"
CONFIGURATION = "__cudaPushCallConfiguration"


@dataclass(frozen=True, eq=False)
class Named:
    """A kernel of the text, as its module knows it: which function that is, the module says."""

    name: str

    @property
    def function(self) -> Function:
        raise KernelTypeError(f"{self.name} is launched by a kernel of no module")


def found(cursor: Cursor) -> Cursor | None:
    """The launch that a call is, perhaps in a lambda of ours."""
    below = clang.children(cursor)
    if len(below) > 1 and below[1].kind is K.CALL_EXPR and below[1].spelling == CONFIGURATION:
        return cursor
    if cursor.spelling != "operator()" or not clang.text(cursor).startswith(BEFORE):
        return None
    made = clang.inner(below[0])
    body = clang.children(made)[-1] if made.kind is K.LAMBDA_EXPR else None
    inside = () if body is None else clang.children(body)
    return found(clang.inner(inside[0])) if len(inside) == 1 else None


def launched(low: Lowering, cursor: Cursor) -> values.Value:
    """Evaluate what a launch brings, and hand it to the device runtime."""
    function, (callee, configuration, *brought) = cursor.referenced, clang.children(cursor)
    low.go_to(cursor)
    named = function is not None and function.kind is K.FUNCTION_DECL
    kernel = values.FunctionValue(function) if named else low.value(callee)
    shape = list[Operand]()
    arguments = objects.given(configuration)
    for extents in arguments[:2]:
        shape += _leaves(low, low.value(extents), U32)
    size, stream = arguments[2:3], arguments[3:4]
    shape += _leaves(low, low.value(size[0]), U64) if size else [Constant(0, U64)]
    shape += _leaves(low, low.value(stream[0]), U64) if stream else [Constant(0, U64)]
    type_ = bare(kernel.type)
    signature = bare(type_.target) if isinstance(type_, Pointer) else None
    if isinstance(kernel, values.NumberValue) and isinstance(kernel.operand, Constant):
        known = _numbered(low, kernel.operand)
        kernel = kernel if known is None else values.FunctionValue(known)
    if isinstance(kernel, values.FunctionValue):
        function = kernel.declaration
        if isinstance(signature, FunctionType):
            _check_cast(low, function, signature)
        parameters = inlining.parameters_of(low.unit.definition(function))
        return _launch(
            low, cursor, shape, function, inlining.results_of(low, function, brought[: len(parameters)])
        )
    if not isinstance(kernel, values.NumberValue) or not isinstance(signature, FunctionType):
        raise low.refused("such a launch", "name the kernel")
    low.builder.hold(*shape)
    run = partial(_launch, low, cursor, shape)
    return low.read(dispatch.by_number(low, kernel, signature, brought, cursor, _is_kernel, run, NO_POINTER))


def _check_cast(low: Lowering, kernel: Cursor, cast: FunctionType) -> None:
    """A launch lays out what the pointer's type says, and the kernel reads its own parameters there."""
    laid, read = (
        [(first, scalar.bytes, scalar.is_float) for first, scalar in packed.numbers]
        for packed in (_laid_out(cast.parameters), _packed(low, kernel))
    )
    if laid != read:
        what = f"`{kernel.spelling}` is a `{low.unit.types.read(kernel.type)}`"
        raise low.wrong(f"{what}, not a `{cast}`, as which it is launched", "cast it to its own type")


def _launch(
    low: Lowering, cursor: Cursor, shape: Sequence[Operand], function: Cursor, brought: values.Results
) -> values.Value:
    parameters = inlining.parameters_of(low.unit.definition(function))
    operands = list(shape)
    for result, parameter in zip(inlining.all_given(low, function, brought), parameters, strict=True):
        operands += _argument(low, low.read(result), low.type(parameter))
    low.go_to(cursor)
    name = _name(low, function)
    low.emit(Opcode.LAUNCH, S32, *operands, detail=Launch(name, Named(name), _packed(low, function)))
    return values.VoidValue()


def asked(low: Lowering, chosen: Builtin, given: Sequence[values.Value], cursor: Cursor) -> values.Value:
    """What the device runtime says of a kernel, the first argument, and of the numbers after it."""
    low.go_to(cursor)
    which, *others = (low.cast(number, U64) for value in given for number in _numbers(low, value))
    kernel = _numbered(low, which) if isinstance(which, Constant) else None
    if kernel is None:
        raise low.wrong("what is asked about is no kernel of this text", "name the kernel")
    name = _name(low, kernel)
    found = collectives.ask(
        low.site, chosen.detail, *others, type_=chosen.scalar, kernel=Launch(name, Named(name))
    )
    return values.NumberValue(chosen.result, found)


def _leaves(low: Lowering, value: values.Value, type_: Any) -> list[Operand]:
    return [low.cast(one, type_) for one in _numbers(low, value)]


def _numbers(low: Lowering, value: values.Value) -> Iterator[Operand]:
    """A number, an address, or those of a struct."""
    value = low.pointed(value)
    if isinstance(value, values.StructValue):
        for leaf in value.leaves:
            yield from _numbers(low, leaf)
    elif isinstance(value, values.PointerValue):
        yield addresses.as_number(low, value.address)
    elif isinstance(value, values.NumberValue):
        yield value.operand
    else:
        raise low.refused(
            "such an argument of a launch", "pass numbers, pointers to global memory and structs"
        )


def _argument(low: Lowering, value: values.Value, type_: CType) -> list[Operand]:
    """What a parameter of this type takes, leaf by leaf."""
    given = _numbers(low, converted(low, value, type_))
    scalars = [layout.scalar_of(leaf.type) or U64 for leaf in layout.leaves(type_)]
    return [low.cast(number, scalar) for number, scalar in zip(given, scalars, strict=True)]


def _packed(low: Lowering, kernel: Cursor) -> Packed:
    """How its parameters lie in a buffer."""
    return _laid_out([low.type(one) for one in inlining.parameters_of(low.unit.definition(kernel))])


def _laid_out(types_: Sequence[CType]) -> Packed:
    firsts, end = placed((one.size, one.alignment) for one in types_)
    numbers = (
        (first + leaf.offset, layout.scalar_of(leaf.type) or U64)
        for first, type_ in zip(firsts, types_, strict=True)
        for leaf in layout.leaves(type_)
    )
    return Packed(tuple(numbers), end)


# by the address of a kernel ---------------------------------------------------------------------------------


def from_buffer(call: Call) -> values.Value:
    """`cudaLaunchDevice`: the number of a kernel, its buffer, grid, block, shared bytes, stream."""
    low, (number, buffer, *configuration) = call.low, call.given
    types_ = [U32] * 6 + [U64] * 2
    shape = [low.cast(one, type_) for one, type_ in zip(configuration, types_, strict=True)]
    low.builder.hold(buffer, *shape)

    def launch(kernel: Cursor) -> values.Value:
        name, number = _name(low, kernel), low.unit.number_of(kernel)
        detail = Launch(name, Named(name), _packed(low, kernel), number)
        return values.NumberValue(INT, low.emit(Opcode.LAUNCH, S32, *shape, buffer, detail=detail))

    def none() -> values.Value:
        return values.NumberValue(INT, collectives.ask(low.site, "cudaLaunchDevice"))

    return _of_kernel(low, number, launch, none, INT)


def parameter_bytes(call: Call) -> values.Value:
    """How many bytes do the parameters take of the kernel with this number?"""

    def size(kernel: Cursor) -> values.Value:
        return values.NumberValue(ULONG, Constant(_packed(call.low, kernel).bytes, U64))

    none = partial(values.NumberValue, ULONG, Constant(0, U64))
    return _of_kernel(call.low, call.given[0], size, none, ULONG)


def _of_kernel(
    low: Lowering,
    number: Operand,
    run: Callable[[Cursor], values.Value],
    none: Callable[[], values.Value],
    type_: CType,
) -> values.Value:
    """What `run` makes of the kernel with a number, or of each that it may be; `none` of a null pointer."""
    if isinstance(number, Constant):
        kernel = _numbered(low, number)
        if kernel is None and number.value:
            raise low.wrong("what is launched is no kernel", "name one: (void*)child")
        return none() if kernel is None else run(kernel)
    low.unit.find_functions()
    kernels = [one for one in low.unit.functions.values() if _is_kernel(one)]
    ways: list[tuple[int, dispatch.Run]] = [(low.unit.number_of(one), partial(run, one)) for one in kernels]
    found = dispatch.one_of(low, values.NumberValue(ULONG, number), [*ways, (0, none)], NO_KERNEL, type_)
    return low.read(found)


def _numbered(low: Lowering, number: Constant) -> Cursor | None:
    """The kernel with this number, where it is one's."""
    found = low.unit.numbered(int(number.value))
    return found if found is not None and _is_kernel(found) else None


def _is_kernel(function: Cursor) -> bool:
    return "__global__" in clang.attributes(function)


def _name(low: Lowering, kernel: Cursor) -> str:
    """As a module is asked for it: `space::child<float, 4>`."""
    name, scope = str(kernel.spelling), kernel.semantic_parent
    while scope is not None and scope.kind is K.NAMESPACE:
        name, scope = f"{scope.spelling}::{name}", scope.semantic_parent
    count = kernel.get_num_template_arguments()
    if count < 1:
        types_ = str(kernel.displayname)[len(str(kernel.spelling)) :]  # by which overloads are told apart
        return f"{name}{types_}" if name in low.unit.templates else name
    return _registered(low, f"{name}<{', '.join(_template_arguments(kernel, count))}>", kernel)


def _registered(low: Lowering, name: str, kernel: Cursor) -> str:
    """The name by which a module gets at an instance; of those that are written alike, with a number."""
    launched, questions = low.unit.launched, low.unit.answers.questions
    which = instances.Launched(instances.identity(kernel), low.unit.chosen, questions)
    numbered = (f"{name} #{number}" if number > 1 else name for number in itertools.count(1))
    found = next(one for one in numbered if launched.get(one, which).identity == which.identity)
    launched.setdefault(found, which)
    return found


def _template_arguments(kernel: Cursor, count: int) -> Iterator[str]:
    """Types and numbers; of what Clang does not show, such as a pack, dots."""
    template = clang.template_of(kernel) or kernel
    parameters = [one for one in clang.children(template) if one.kind in asking.PARAMETERS]
    for number, parameter in zip(range(count), parameters, strict=False):
        type_ = kernel.get_template_argument_type(number)
        declared = parameter.type.get_canonical()
        kind = declared.kind
        if kind is TypeKind.ENUM:
            kind = declared.get_declaration().enum_type.get_canonical().kind
        if type_.spelling:
            yield str(type_.get_canonical().spelling)
        elif kind not in SIGNED | UNSIGNED or "..." in clang.text(parameter):
            yield "…"
        elif kind is TypeKind.BOOL:
            yield "true" if kernel.get_template_argument_value(number) else "false"
        elif kind in SIGNED:
            yield str(kernel.get_template_argument_value(number))
        else:
            yield str(kernel.get_template_argument_unsigned_value(number))
