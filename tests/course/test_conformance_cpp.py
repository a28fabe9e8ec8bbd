"""Is what the page says of CUDA C++ true? Each example runs, or is refused with a message that helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import conformance_cpp as conformance
from course.listed import Lines
from gpusim.cpp import options
from gpusim.frontends.cuda_cpp.functions import prototypes

PAGE = (Path(__file__).parents[2] / "book" / "cuda-cpp.md").read_text(encoding="utf-8")
RUN = [part for part in conformance.EXAMPLES if part not in (conformance.REFUSED, conformance.WRONG)]


@pytest.mark.parametrize("part", RUN)
def test_the_constructs_of_the_page_run(part):
    assert {one.name: one.message for one in conformance.constructs(part) if one.message} == {}
    assert f'"{part}"' in PAGE


@pytest.mark.parametrize("part", [conformance.REFUSED, conformance.WRONG])
def test_what_is_refused_or_wrong_says_so_with_its_place(part):
    for message in conformance.messages(part):
        where, _, caret = message.splitlines()[:3]
        assert where.startswith("code:"), message
        assert "^" in caret


def test_every_refusal_says_what_to_do():
    for one in conformance.constructs(conformance.REFUSED):
        assert "; " in one.message, f"{one.name}: {one.message} has no hint"


@pytest.mark.parametrize("table", prototypes.OFFERED)
@pytest.mark.parametrize("device", [conformance.H200, conformance.C500])
def test_every_function_of_the_tables_can_be_called(table, device):
    failed = [one.failed for one in conformance.functions(table, device) if one.failed]
    assert failed == []
    assert table in PAGE


def test_functions_that_are_not_offered_say_what_to_do():
    for one in conformance.refused_functions():
        assert "is not supported" in one.message
        assert "; " in one.message


def test_a_table_shows_an_example_or_the_message():
    tried = [
        conformance.Tried("a", "int f();\n---\n    int a = 1 | 2;\n", ""),
        conformance.Tried("b", "x", "`<b>` is _not_"),
    ]
    assert conformance.table_of_constructs(tried).rows == [
        ["a", Lines("int f();\n    int a = 1 | 2;")],
        ["b", "`<b>` is _not_"],
    ]


def test_functions_stand_beside_their_prototypes():
    found = [
        conformance.Functions("int …(int)", (), ("__clz", "__ffs", "__bad"), {"__bad": "no <x>"}),
        conformance.Functions("T …(T)", ("int", "float"), ("__clz", "__ffs"), {}),
        conformance.Functions("int …(R)", (), ("a",), {}),
        conformance.Functions("R …()", (), ("b",), {}),
    ]
    assert conformance.table_of_functions(found).rows == [
        [Lines("int …(int)\nT …(T)  // T: int, float"), "`__clz`, `__ffs`"],
        ["one name each", Lines("int a(R)\nR b()")],
        ["`__bad`", "refused: no <x>"],
    ]


def test_refused_functions_with_one_way_out_share_a_row():
    tried = [conformance.Tried(f"`{name}`", "", f"no; say {name}_sync <") for name in ("__any", "__all")]
    assert conformance.table_of_refused(tried, "").rows == [["`__any`, `__all`", "say …_sync <"]]


def test_options_with_one_effect_share_a_row():
    assert conformance.table_of_options(options.FLAGS).rows[0] == [
        "`-D`, `--define-macro=`",
        "defines a macro: -DN=16",
        "has an effect",
    ]


def test_the_macros_of_a_device_are_named():
    assert {"__CUDA_ARCH__", "CUDART_VERSION", "INT_MAX"} <= set(conformance.predefined())
    assert "__MACA__" in conformance.predefined(conformance.C500)
