"""What is refused, where, and with which advice? Each statement stands alone in line 4 of a kernel."""

from __future__ import annotations

import random
import re
import textwrap

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct
from tests.from_text import define

# statement -> what the message says, the column of the caret, the advice under it
UNSUPPORTED = {
    "try:\n    pass\nexcept ValueError:\n    pass": ("`try`", 0, "test the condition before"),
    "with x:\n    pass": ("`with`", 0, ""),
    "raise": ("`raise` of this", 0, "raise an exception of Python, with constants"),
    "y = cuda.atomic(x, 0, 1)": ("cuda.atomic() is not supported in a kernel", 4, ""),
    "raise ValueError from None": ("`raise` of this", 0, ""),
    "raise cuda": ("`raise` of this", 0, ""),
    "raise ValueError(x[0])": ("a computed text", 17, "write a text"),
    "assert i > 5, f'{i}'": ("an f-string", 14, "format strings on the host"),
    "y = [1, 2]": ("a list", 4, "use a tuple, or cuda.local.array for storage"),
    "y = [v for v in range(3)]": ("a list comprehension", 4, "write a loop"),
    "y = max(v for v in range(3))": ("a generator expression", 7, "write a loop"),
    "y = {1: 2}": ("a dictionary", 4, "use arrays"),
    "y = {1, 2}": ("a set", 4, "use arrays"),
    "y = f'{i}'": ("an f-string", 4, "format strings on the host"),
    "x[:] = x[1:]": ("an assignment of the array", 0, "assign element by element, in a loop"),
    "x[1:] += 1": ("an update of a whole array", 0, "index the array fully"),
    "global z\nz = 1": ("an assignment to a global variable", 0, "pass an array"),
    "y = x is x[1:]": ("`is` of two arrays", 4, "ask it on the host"),
    "y = slice(1, 2)": ("slice() is not supported", 4, "write it in the brackets: x[1:3]"),
    "y = iter(x)": ("iter() is not supported", 4, "loop over the array or the range itself"),
    "for v in np.nditer(x):\n    pass": ("np.nditer() is not supported", 9, "loop over x.flat"),
    "import math": ("`import`", 0, "import at the top of the file"),
    "from math import pi": ("`import`", 0, ""),
    "class C:\n    pass": ("`class`", 0, ""),
    "del i": ("`del`", 0, ""),
    "x[i] = 1 + (y := i)": ("`:=` within an expression", 12, "in a statement of its own"),
    "yield i": ("`yield`", 0, "kernels do not suspend"),
    "match i:\n    case 1:\n        pass": ("`match`", 0, ""),
    "y = x[0] @ x[1]": ("`@`", 4, ""),
    "y = i in x": ("`in` but for a tuple", 4, "compare element by element, in a loop"),
    "y = sorted(i)": ("sorted()", 4, ""),
    "y = np.sqrt(x[0])": ("np.sqrt() is not supported in a kernel", 4, "use math.sqrt"),
    "y = helper(i)": ("helper()", 4, "mark it @cuda.jit(device=True)"),
    "y = textwrap.dedent('a')": ("textwrap.dedent()", 4, "call it on the host, and pass what it gives"),
    "y = random.random()": ("random.random()", 4, "use cuda.random.xoroshiro128p_uniform_float32(states, i)"),
    "y = '{}'.format(i)": (".format()", 4, "print(…) takes texts and numbers side by side"),
    "y = np.zeros(3)": ("np.zeros()", 4, "use cuda.local.array"),
    "launched.forall(8)(x)": ("launched.forall()", 0, "launch it with launched[grid, block](…)"),
    "y = cuda.stream()": (
        "cuda.stream()",
        4,
        "cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)",
    ),
    "y = cuda.event()": ("cuda.event()", 4, "cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)"),
    "cuda.synchronize()": ("cuda.synchronize()", 0, "cudaStreamTailLaunch"),
    "y = cuda.device_array(3)": ("cuda.device_array()", 4, "use cuda.local.array"),
    "cuda.to_device(x)": ("cuda.to_device()", 0, "call it on the host"),
    "x[0] = cudart.cudaGetLastError()": (
        "an assignment of a tuple",
        0,
        "give a tuple that begins with the error",
    ),
    "x[0] = (1, 2)": (
        "an assignment of a tuple",
        0,
        "an element takes one number: unpack the tuple, or add [0]",
    ),
    "y = sorted(x)": ("sorted() is not supported in a kernel", 4, "write a loop"),
    "y = cuda.grd(1)": ("cuda has no 'grd' in a kernel", 4, "did you mean `grid`?"),
    "for v in i:\n    pass": ("a loop over `i` is not supported", 9, "loop over range(…), an array, a tuple"),
    "for v in reversed(x):\n    pass": ("reversed() is not supported in a kernel", 9, "count down"),
    "for v in range(stop=3):\n    pass": ("is not supported", 9, "takes no keyword arguments"),
    "for v in zip((1, 2), x):\n    pass": ("a loop over a tuple together with an array", 9, ""),
    "y = x.min()": ("'min' of the array 'x'", 4, "write a loop over its elements"),
    "y = x.tolist()": ("'tolist' of the array 'x'", 4, "it has shape, ndim, size"),
    "y = x.ravel()": ("'ravel' of the array 'x'", 4, "use x.reshape(x.size)"),
    "y = x.flatten()": ("'flatten' of the array", 4, "a kernel cannot allocate"),
    "y = x.copy()": ("'copy' of the array", 4, "copy into cuda.local.array in a loop"),
    "y = x.astype(np.int32)": ("'astype' of the array", 4, "convert elements"),
    "x.shape = 3": ("an assignment to `x.shape`", 0, "assign to names and to elements"),
    "y = math.sqr(2)": ("math has no 'sqr' in a kernel", 4, "did you mean `sqrt`?"),
    "y = cuda.threadIdx.X": ("no 'X'", 4, "did you mean `x`?"),
    "y = math.nothing": ("math has no 'nothing'", 4, ""),
    "y = cuda.atomic.nothing(x, 0, 1)": ("no 'nothing'", 4, ""),
    "y = cuda.threadIdx.w": ("no 'w'", 4, ""),
}
ILL_TYPED = {
    "y = undefined": ("the name 'undefined' is not defined", 4, "is it misspelt or not imported?"),
    "y = THRE": ("the name 'THRE' is not defined", 4, "did you mean `THREE`?"),
    "y = devic(i)": ("the name 'devic' is not defined", 4, "did you mean `device`?"),
    "y = threadIdx.x": ("the name 'threadIdx' is not defined", 4, "in Python: cuda.threadIdx"),
    "y = syncwarp": ("the name 'syncwarp' is not defined", 4, "it is cuda.syncwarp"),
    "y = i // warpSize": ("the name 'warpSize' is not defined", 9, "in Python: cuda.warpsize"),
    "__syncthreads()": ("the name '__syncthreads' is not defined", 0, "in Python: cuda.syncthreads"),
    "atomicAnd(x, 0, 1)": ("the name 'atomicAnd' is not defined", 0, "in Python: cuda.atomic.and_"),
    "atomicWish(x, 0, 1)": ("the name 'atomicWish' is not defined", 0, "is it misspelt or not imported?"),
    "__wish(x)": ("the name '__wish' is not defined", 0, "is it misspelt or not imported?"),
    "y = cudaGetLastError()": (
        "the name 'cudaGetLastError' is not defined",
        4,
        "it is cudart.cudaGetLastError",
    ),
    "helper[1, 1](x)": ("'helper' cannot be indexed", 0, "if it is a kernel, write @cuda.jit above it"),
    "in_cpp[1, 1](x)": (
        "'in_cpp' cannot be launched from Python's kernels",
        0,
        "it is CUDA C++: launch it from the host, or from a kernel of its own text",
    ),
    "return 5": ("a kernel returns nothing", 0, "write the result into an array"),
    "x[i] = 'text'": ("'text' where a number is needed", 0, ""),
    "cuda.syncthreads": (
        "the function cuda.syncthreads is named, and not called",
        0,
        "call it: syncthreads()",
    ),
    "cuda.cg.this_thread_block().sync": ("the method 'sync' is named, and not called", 0, "call it: sync()"),
    "y = cuda.syncthreads + 1": (
        "the function cuda.syncthreads where a number is needed",
        4,
        "call it: syncthreads()",
    ),
    "y = cuda.cg.this_grid().size + 1": ("the method 'size' where a number is needed", 4, "call it: size()"),
    "y = cuda.cg.this_grid() + 1": ("a GridGroup where a number is needed", 4, "ask its methods"),
    "y = cuda.threadIdx + 1": ("where a number is needed", 4, "take one of its numbers: .x, .y or .z"),
    "y = cuda.blockDim[0]": ("cannot be indexed", 4, "take one of its numbers: .x, .y or .z"),
    "y = x[cuda.grid(2)]": ("2 indices into 'x'", 4, "unpack the tuple, and index with one of its numbers"),
    "j, k = cuda.grid(1)": ("2 names need a tuple of 2 values", 0, "here is a number"),
    "y = cuda.laneid()": ("a number cannot be called", 4, "leave out the brackets"),
    "y = x.shape(0)": ("a tuple cannot be called", 4, "take one of its items: [0]"),
    "y = x.shape + 1": ("a tuple where a number is needed", 4, "unpack it, or take one of its items: [0]"),
    "y = cuda.grid()": ("wrong arguments of cuda.grid()", 4, "use cuda.grid(ndim)"),
    "x[0] = float32(1)": ("the name 'float32' is not defined", 7, "it is np.float32"),
    "y = x[0.5]": ("an index of type float64", 4, "use // for whole division, or int(…)"),
    "y = x[i, i]": ("2 indices into 'x', which has 1 dimension(s)", 4, "index it fewer times"),
    "y = i[0]": ("cannot be indexed", 4, "is it an array?"),
    "y = i()": ("cannot be called", 4, ""),
    "y = x + 1": ("the array 'x' where a number is needed", 4, "index it, or pass a number"),
    "if x:\n    pass": ("the array 'x' where a number is needed", 3, ""),
    "y = -x": ("the array 'x' where a number is needed", 5, ""),
    "y = i + None": ("None where a number is needed", 4, ""),
    "y = 1.5 & 2": ("and does not take float64 and int64", 4, "convert with int(…)"),
    "if i > 0 & x[i]:\n    pass": ("and does not take", 7, "join conditions with `and`, or put brackets"),
    "y = x[i] | 2": ("or does not take", 4, "join conditions with `or`"),
    "y = x[i] ^ 2": ("xor does not take", 4, "a power is written **; for bits, convert with int(…)"),
    "y = x[0] << 1": ("shl does not take float64 and int64", 4, "convert with int(…)"),
    "y = ~1.5": ("~ does not take float64", 4, "convert with int(…)"),
    "y = 2**100": ("2 ** 100 does not fit 64 bits", 4, "write a float, like 2.0"),
    "y = 2**10**10": ("does not fit 64 bits", 4, "write a float, like 2.0"),
    "y = 1 << 64": ("1 << 64 does not fit 64 bits", 4, "write a float, like 2.0"),
    "y = 18446744073709551616": ("18446744073709551616 does not fit 64 bits", 4, "write a float"),
    "y = i + 2**64": ("2 ** 64 does not fit 64 bits", 8, "write a float, like 2.0"),
    "y = THREE**-1": ("3 ** -1 is no whole number, and int64 holds no other", 4, "make one of them a float"),
    "y = pow(THREE, -1)": ("3 ** -1 is no whole number", 4, "make one of them a float"),
    "y = 0**-1": ("0 ** -1 is no whole number", 4, "make one of them a float"),
    "y = THREE**100": ("3 ** 100 does not fit int64", 4, "make one of them a float"),
    "y = THREE**10**18": ("3 ** 1000000000000000000 does not fit int64", 4, "make one of them a float"),
    "y = float('three')": ("the text 'three' is no number", 4, ""),
    "for v in range(0.5):\n    pass": ("range() takes one to three whole numbers", 9, ""),
    "for v in range(1, 2, 0):\n    pass": ("range() with step 0 never ends", 9, ""),
    "s = cuda.shared.array(i, np.float32)": (
        "the shape of a shared array is not a positive constant",
        4,
        "use numbers",
    ),
    "s = cuda.local.array((2, 0), np.int8)": (
        "the shape of a local array is not a positive constant",
        4,
        "use numbers",
    ),
    "s = cuda.shared.array(4, 'text')": (
        "the element type is not a number type",
        4,
        "use for example np.float32",
    ),
    "s = cuda.shared.array(4)": ("wrong arguments", 4, "use cuda.shared.array(shape, dtype, alignment=None)"),
    "array[0] = 1": ("'array' is constant", 0, "pass the array as an argument to write to it"),
    "array[1:].fill(0)": ("is constant", 0, "pass the array as an argument"),
    "cuda.atomic.add(array, 0, 1)": ("'array' is constant", 0, "pass the array as an argument"),
    "y = cuda.const.array_like(x)": (
        "the array 'x' is not an array known when the kernel is compiled",
        4,
        "name a NumPy array",
    ),
    "y = x[..., ...]": ("an index with more than one `...`", 4, ""),
    "y = x[::0]": ("a slice with step 0", 4, "take a step of at least 1"),
    "y = x[1.5:]": ("a slice's bound of type float64", 6, "use // for whole division"),
    "y = x[::2].reshape(2, 1)": ("reshape() takes a C-contiguous array", 4, "index it"),
    "y = x[::2].view(np.int8)": ("view() of 8-byte elements as 1-byte ones takes a C-contiguous", 4, ""),
    "y = array.reshape(2, 2)": ("3 elements cannot take a shape of 4", 4, ""),
    "y = x.reshape(-1, -1)": ("reshape() with more than one -1", 4, ""),
    "y = x.view(3)": ("the element type is not a number type", 4, ""),
    "s = cuda.shared.array(4, np.int8, alignment=3)": ("an alignment is a power of two", 4, ""),
    "y = cuda.ldcg(array, 0)": (
        "'array' is const memory; caches are of global memory",
        4,
        "index it as usual",
    ),
    "y = x['a']": ("'a' where a number is needed", 4, "a kernel computes with numbers"),
    "y = cuda.grid(1.0)": ("the number of dimensions is the constant 1, 2 or 3", 4, ""),
    "y = (1, 2, 3)[::0]": ("a slice with step 0", 4, "take a step of at least 1"),
    "s = cuda.shared.array((), np.int8)": ("the shape of a shared array is not a positive constant", 4, ""),
    "s = cuda.shared.array(4, np.int8, alignment=i)": ("an alignment is a power of two", 4, "constant"),
    "s = cuda.shared.array(4, np.int8, alignment=16.0)": ("an alignment is a power of two", 4, "constant"),
    "y = cuda.grid(4)": ("the number of dimensions is the constant 1, 2 or 3", 4, ""),
    "y = cuda.grid(i)": ("the number of dimensions is the constant 1, 2 or 3", 4, ""),
    "cuda.syncthreads(1)": ("wrong arguments", 0, "use cuda.syncthreads()"),
    "cuda.atomic.add(x, i)": ("wrong arguments of cuda.atomic.add()", 0, "use cuda.atomic.add(array, "),
    "for v in (1, 2.5):\n    pass": ("a loop over a tuple of different types", 9, "convert its items"),
    "for a, b in range(3):\n    pass": ("2 names need a tuple of 2 values", 4, ""),
    "y, z = 1, 2, 3": ("2 names need a tuple of 2 values", 0, ""),
    "y = (1, 2.5)[i]": (
        "a tuple of several types is indexed by a constant",
        4,
        "use an array for computed indices",
    ),
    "y = (1, 2)[5]": ("index 5 of a tuple of 2", 4, ""),
    "y = len(i)": ("len() takes one array or tuple", 4, ""),
    "y = recursive(i)": ("recursive() calls itself", 4, "write it as a loop"),
    "y = device(i, i)": ("device(v) called with 2 argument(s)", 4, ""),
}


