"""What does `kernel.inspect_ir()` show?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import KernelTypeError
from gpusim.ir.builder import Builder
from gpusim.ir.details import Part
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Instruction, Opcode, Place, Register
from gpusim.ir.text import instruction_text, listing
from gpusim.ir.types import B64, B128, F32, S32, S64, U64, Space
from tests.from_text import define
from tests.ir.handmade import SOURCE, SPAN

CLIP = """\
@cuda.jit
def clip(x, top):
    i = cuda.threadIdx.x
    if x[i] > top:
        x[i] = top
"""
LISTING = """\
.entry clip(f32[:] x, f32 %top)
B0:
mov.s32 %i, %tid.x | 3 i = cuda.threadIdx.x
ld.global.f32 %2, x[%i] | 4 if x[i] > top:
setp.gt.f32 %3, %2, %top
@%3 bra B1, else B2
// may diverge; lanes meet again at B2
B1:
st.global.f32 x[%i], %top | 5 x[i] = top
B2:
exit"""


def squeezed(listing):
    """Without the widths of columns, the line of resources, and the place of the last exit."""
    rows = [" ".join(line.split()) for line in listing.splitlines()]
    return "\n".join([rows[0], *rows[2:-1], rows[-1].partition(" |")[0]])


def test_a_listing_by_hand():
    kernel = define(CLIP, "clip")
    assert squeezed(kernel.inspect_ir(np.zeros(4, np.float32), np.float32(1))) == LISTING


def test_the_second_row_says_what_a_thread_and_a_block_need():
    @cuda.jit
    def kernel(x):
        tile = cuda.shared.array(10, np.float64)
        tile[cuda.threadIdx.x] = x[0]

    assert (
        kernel.inspect_ir(np.zeros(1)).splitlines()[1]
        == "// 3 registers, 80 bytes of shared memory, 1 arrays"
    )


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("x[0] = x.shape[0]", ["extent.s64 %1, x.shape[0]", "cvt.f64.s64 %2, %1", "st.global.f64 x[0], %2"]),
        ("cuda.syncthreads()", ["bar.sync 0"]),
        ("cuda.atomic.add(x, 2, 1.5)", ["atom.add.global.f64 %1, x[2], 1.5"]),
        ("x[0] = x[1] if n else x[2]", ["@%1 bra B1, else B2"]),
        ("x[0] = n if n else 7", ["selp.s64 %2, %1, %n, 7"]),
        ("t = cuda.shared.array((2, 3), np.int8)\n    t[1, 2] = 5", ["st.shared.s8 t[1, 2], 5"]),
        ("t = cuda.local.array(3, np.int8)\n    t[n] = 5", ["st.local.s8 t[%n], 5"]),
        (
            "x[2:][n] = 5",
            [
                "extent.s64 %1, x.shape[0]",
                "min.s64 %2, 2, %1",
                "sub.s64 %3, %1, %2",
                "st.global.f64 [x+%4+8*%n], 5.0",
            ],
        ),
        ("x[::2][3] = 5", ["st.global.f64 [x+48], 5.0"]),
        ("x[::-1][n] = 5", ["st.global.f64 [x+%3-8*%n], 5.0"]),
        ("x.view(np.int8)[n] = 5", ["st.global.s8 [x+%n], 5"]),
        ("x[0] = TABLE[n, 1]", ["ld.const.s64 %1, TABLE[%n, 1]"]),
        ("x[0] = TABLE.T[n, 1]", ["ld.const.s64 %1, [TABLE+16+8*%n]"]),
        ("t = cuda.local.array(3, PAIR)\n    t[n].v = 5", ["st.local.f32 [t+4+8*%n], 5.0"]),
        ("d = cuda.shared.array(0, np.int8)\n    d[n] = d.size", ["extent.s64 %1, d.shape[0]"]),
        ("x[0] = cuda.ldcg(x, n)", ["ld.global.cg.f64 %1, x[%n]"]),
        ("cuda.stwt(x, n, 5)", ["st.global.wt.f64 x[%n], 5.0"]),
    ],
)
def test_instructions_in_the_manner_of_ptx(statement, rows):
    pair = np.dtype([("u", np.int32), ("v", np.float32)])
    table = np.zeros((2, 2), np.int64)
    kernel = define(f"@cuda.jit\ndef kernel(x, n):\n    {statement}\n", PAIR=pair, TABLE=table)
    listing = [line.partition("|")[0].strip() for line in kernel.inspect_ir(np.zeros(4), 3).splitlines()]
    for row in rows:
        assert row in listing


def test_without_arguments_it_shows_what_was_launched_last():
    kernel = define("@cuda.jit\ndef kernel(x):\n    x[0] = 1\n")
    with pytest.raises(KernelTypeError, match="has not been compiled; launch it, or pass arguments"):
        kernel.inspect_ir()
    kernel[1, 1](np.zeros(1, np.float32))
    kernel[1, 1](np.zeros(1, np.int8))
    assert kernel.inspect_ir().startswith(".entry kernel(s8[:] x)")


# What C++ alone needs.


def instruction(opcode, type, operands=(), destination=None, place=None, detail=None):
    return Instruction(opcode, type, destination, operands, SPAN, place, detail)


EIGHT, FOUR = Constant(8, S64), Constant(4, S64)
INDEX, ADDRESS, BITS = Register("i", S32), Register("address", U64), Register("bits", B128)
X = ArrayOperand("x", F32, 1, Space.GLOBAL, pointer=True)
TILE = ArrayOperand("tile", F32, 2, Space.SHARED, (4, 8), pointer=True)
FIELD = ArrayOperand("tile.y", F32, 1, Space.SHARED, root=TILE, pointer=True)
ANYWHERE = ArrayOperand("p", B128, 0, Space.GENERIC, pointer=True)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (instruction(Opcode.ADDRESS, U64, (), ADDRESS, Place(TILE)), "cvta.u64 %address, tile"),
        (
            instruction(Opcode.LOAD, F32, (), Register("1", F32), Place(X, (INDEX,))),
            "ld.global.f32 %1, x[%i]",
        ),
        (
            instruction(
                Opcode.LOAD, F32, (), Register("1", F32), Place(FIELD, (INDEX,), Geometry(EIGHT, (FOUR,)))
            ),
            "ld.shared.f32 %1, [tile+8+4*%i]",
        ),
        (
            instruction(Opcode.LOAD, B128, (), BITS, Place(ANYWHERE, address=ADDRESS)),
            "ld.b128 %bits, [%address]",
        ),
        (
            instruction(Opcode.PACK, B64, (INDEX, Register("k", F32)), Register("1", B64)),
            "mov.pack.b64.s32 %1, %i, %k",
        ),
        (
            instruction(Opcode.PART, F32, (BITS,), Register("1", F32), detail=Part(8)),
            "mov.unpack.f32.b128 %1, %bits[8]",
        ),
        (instruction(Opcode.MOD_TRUNC, S32, (INDEX, INDEX), Register("1", S32)), "rem.s32 %1, %i, %i"),
    ],
)
def test_pointers_and_wide_values(made, text):
    assert instruction_text(made) == text


def test_a_pointer_is_listed_as_in_c():
    builder = Builder("kernel", SOURCE)
    builder.parameters.append(X)
    assert listing(builder.finish(SPAN)).startswith(".entry kernel(f32* x)")
