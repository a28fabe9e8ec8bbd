"""Does a kernel compute what C computes? Thousands of random expressions, all number types, every bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import BY_NAME, INT, TYPES, common
from tests.frontends.cuda_cpp.expressions import ASSIGN, POSTFIX, Generator, whole
from tests.frontends.cuda_cpp.programs import Program, differences, smallest_parts
from tests.hunting import some

CASTS = json.loads((Path(__file__).parents[2] / "hardware" / "conversions.json").read_text())["casts"]
C_NAMES = {
    "f32": "float", "f64": "double", "s8": "signed char", "u8": "unsigned char", "s16": "short",
    "u16": "unsigned short", "s32": "int", "u32": "unsigned int", "s64": "long long",
    "u64": "unsigned long long",
}  # fmt: skip
SEEDS, EXPRESSIONS, DEPTH = 24, 100, 4
# which of these takes an expression tells its type
OVERLOADS = "".join(
    f"__device__ int kind({type_.name}) {{ return {number}; }}\n" for number, type_ in enumerate(TYPES)
)


def random_program(seed: int) -> Program:
    """A hundred expressions; half of them are stored as another type than their own.

    In every eighth program nearly all is known while compiling.
    """
    generator = Generator(seed, share=0.9 if seed % 8 == 7 else 0.2)
    expressions = []
    for number in range(EXPRESSIONS):
        expression = generator.expression(1 + number % DEPTH)
        type_ = generator.random.choice(TYPES) if number % 2 else expression.type
        expressions.append((generator.convertible(expression, type_), type_))
    return Program(f"expressions_{seed}", expressions)


def program_of_types(seed: int) -> Program:
    """The types of a hundred expressions."""
    generator = Generator(1000 + seed)
    expressions = [generator.expression(1 + number % DEPTH) for number in range(EXPRESSIONS)]
    kinds = [whole(f"kind({part.within(ASSIGN)})", INT, POSTFIX, part) for part in expressions]
    return Program(f"types_{seed}", [(kind, INT) for kind in kinds], OVERLOADS)


PROGRAMS = {program.name: program for program in map(random_program, some(range(SEEDS), 2, first=1))}
PROGRAMS |= {program.name: program for program in map(program_of_types, range(2))}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    text = OVERLOADS + "\n".join(program.function for program in PROGRAMS.values())
    return Reference(text, tmp_path_factory.mktemp("arithmetic"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_expressions_give_what_c_gives(name, reference, tmp_path):
    program = PROGRAMS[name]
    differing = differences(program, reference)
    if differing:
        case, what = min(differing, key=lambda pair: len(pair[0].expression.text))
        parts = smallest_parts(case, tmp_path, OVERLOADS)
        pytest.fail(f"{len(differing)} of {EXPRESSIONS} differ; the shortest:\n{what}\n{parts}")


def test_the_generator_knows_the_types_of_c(reference):
    # which keeps its expressions defined: it must know what shifts, divides and converts
    for program in PROGRAMS.values():
        if program.prologue:
            expected = program.expected(reference)[INT]
            for case in program.cases:
                (part,) = case.expression.parts
                assert set(expected[case.index]) == {TYPES.index(part.type)}, part.text


def test_the_types_of_all_pairs_of_numbers():
    pairs = [(one, other) for one in TYPES for other in TYPES]
    names = [f"{type_.letter}_" for type_ in TYPES]
    declared = "".join(f"  {type_.name} {name} = 1;\n" for type_, name in zip(TYPES, names, strict=True))
    sums = "".join(
        f"  out[{number}] = kind({one.letter}_ + {other.letter}_);\n"
        for number, (one, other) in enumerate(pairs)
    )
    text = f"{OVERLOADS}__global__ void sums(int* out) {{\n{declared}{sums}}}\n"
    out = np.zeros(len(pairs), np.int32)
    gpusim.RawModule(code=text).get_function("sums")((1,), (1,), (out,))
    assert [TYPES[kind] for kind in out] == [common(one, other) for one, other in pairs]


# what C leaves undefined, as an H200 does it


@pytest.mark.parametrize("types", CASTS)
def test_casts_of_floats_that_no_integer_holds(types):
    source, type_ = (C_NAMES[name] for name in types.split())
    kernel = gpusim.RawKernel(
        f"""extern "C" __global__ void cast(const {source}* x, {type_}* out) {{
            out[threadIdx.x] = ({type_})x[threadIdx.x];
        }}""",
        "cast",
    )
    numbers, expected = zip(*CASTS[types], strict=True)
    x = np.array([float(number) for number in numbers], BY_NAME[source].dtype)
    out = np.zeros(x.size, BY_NAME[type_].dtype)
    kernel((1,), (x.size,), (x, out))
    assert out.tolist() == list(expected)


# a dividend of 64 bits that fits into 32 is divided as one of 32 bits, even by zero
@pytest.mark.parametrize(
    ("type_", "dtype", "by_zero"), [("int", np.int32, -1), ("long long", np.int64, 2**32 - 1)]
)
def test_division_by_zero_and_of_the_lowest_number(type_, dtype, by_zero):
    kernel = gpusim.RawKernel(
        f"""typedef {type_} T;
        extern "C" __global__ void divide(const T* a, const T* b, T* quotient, T* rest) {{
            int i = threadIdx.x;
            quotient[i] = a[i] / b[i];
            rest[i] = a[i] % b[i];
        }}""",
        "divide",
    )
    lowest = np.iinfo(dtype).min
    a, b = np.array([[7, -7, 0, lowest, lowest, -7, 7], [0, 0, 0, -1, 1, 2, -2]], dtype)
    quotient, rest = np.zeros_like(a), np.zeros_like(a)
    kernel((1,), (a.size,), (a, b, quotient, rest))
    assert quotient.tolist() == [by_zero, -1, by_zero, lowest, lowest, -3, -3]
    assert rest.tolist() == [7, -7, 0, 0, 0, -1, 1]
