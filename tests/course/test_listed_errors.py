"""Does the page of errors say which error here is meant by a name from elsewhere?"""

from __future__ import annotations

import builtins
import re

import pytest

from course import listed_errors

ROWS = re.findall(r"<tr><td>(.*?)</td><td><code>(\w+)</code>", listed_errors.table().data)


@pytest.mark.parametrize(
    ("elsewhere", "here"),
    [
        ("IndexError", "OutOfBounds"),
        ("TypingError", "KernelTypeError"),
        ("CudaAPIError", "LaunchError"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", "OutOfBounds"),
        ("CUDA_ERROR_INVALID_VALUE", "LaunchError"),
    ],
)
def test_a_name_from_elsewhere_has_its_error_here(elsewhere, here):
    assert here in [ours for names, ours in ROWS if f"<code>{elsewhere}</code>" in names]


def test_what_python_calls_an_error_catches_it():
    for error, names in listed_errors.of_python().items():
        assert all(issubclass(error, getattr(builtins, name)) for name in names)
