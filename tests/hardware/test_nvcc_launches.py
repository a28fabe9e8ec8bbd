"""Do parameters lie here where nvcc 13 stores them, and do two calls do what the brackets do?"""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from tests.hardware.nvcc_launches import RECORD, STRUCTS, TYPES, lists, source

MADE = json.loads(RECORD.read_text())
# how `gpusim.pack_parameters` takes what C++ writes
VALUES = {"5.0f": 5.0, "true": True, "x": None}


def value(type_: str):
    text = TYPES[type_]
    if text[0] == "{":
        return tuple(map(int, text[1:-1].split(",")))
    return VALUES[text] if text in VALUES else float(text) if "." in text else int(text)


@pytest.mark.parametrize("number", range(len(lists())))
def test_every_byte_of_a_value_is_where_nvcc_stores_it(number):
    types, row = lists()[number], MADE["stored"][number]
    assert row["types"] == list(types)
    kernel = gpusim.RawModule(code=STRUCTS + source(number, types)).get_function(f"child{number}")
    packed = gpusim.pack_parameters(kernel, *map(value, types))
    there = {first + k for first, size in row["bytes"] for k in range(size)}
    numbers = {one.offset + k for each in packed.parameters for one in each.numbers for k in range(one.size)}
    assert numbers <= there  # a struct's own padding is stored or not
    assert there <= {at for at, octet in enumerate(packed.octets) if octet is not None}


def test_the_head_of_the_file_declares_what_is_called_and_holds_the_child():
    assert MADE["head"][:3] == [".version 9.0", ".target sm_90", ".address_size 64"]
    whole = "\n".join(MADE["head"])
    assert [whole.count(each) for each in (*MADE["declared"]["parent"], ".visible .entry")] == [1, 1, 1]
    assert ".visible .entry _Z5childcdiPi(" in MADE["head"]


def test_a_kernel_that_makes_the_calls_itself_becomes_the_same_ptx_as_the_brackets():
    assert MADE["ptx"]["by_hand"] == MADE["ptx"]["parent"]


def test_both_forms_do_the_same_here():
    after = []
    for name in ("parent.cu", "by_hand.cu"):
        text = MADE["sources"][name].partition("int main")[0]
        x = np.zeros(4, np.int32)
        gpusim.RawModule(code=text).get_function("parent")[1, 1](x)
        after.append(x.tolist())
    assert after == [[6] * 4] * 2