@cuda.jit(device=True)
def recursive(v):
    return recursive(v - 1) if v > 0 else v


@cuda.jit(device=True)
def device(v):
    return v


@cuda.jit
def launched(v):
    v[0] = 1


def helper(v):
    return v


in_cpp = gpusim.RawKernel("__global__ void in_cpp(double* x) {}", "in_cpp")


def refused(statement):
    """The error of a kernel with the statement in its line 4."""
    text = f"@cuda.jit\ndef kernel(x):\n    i = cuda.grid(1)\n{textwrap.indent(statement, '    ')}\n"
    outside = {
        "recursive": recursive,
        "device": device,
        "helper": helper,
        "in_cpp": in_cpp,
        "launched": launched,
        "cudart": cudart,
        "array": np.arange(3),
        "THREE": 3,
        "random": random,
        "textwrap": textwrap,
    }
    kernel = define(text, **outside)
    x = np.zeros(3)
    with pytest.raises(GpuSimError) as caught:
        kernel[1, 1](x)
    assert not x.any()
    return caught.value


@pytest.mark.parametrize("statement", UNSUPPORTED)
def test_an_unsupported_construct_is_named_and_pointed_at(statement):
    message, column, hint = UNSUPPORTED[statement]
    error = refused(statement)
    assert isinstance(error, UnsupportedConstruct)
    assert message in error.message
    assert hint in error.hint
    assert (error.span.line, error.span.column) == (4, 4 + column)


