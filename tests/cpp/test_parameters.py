"""How large may the parameters of a kernel be that the host launches? 4,096 bytes, from Volta on 32,764."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError

TEXT = """
struct Words { int words[WORDS]; };
__global__ void last(Words given, int* found) { *found = given.words[WORDS - 1]; }"""


def launched(device, words):
    found, given = np.zeros(1, np.int32), np.zeros(1, [("words", np.int32, (words,))])
    given["words"][0, -1] = 7
    text = gpusim.RawModule(code=TEXT.replace("WORDS", str(words)))
    with gpusim.use(device):
        text.get_function("last")[1, 1](given[0], found)
    return found[0]


@pytest.mark.parametrize(("device", "words"), [("P100", 1022), ("V100", 1023)])
def test_so_many_bytes_arrive(device, words):
    """With the pointer, 4,096 bytes on the P100; one word more on the V100."""
    assert launched(device, words) == 7


def test_one_word_more_is_refused_and_the_message_says_what_to_do():
    with pytest.raises(
        LaunchError, match="the parameters of last have 4,104 bytes; on P100 a kernel has 4,096"
    ) as caught:
        launched("P100", 1023)
    assert "pass the address of what is large" in str(caught.value)


@cuda.jit
def last_of(given, found):
    found[0] = given.words[1022]


def test_a_kernel_in_python_takes_more():
    """4,104 bytes on the P100."""
    found, given = np.zeros(1, np.int32), np.zeros(1, [("words", np.int32, (1023,))])
    given["words"][0, -1] = 7
    with gpusim.use("P100"):
        last_of[1, 1](given[0], found)
    assert found[0] == 7
