"""What does inline assembly do in a kernel, and what does the clock count?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from tests.frontends.cuda_cpp.launches import EVERYWHERE

THREADS = 64
I = np.arange(THREADS)  # noqa: E741
A = I.astype(np.uint64) * 2654435761 & 0xFFFFFFFF

# instructions for x, a number, and o, the result -> what o is for i, the thread's number
WORKED = {
    'asm("mov.u32 %0, %tid.x;" : "=r"(o));': I,
    'asm("add.s32 %[d], %[a], %[b];" : [d] "=r"(o) : [a] "r"(i), [b] "n"(3));': I + 3,
    'o = i; __asm__ __volatile__("add.u32 %0, %0, 0x10;" : "+r"(o));': I + 16,
    'asm("bfe.u32 %0, %1, 4, 7;" : "=r"(o) : "r"(x));': A >> 4 & 127,
    'asm("bfe.s32 %0, %1, 4, 3;" : "=r"(o) : "r"(x));': ((A >> 4 & 7).astype(np.int64) ^ 4) - 4,
    'asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(o) : "r"(i), "r"(x));': A & 0xFFFF00FF | I.astype(np.uint64) << 8,
    'asm("shf.l.wrap.b32 %0, %1, %1, 5;" : "=r"(o) : "r"(x));': (A << 5 | A >> 27) & 0xFFFFFFFF,
    'asm("lop3.b32 %0, %1, %2, 12, 0x96;" : "=r"(o) : "r"(x), "r"(i));': A ^ I.astype(np.uint64) ^ 12,
    'asm("popc.b32 %0, %1;" : "=r"(o) : "r"(x));': [bin(int(a)).count("1") for a in A],
    'asm("bfind.u32 %0, %1;" : "=r"(o) : "r"(i));': [int(i).bit_length() - 1 for i in I],
    'asm("mul.hi.u32 %0, %1, 70000;" : "=r"(o) : "r"(x));': A * 70000 >> 32,
    'asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(o) : "r"(i), "r"(3), "r"(4));': I * 3 + 4,
    'long long w; asm("mul.wide.u32 %0, %1, 70000;" : "=l"(w) : "r"(x)); o = w >> 32;': A * 70000 >> 32,
    'float f; asm("fma.rn.f32 %0, %1, 0f40000000, 0f3F800000;" : "=f"(f) : "f"((float)i));'
    'asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(o) : "f"(f));': I * 2 + 1,
    'asm("mov.b32 %0, %1;" : "=r"(o) : "f"((float)i));': I.astype(np.float32).view(np.int32),
    'asm volatile("ld.global.cg.s32 %0, [%1 + 4];" : "=r"(o) : "l"(given + i));': I + 101,
    '__shared__ int n; if (i == 0) n = 0; asm volatile("bar.sync 0;");'
    'asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(o) : "l"(&n), "r"(2) : "memory");'
    'asm volatile("barrier.sync %0;" :: "n"(0) : "memory"); o = n;': I * 0 + 128,
    'asm volatile("membar.gl;"); asm volatile("fence.acq_rel.gpu;" ::: "memory"); asm("" ::: "memory");'
    'asm("prefetch.global.L2 [%0];" :: "l"(given)); asm volatile("nanosleep.u32 20;"); o = 7;': I * 0 + 7,
    'int a, b, c, d; asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c),'
    '"=r"(d) : "l"(given + i / 4 * 4)); o = a + b * 2 + c * 3 + d * 4;': (I // 4 * 4 + 100) * 10 + 20,
    'float a, b; asm("ld.global.nc.v2.f32 {%0,%1}, [%2+8];" : "=f"(a), "=f"(b) : "l"(given + i / 2 * 2));'
    "o = __float_as_int(b) - __float_as_int(a) + __float_as_int(a) * 2;": 2 * (I // 2 * 2 + 102) + 1,
    '__shared__ __align__(16) int s[256]; asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::'
    '"l"(s + i * 4), "r"(i), "r"(x), "r"(7), "r"(i + 1)); __syncthreads(); o = s[i] + s[i * 4 + 3];': (
        np.stack([I, A.astype(np.int64), I * 0 + 7, I + 1], 1).ravel()[:64] + I + 1
    ).astype(np.uint32),
    "o = bits<3>(i);": I >> 3 & 31,
    "LANE(o); o %= 32;": I % 32,
    'unsigned s, n; asm("mov.u32 %0, %smid;" : "=r"(s)); asm("mov.u32 %0, %%nsmid;" : "=r"(n)); o = s < n;': (
        I * 0 + 1
    ),
}
TEXT = """
#define LANE(x) asm volatile("mov.u32 %0, %laneid;" : "=r"(x))
template <int first> __device__ __forceinline__ int bits(int x) {
  int found;
  asm("bfe.u32 %0, %1, %2, 5;" : "=r"(found) : "r"(x), "n"(first));
  return found;
}
__global__ void kernel(int* out, const int* given) {
  int i = threadIdx.x, o = -1;
  unsigned x = i * 2654435761u;
  STATEMENT
  out[i] = o;
}
"""


def ran(statement, *machine):
    out, given = np.zeros(THREADS, np.int32), np.arange(100, 200, dtype=np.int32)
    with gpusim.use(**dict(zip(("device", "scheduling"), machine, strict=False))):
        kernel = gpusim.RawModule(code=TEXT.replace("STATEMENT", statement)).get_function("kernel")
        kernel((1,), (THREADS,), (out, given))
    return out


@pytest.mark.parametrize(("device", "model"), EVERYWHERE)
def test_instructions_do_what_ptx_says(device, model):
    for statement, expected in WORKED.items():
        wanted = np.array([int(number) & 0xFFFFFFFF for number in expected], np.uint32).view(np.int32)
        np.testing.assert_array_equal(ran(statement, device, model), wanted, err_msg=statement)


@pytest.mark.parametrize(("device", "lanes"), [("H200", 32), ("MetaX C500", 64)])
def test_a_warp_has_as_many_lanes_as_the_device_says(device, lanes):
    mask = "unsigned long long" if lanes == 64 else "unsigned"
    statement = f'{mask} m; asm("mov.u{lanes} %0, %lanemask_KIND;" : "=r"(m)); o = __popcll(m);'
    for kind, expected in {
        "lt": I % lanes, "le": I % lanes + 1, "eq": I * 0 + 1, "gt": lanes - 1 - I % lanes,
        "ge": lanes - I % lanes,
    }.items():  # fmt: skip
        np.testing.assert_array_equal(ran(statement.replace("KIND", kind), device), expected)
    np.testing.assert_array_equal(ran('asm("mov.u32 %0, %warpid;" : "=r"(o));', device), I // lanes)


@pytest.mark.parametrize(
    ("statement", "what", "hint"),
    [
        ('asm("mma.sync.aligned.m8n8k4 %0, %0;" : "+r"(o));', "mma.sync", "write it in C++"),
        ('asm("bar.arrive 1;");', "bar.arrive 1", ""),
        ('asm("bra done;");', "bra done", ""),
        ('asm("{ .reg .pred p; setp.ge.s32 p, %0, 1; }" :: "r"(i));', ".reg .pred p", ""),
        ('asm("add.cc.u32 %0, %0, 1;" : "+r"(o));', "add.cc.u32 %0, %0, 1", ""),
        ('asm("add.u32 %0, %0, %gridid;" : "+r"(o));', "%gridid", ""),
        ('asm("add.sat.s32 %0, %0, 1;" : "+r"(o));', "add.sat.s32", ""),
        ('asm("add.s32 %0, %0;" : "+r"(o));', "add.s32 %0, %0", ""),
        ('asm("ld.global.v2.f16 {%0, %1}, [%2];" : "=r"(o), "=r"(i) : "l"(given));', "ld.global.v2.f16", ""),
    ],
)
def test_other_assembly_is_refused_with_its_text(statement, what, hint):
    with pytest.raises(UnsupportedConstruct) as caught:
        ran(statement)
    assert what in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize(("device", "model"), EVERYWHERE)
@pytest.mark.parametrize("clock", ["clock()", "clock64()", "__clock64()", "__globaltimer()"])
def test_a_clock_counts_instructions_and_never_goes_back(clock, device, model):
    statement = f"""long long start = {clock};
        for (int k = 0; k < N; ++k) x = x * 3 + 1;
        o = {clock} - start + 0 * (x == 9);"""
    short, long = (ran(statement.replace("N", str(rounds)), device, model) for rounds in (1, 50))
    assert (short > 0).all()
    assert (long > short).all()


def test_waiting_for_the_clock_ends():
    assert (ran("long long start = clock64(); while (clock64() - start < 3000) {} o = 1;") == 1).all()


def test_a_trap_in_assembly_ends_the_launch():
    with pytest.raises(gpusim.errors.GpuSimError, match="__trap"):
        ran('if (i == 3) asm("trap;");')


def test_a_program_that_hands_a_value_to_be_written_is_wrong():
    with pytest.raises(KernelTypeError):
        ran('asm("mov.u32 %0, 1;" : "=r"(3));')