@pytest.mark.parametrize("statement", ILL_TYPED)
def test_an_ill_typed_statement_is_explained_and_pointed_at(statement):
    message, column, hint = ILL_TYPED[statement]
    error = refused(statement)
    assert isinstance(error, KernelTypeError)
    assert message in error.message
    assert hint in error.hint
    if "recursive" not in statement:
        assert (error.span.line, error.span.column) == (4, 4 + column)


def test_nothing_of_the_host_is_suggested():
    assert refused("y = helpr(i)").hint == "is it misspelt or not imported?"
    assert "zeros" not in refused("y = np.zeroz(3)").hint


@pytest.mark.parametrize("statement", [*UNSUPPORTED, *ILL_TYPED])
def test_no_message_shows_the_insides_of_the_compiler(statement):
    message = str(refused(statement))
    for inside in (
        "Register(",
        "Intrinsic(",
        "SpecialRegister",
        "BinOp",
        "Starred",
        "Tuple ",
        "Name ",
        "object at 0x",
    ):
        assert inside not in message


def test_the_whole_message():
    assert str(refused("    y = [1, 2]".strip())).partition(">:")[2] == (
        "4: a list is not supported in a kernel\n"
        "    y = [1, 2]\n"
        "        ^ use a tuple, or cuda.local.array for storage"
    )


