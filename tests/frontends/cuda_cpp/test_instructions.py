"""Does a kernel become no more instructions than its text asks for? And do they leave each other alone?"""

from __future__ import annotations

import re

import numpy as np

import gpusim

PARTICLE = np.dtype([("x", "f4"), ("y", "f4"), ("vx", "f4"), ("vy", "f4")])


def kernel(body, parameters, before=""):
    return gpusim.RawKernel(f'{before}\nextern "C" __global__ void k({parameters}) {{ {body} }}', "k")


def count(compiled, mnemonic):
    """How many instructions begin with this?"""
    return len(re.findall(rf"^    {re.escape(mnemonic)}", compiled.inspect_ir(), re.MULTILINE))


def test_a_struct_is_loaded_straight_into_its_members():
    move = kernel(
        "Particle q = p[threadIdx.x]; q.x += q.vx; q.y += q.vy; p[threadIdx.x] = q;",
        "Particle* p",
        "struct Particle { float x, y, vx, vy; };",
    )
    assert (count(move, "ld."), count(move, "st."), count(move, "mov.f32")) == (4, 4, 0)
    particles = np.zeros(32, PARTICLE)
    particles["vx"] = np.arange(32)
    particles["vy"] = 2
    move[1, 32](particles)
    assert particles[5].tolist() == (5, 2, 5, 2)


def test_a_vector_is_unpacked_straight_into_its_members():
    double = kernel("float4 v = x[threadIdx.x]; v.w *= 2; x[threadIdx.x] = v;", "float4* x")
    assert (count(double, "ld."), count(double, "mov.unpack"), count(double, "mov.f32")) == (1, 4, 0)


def test_members_are_all_computed_before_the_first_is_assigned():
    turn = kernel("float2 v = x[0]; v = make_float2(v.x + v.y, v.x - v.y); x[0] = v;", "float2* x")
    x = np.array([5, 3], np.float32)
    turn[1, 1](x)
    assert x.tolist() == [8, 2]


def test_one_value_may_go_into_two_members():
    splat = "__device__ float2 splat(float s) { return make_float2(s, s); }"
    both = kernel("float2 v = splat(x[0].x * 2); x[0] = v;", "float2* x", splat)
    x = np.array([5, 3], np.float32)
    both[1, 1](x)
    assert x.tolist() == [10, 10]


def test_two_variables_made_of_the_same_bits_are_two():
    """Neither shares memory with the other, nor with what they were made of."""
    count_up = kernel(
        """
        unsigned sum = threadIdx.x + 1;
        int one = (int)(sum * 2), other = (int)(sum * 2), third = (int)sum;
        if (threadIdx.x < 16) { one += 100; sum += 7; }
        x[threadIdx.x] = make_int4(one, other, third, (int)sum);
        """,
        "int4* x",
    )
    x = np.zeros((32, 4), np.int32)
    count_up[1, 32](x.ravel())
    thread = np.arange(32)
    low = thread < 16
    expected = 2 * thread + 2 + 100 * low, 2 * thread + 2, thread + 1, thread + 1 + 7 * low
    assert (x == np.stack(expected, axis=1)).all()


def test_what_warps_share_is_added_alike_whether_or_not_it_is_the_same_for_all():
    """512 warps of 256 blocks: `step` is the same for all of them, the number of the block is not."""
    add = kernel(
        """
        int step = n * 3;
        for (int k = 0; k < 2; ++k) step += k;
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] = (threadIdx.x + step) + (threadIdx.x - (int)blockIdx.x) * step;
        """,
        "int* x, int n",
    )
    x = np.zeros((256, 64), np.int32)
    add[256, 64](x.ravel(), 5)
    block, thread = np.mgrid[:256, :64]
    assert (x == thread + 16 + (thread - block) * 16).all()


def test_a_variable_stays_in_registers_under_pointers_to_its_members():
    """A pointer to a member, a base that is cast to what is derived from it: no address is needed."""
    before = """
template <class D> struct Shape { __device__ int twice() { return 2 * static_cast<D*>(this)->side(); } };
struct Square : Shape<Square> { int n; __device__ int side() { return n; } };
"""
    body = """
Square s; s.n = x[threadIdx.x];
float2 v = {1, 2}; float* y = &v.y; *y += 3;
x[threadIdx.x] = s.twice() + (int)(v.x + v.y);
"""
    square = kernel(body, "int* x", before)
    assert count(square, "ld.local") + count(square, "st.local") == 0
    x = np.array([7, 8], np.int32)
    square[1, 2](x)
    assert x.tolist() == [20, 22]
