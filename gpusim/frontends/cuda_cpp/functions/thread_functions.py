"""Which functions of CUDA C++ are about threads and memory? Barriers, warps, atomics, cached accesses."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import INTEGERS, Row
from gpusim.frontends.cuda_cpp.type_names import VECTORS
from gpusim.ir.details import CacheOperator, Scope, SpecialRegister
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import Space

WORDS = ("int", "unsigned int")
WIDE = "unsigned long long"
SIGNED_AND_WIDE = (*WORDS, "long long", WIDE)
EXCHANGED = (*INTEGERS, "float", "double")
SCOPES = {"": None, "_block": Scope.CTA, "_system": Scope.SYS}
FENCES = {
    "__threadfence_block": Scope.CTA, "__threadfence": Scope.GPU, "__threadfence_system": Scope.SYS,
}  # fmt: skip
BLOCK_VOTES = {"count": Opcode.BARRIER_COUNT, "and": Opcode.BARRIER_AND, "or": Opcode.BARRIER_OR}
SHUFFLES = {
    "__shfl_sync": (Opcode.SHFL_IDX, "int"),
    "__shfl_up_sync": (Opcode.SHFL_UP, "unsigned int"),
    "__shfl_down_sync": (Opcode.SHFL_DOWN, "unsigned int"),
    "__shfl_xor_sync": (Opcode.SHFL_XOR, "int"),
}
REDUCTIONS = {
    "add": {"int": Opcode.REDUCE_ADD, "unsigned int": Opcode.REDUCE_ADD},
    "min": {"int": Opcode.REDUCE_MIN, "unsigned int": Opcode.REDUCE_MIN_UNSIGNED},
    "max": {"int": Opcode.REDUCE_MAX, "unsigned int": Opcode.REDUCE_MAX_UNSIGNED},
    "and": {"unsigned int": Opcode.REDUCE_AND},
    "or": {"unsigned int": Opcode.REDUCE_OR},
    "xor": {"unsigned int": Opcode.REDUCE_XOR},
}
# name -> opcode, types
ATOMICS = {
    "Add": (Opcode.ATOMIC_ADD, (*WORDS, WIDE, "float", "double")),
    "Sub": (Opcode.ATOMIC_SUB, WORDS),
    "Exch": (Opcode.ATOMIC_EXCHANGE, (*WORDS, WIDE, "float")),
    "Min": (Opcode.ATOMIC_MIN, SIGNED_AND_WIDE),
    "Max": (Opcode.ATOMIC_MAX, SIGNED_AND_WIDE),
    "Inc": (Opcode.ATOMIC_INC, ("unsigned int",)),
    "Dec": (Opcode.ATOMIC_DEC, ("unsigned int",)),
    "And": (Opcode.ATOMIC_AND, (*WORDS, WIDE)),
    "Or": (Opcode.ATOMIC_OR, (*WORDS, WIDE)),
    "Xor": (Opcode.ATOMIC_XOR, (*WORDS, WIDE)),
}
VECTOR_ATOMICS = ("__half2", "float2", "float4")
# what a cached access may be of
LOADED = (
    "char", "signed char", "short", *INTEGERS, "unsigned char", "unsigned short", "float", "double", "__half",
    "char2", "char4", "short2", "short4", "int2", "int4", "longlong2",
    "uchar2", "uchar4", "ushort2", "ushort4", "uint2", "uint4", "ulonglong2",
    "float2", "float4", "double2", "__half2",
)  # fmt: skip
LOADS = {
    "__ldg": CacheOperator.NC,
    **{f"__ld{name}": CacheOperator(name) for name in ("ca", "cg", "cs", "lu", "cv")},
}
STORES = {f"__st{name}": CacheOperator(name) for name in ("wb", "cg", "cs", "wt")}
SPACES = {
    "__isGlobal": Space.GLOBAL, "__isShared": Space.SHARED, "__isConstant": Space.CONSTANT,
    "__isLocal": Space.LOCAL,
}  # fmt: skip
# they count steps of the simulated machine, not cycles or nanoseconds
CLOCKS = (
    "long clock()", "long long clock64()", "int __clock()", "long long __clock64()",
    "unsigned long long __globaltimer()",
)  # fmt: skip
MADE = [name for name in VECTORS if name not in ("dim3", "half2", "__half2")]


def rows() -> Iterator[Row]:
    """All of them."""
    yield Row("void __syncthreads()", "barrier")
    for name, opcode in BLOCK_VOTES.items():
        yield Row(f"int __syncthreads_{name}(bool)", "block_vote", opcode)
    for name, scope in FENCES.items():
        yield Row(f"void {name}()", "fence", scope)
    yield from _warp()
    yield from _memory()
    for name, space in SPACES.items():
        yield Row(f"unsigned int {name}(const void*)", "lies_in", space)
    yield Row("void __nanosleep(unsigned int)", "nanosleep")
    for prototype in CLOCKS:
        yield Row(prototype, "clock")
    yield Row("void __trap()", "trap")
    yield Row("int printf(const char*, ...)", "printf")
    for name in ("__builtin_assume", "__assume"):
        yield Row(f"void {name}(bool)", "nothing")
    yield Row("long __builtin_expect(long, long)", "first")
    for name in MADE:
        vector = VECTORS[name]
        given = ", ".join(str(member.type) for member in vector.fields or ())
        yield Row(f"{name} make_{name}({given})", "make")


def _warp() -> Iterator[Row]:
    yield Row("void __syncwarp(mask = full)", "syncwarp")
    yield Row("void __syncwave(mask = full)", "syncwarp", lanes=64)
    yield Row("mask __activemask()", "special", SpecialRegister.ACTIVEMASK)
    for name, (opcode, argument) in SHUFFLES.items():
        prototype = f"T {name}(mask, T, {argument}, int = warp)"
        yield Row(prototype, "shuffle", opcode, types=(*EXCHANGED, "__half", "__half2"))
    yield Row("int __all_sync(mask, bool)", "answer", Opcode.VOTE_ALL)
    yield Row("int __any_sync(mask, bool)", "answer", Opcode.VOTE_ANY)
    yield Row("int __uni_sync(mask, bool)", "answer", Opcode.VOTE_EQ)
    yield Row("mask __ballot_sync(mask, bool)", "answer", Opcode.BALLOT)
    yield Row("mask __match_any_sync(mask, T)", "answer", Opcode.MATCH_ANY, types=EXCHANGED)
    yield Row("mask __match_all_sync(mask, T, int*)", "match_all", Opcode.MATCH_ALL, types=EXCHANGED)
    for name, opcodes in REDUCTIONS.items():
        for type_, opcode in opcodes.items():
            yield Row(f"T __reduce_{name}_sync(mask, T)", "reduce", opcode, types=(type_,))


def _memory() -> Iterator[Row]:
    for suffix, scope in SCOPES.items():
        for name, (opcode, types) in ATOMICS.items():
            yield Row(f"T atomic{name}{suffix}(T*, T)", "atomic", opcode, scope, types)
        yield Row(f"T atomicCAS{suffix}(T*, T, T)", "atomic", Opcode.ATOMIC_CAS, scope, (*WORDS, WIDE))
    # of the whole grid only
    yield Row("T atomicAdd(T*, T)", "atomic", Opcode.ATOMIC_ADD, types=("__half",))
    yield Row("T atomicAdd(T*, T)", "vector_atomic", Opcode.ATOMIC_ADD, types=VECTOR_ATOMICS)
    yield Row("T atomicCAS(T*, T, T)", "atomic", Opcode.ATOMIC_CAS, types=("unsigned short",))
    for name, cache in LOADS.items():
        yield Row(f"T {name}(const T*)", "load", cache, types=LOADED)
    for name, cache in STORES.items():
        yield Row(f"void {name}(T*, T)", "store", cache, types=LOADED)
