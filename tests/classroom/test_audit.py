"""What is to be looked at in a function that checks may call, and what is not?"""

from __future__ import annotations

import pytest

from classroom.audit import findings
from classroom.carrying import Names
from tests.classroom.apart_cheats import UNFOLLOWED

SETUP = "import dataclasses\nimport functools\nimport numpy as np\nfrom gpusim import cuda\n"
LOOKED_AT = {
    "a class with a field of any name": "return dataclasses.make_dataclass('Bag', [x])",
    "what one object has becomes another's": "return functools.update_wrapper(x, f, (), (x,))",
    "the same as a decorator": "return functools.wraps(x)",
    "the same from within": "from functools import update_wrapper as u\n    return u(x, f, (), (x,))",
    "what names it by itself": "return functools.WRAPPER_UPDATES",
    "the fields of a class": "return dataclasses.fields(x)",
    "Python's own functions as a table": "return __builtins__['eval'](x)",
    "memory by its address": "return type(np.zeros(1).ctypes.shape).from_address(x)",
    "a name that is made": "return getattr(x, chr(95))",
    "a module's by a text": "return getattr(np, 'load')",
    "a frame's by a text": "return getattr(x, 'gi_frame')",
    "what looks it up later": "return map(getattr, [x], ['warp_size'])",
    "a name that only Python itself has": "return hasattr(x, '__globals__')",
}
USUAL = {
    "a figure that a device may lack": "return hasattr(x, 'shared_bytes_per_block')",
    "the same with a value in its place": "return getattr(x, 'warp_size', 32)",
    "a copy of a dataclass": "return dataclasses.replace(x, warp_size=32)",
    "a partial function": "return functools.partial(max, x)(4)",
    "sums": "return functools.reduce(lambda a, b: a + b, [x, x])",
}


def looked_at(body: str) -> list[str]:
    source = f"{SETUP}\ndef f(x):\n    {body}"
    return [str(each) for each in findings(source, Names.of([source], frozenset())) if each.look]


@pytest.mark.parametrize("name", LOOKED_AT)
def test_what_reaches_for_more_is_looked_at(name: str) -> None:
    assert looked_at(LOOKED_AT[name]) != []


@pytest.mark.parametrize("name", USUAL)
def test_what_answers_are_made_of_is_not(name: str) -> None:
    assert looked_at(USUAL[name]) == []


def test_what_ends_that_calls_are_followed_is_looked_at() -> None:
    told = [str(each) for each in findings(UNFOLLOWED, Names.of([SETUP, UNFOLLOWED], frozenset()))]
    assert [each.partition(",")[0] for each in told] == [
        "line 13: `dataclasses.make_dataclass`",
        "line 14: `dataclasses.make_dataclass`",
        "line 14: `functools.update_wrapper`",
    ]