def test_a_kernel_within_a_function_is_pointed_at_in_the_file():
    def make():
        @cuda.jit
        def kernel(x):
            x[0] = {}

        return kernel

    with pytest.raises(UnsupportedConstruct) as caught:
        make()[1, 1](np.zeros(1))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("test_refused.py:")
    assert lines[1:] == ["    x[0] = {}", "           ^ use arrays"]


def test_a_fault_in_a_device_function_is_pointed_at_there():
    text = (
        "@cuda.jit(device=True)\ndef inner(v):\n    return v + []\n\n\n"
        "@cuda.jit\ndef kernel(x):\n    x[0] = inner(1)\n"
    )
    with pytest.raises(UnsupportedConstruct) as caught:
        define(text)[1, 1](np.zeros(1))
    assert caught.value.span.line == 3
    assert caught.value.span.outermost.line == 8


@pytest.mark.parametrize(
    ("parameters", "what", "column"),
    [
        ("*x", "`*`", 12),
        ("x, *, n", "a parameter that is passed by name", 17),
        ("x, **names", "`**`", 16),
    ],
)
def test_parameters_that_kernels_do_not_have_are_pointed_at(parameters, what, column):
    with pytest.raises(UnsupportedConstruct, match=re.escape(f"{what} is not supported")) as caught:
        define(f"@cuda.jit\ndef kernel({parameters}):\n    pass\n")[1, 1](np.zeros(1))
    assert (caught.value.span.line, caught.value.span.column) == (2, column)


