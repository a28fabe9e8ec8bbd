"""Which arrays of the device does a kernel name from outside, itself or in functions that it calls?"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any


def arrays_named(
    function: Any, meanings: Mapping[str, Mapping[Any, Any]], seen: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """Their names as the text has them, `buffer` or `module.buffer`, and the arrays: by its `meanings` what
    they were when it was compiled, for any types of arguments.
    """
    function = inspect.unwrap(function)
    codes, names = [function.__code__], set[str]()
    for code in codes:
        names.update(code.co_names, code.co_freevars)
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    outside = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    frozen = {key: found for each in meanings.values() for key, found in each.items()}
    outside |= frozen

    def within(name: str, found: Any) -> Iterator[tuple[str, Any]]:
        called = getattr(found, "device_function", None)
        if hasattr(found, "device_ctypes_pointer"):
            yield name, found
        elif isinstance(found, tuple):
            for place, part in enumerate(found):
                yield from within(f"{name}[{place}]", part)
        elif isinstance(found, ModuleType):
            for part in sorted(names & vars(found).keys()):
                array = frozen.get((found, part), vars(found)[part])
                if hasattr(array, "device_ctypes_pointer"):
                    yield f"{name}.{part}", array
        elif called is not None and called not in seen:
            yield from arrays_named(called, found.names_outside, (*seen, called))

    for name in sorted(names & outside.keys()):
        yield from within(name, outside[name])
