"""Do the pages of the package have every public name, with an example that runs?"""

from __future__ import annotations

import importlib
import inspect
import re
import types
from pathlib import Path

import pytest

import gpusim
from course import listed_api
from gpusim import cuda, cudart, devices, grading, views

ROOT = Path(__file__).resolve().parents[2]
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("api*.md")))
CELLS = "\n".join(re.findall(r"^```\{code-cell\}\n(.*?)^```", PAGES, re.M | re.S))
DOCUMENTED = re.findall(r"^\.\. auto(?:function|class|data|exception):: ([\w.]+)", PAGES, re.M)
MODULES = re.findall(r"^\.\. automodule:: ([\w.]+)\n   :members:$", PAGES, re.M)


def found(name: str) -> object:
    """What a dotted name means: `gpusim.profile.run.Run`, where `gpusim.profile` is a class and a package."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("module", [gpusim, devices, views], ids=lambda module: module.__name__)
def test_every_public_name_is_on_a_page(module):
    parts = {name for name in module.__all__ if isinstance(getattr(module, name), types.ModuleType)}
    missing = {name for name in module.__all__ if f"{module.__name__}.{name}" not in DOCUMENTED} - parts
    assert missing <= {"CATALOGUE", "predict"}, missing
    assert all(f"gpusim.{name}" in PAGES for name in {"devices.CATALOGUE", "predict", *parts})


def test_every_name_of_cuda_is_on_a_page():
    in_kernels = {name.partition(".")[0] for name in listed_api.names()}
    told = {name for name in cuda.__all__ if f"`cuda.{name}`" in PAGES}
    others = {"random", "reduce"}  # a module of its own, and another name of Reduce
    missing = {name for name in cuda.__all__ if f"gpusim.cuda.{name}" not in DOCUMENTED}
    assert missing - in_kernels - told - others == set()
    assert "gpusim.cuda.random" in MODULES


def test_every_name_of_the_runtime_is_on_a_page():
    in_tables = re.findall(r"<code>(\w+)", listed_api.constants().data)
    for name in (name for name in dir(cudart) if name.startswith("cuda")):
        value = getattr(cudart, name)
        assert name in in_tables or f"`{name}`" in str(listed_api.of_runtime()) or value.__module__ in MODULES


def test_every_check_of_labs_is_on_a_page():
    assert "gpusim.grading" in MODULES
    assert all(getattr(grading, name).__doc__ for name in grading.__all__)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_a_page_documents_is_there_and_says_what_it_does(name):
    assert inspect.getdoc(found(name)), "it has no docstring"


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name.count(".") == 1])
def test_every_function_of_the_package_has_an_example_that_runs(name):
    called = re.search(rf"(?<![\w.]){re.escape(name)}\b", CELLS) or ">>> " in (
        inspect.getdoc(found(name)) or ""
    )
    assert called or (name == "gpusim.load_ipython_extension" and "%load_ext gpusim" in CELLS)


@pytest.mark.parametrize("part", [*listed_api.by_part().values()], ids=[*listed_api.by_part()])
def test_each_name_in_a_kernel_is_said_in_a_sentence(part):
    assert all(5 < len(line) < 130 or line in ("`blockIdx`.", "`threadIdx`.", "`blockDim`.") for line in part)