# What a name stands for is decided while compiling: where ways meet, and it is read, it is one thing on all.

MEETING = {
    "f = max\nif i > 1:\n    f = min\nx[i] = f(i, 2)": (6, "'f' is 'min' here and 'max' from line 4"),
    "if i > 1:\n    x = 3\nz[i] = x": (5, "'x' is a number here and the array 'x' otherwise"),
    "t = (1, 2)\nif i > 1:\n    t = 7\nx[i] = t": (6, "'t' is a number here and a tuple of 2 from line 4"),
    "t = (1, 2)\nif i > 1:\n    t = (3, 4, 5)\nx[i] = t[0] + len(t)": (
        6, "'t' is a tuple of 3 here and a tuple of 2 from line 4",
    ),
    "for k in range(i):\n    x[0] = 1\n    x = 3": (6, "'x' is a number here and the array 'x' otherwise"),
    "y = 1\nwhile i < 2:\n    if i:\n        y = x\n        break\n    i += 1\nelse:\n    y = 2\nz[0] = y": (
        11, "'y' is a number here and the array 'x' from line 7",
    ),
}  # fmt: skip


@pytest.mark.parametrize("statements", MEETING)
def test_where_ways_meet_a_name_that_is_needed_is_one_thing(statements):
    text = f"@cuda.jit\ndef kernel(x, z):\n    i = cuda.grid(1)\n{textwrap.indent(statements, '    ')}\n"
    line, message = MEETING[statements]
    with pytest.raises(KernelTypeError, match=f"{message}, and is used where the two meet") as caught:
        define(text)[1, 4](np.zeros(4, np.int64), np.zeros(4, np.int64))
    assert caught.value.span.line == line


def test_after_a_loop_over_arrays_its_variable_is_the_last():
    x, z = np.zeros(4), np.zeros(4)
    text = "@cuda.jit\ndef kernel(x, z):\n    for a in (x, z):\n        a[0] = 1\n    a[1] = 1\n"
    define(text)[1, 1](x, z)
    assert (x.tolist(), z.tolist()) == ([1, 0, 0, 0], [1, 1, 0, 0])


@pytest.mark.parametrize("one", ["x[::2]", "x[1:]"])
def test_a_variable_of_several_views_is_contiguous_where_all_of_them_are(one):
    other = {"x[::2]": "x[1:]", "x[1:]": "x[::2]"}[one]
    body = f"    y = {one}\n    if x[0] > 0:\n        y = {other}\n    y.reshape(-1)[0] = 1\n"
    text = f"@cuda.jit\ndef kernel(x):\n{body}"
    with pytest.raises(KernelTypeError, match=r"reshape\(\) takes a C-contiguous array"):
        define(text)[1, 1](np.zeros(4))
    x = np.zeros(4)
    define(text.replace("::2", ":3"))[1, 1](x)
    assert x.sum() == 1
