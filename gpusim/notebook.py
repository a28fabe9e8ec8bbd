"""How does a cell of a notebook become kernels? `%load_ext gpusim` once, then `%%cuda` above CUDA C++."""

from __future__ import annotations

import inspect
import re
import shlex
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any

from gpusim.cpp import options
from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.module import RawModule
from gpusim.cpp.program import HostCodeWarning, Program, host_code
from gpusim.errors import GpuSimError, KernelTypeError, kind_of
from gpusim.reports.source import ExcerptReport
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.launching import Launchable
from gpusim.source import Source, Span
from gpusim.views.excerpt import excerpt_html

PACKAGE = str(Path(__file__).parent)
FIRST_LINE = 2  # `%%cuda` itself is the cell's line 1
COOPERATIVE = "enable_cooperative_groups=True"  # as RawModule is told


class Cells(SimpleNamespace):
    """What the cells `%%cuda cpp` define: cpp.saxpy is the newest kernel, or variable, of that name."""

    def __init__(self) -> None:
        self._modules: dict[str, RawModule] = {}

    def _add(self, module: RawModule) -> None:
        self.__dict__.update(_short_names(module))
        self._modules.update(dict.fromkeys(module.contents, module))

    def get_function(self, name: str) -> RawKernel:
        """The kernel of that name, or an instance of a template: "axpy<float, 4>"."""
        kernel = re.split("[<(]", name)[0].strip()
        if kernel not in self._modules:
            raise KernelTypeError(f"no cell has defined {kernel!r}", hint=f"defined are {self._known()}")
        return self._modules[kernel].get_function(name)

    def _known(self) -> str:
        return ", ".join(self._modules) or "none at all"

    def __repr__(self) -> str:
        return f"<cells of CUDA C++: {self._known()}>"


def _short_names(module: RawModule) -> dict[str, RawKernel | DeviceNDArray]:
    """What a module holds, without the namespaces before the names."""
    return {full.rpartition("::")[2]: made for full, made in module.contents.items()}


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext gpusim` gives the notebook the cell magic `%%cuda`, and errors with short tracebacks."""
    pushed: dict[str, Any] = {}  # what cells have defined so far

    def cuda(line: str, cell: str = "") -> None:
        """Compile a cell of CUDA C++: its kernels and variables get their names in the notebook.

        %%cuda                 saxpy[4, 256](n, a, x, y) launches the kernel saxpy of the cell
        %%cuda cpp             cpp.saxpy[4, 256](n, a, x, y): a Python kernel saxpy stays what it is, and
                               cpp.get_function("axpy<float, 4>") is an instance of a template
        %cuda --help           this text
        %%cuda -DN=16          the macro N is 16; gpusim.cpp.options.FLAGS are all flags of the compiler
        %%cuda cpp enable_cooperative_groups=True
                               the kernels are launched cooperatively, so that a whole grid can wait

        A __device__ or __constant__ variable is an array in device memory: weights[:] = …, int(hits[0]).
        """
        words = shlex.split(line)
        if "--help" in words or not cell:
            print(inspect.getdoc(cuda))
            return
        name = words.pop(0) if words and words[0].isidentifier() else ""
        flags = [word for word in words if word != COOPERATIVE]
        filename = f"In[{ipython.execution_count}]"
        source = Source(name or "cell", filename, FIRST_LINE, tuple(cell.splitlines()))
        try:
            module = _compiled(source, flags, enable_cooperative_groups=flags != words)
            defined = _short_names(module)
            if not name:
                _check_free(defined, ipython.user_ns, pushed)
        except (GpuSimError, ModuleNotFoundError) as error:
            _show(ipython, error, source)
            raise
        if name:
            cells = ipython.user_ns.get(name)
            ipython.push({name: cells if isinstance(cells, Cells) else Cells()})
            ipython.user_ns[name]._add(module)
        else:
            pushed.update(defined)
            ipython.push(defined)

    ipython.register_magic_function(cuda, "line_cell")
    ipython.set_custom_exc((GpuSimError,), _show_shortened)


def _check_free(names: Iterable[str], taken: Mapping[str, Any], pushed: Mapping[str, Any]) -> None:
    """A cell may replace kernels, and what a cell has defined, but nothing else of the notebook's."""
    for name in names:
        there = taken.get(name)
        if there is not None and there is not pushed.get(name) and not isinstance(there, Launchable):
            raise KernelTypeError(
                f"{name!r} is {kind_of(there)} of the notebook, which the cell would replace",
                hint="rename one of them, or write `%%cuda cpp`, and cpp.name for what the cell defines",
            )


def _compiled(source: Source, flags: list[str], **given: bool) -> RawModule:
    program = Program(source, options.checked({"options": flags, **given}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)
        unit = program.unit()
    if unit.has_main:
        print(host_code(unit))
    module = RawModule.of(program)
    module.compile()
    return module


def _show_shortened(
    ipython: Any,
    kind: type[GpuSimError],
    error: GpuSimError,
    trace: TracebackType | None,
    tb_offset: Any = None,
) -> None:
    """Of a traceback, show what is the reader's: the message says where in the kernel it was."""
    ipython.showtraceback((kind, error, _readers_own(trace)), tb_offset=tb_offset)


def _readers_own(trace: TracebackType | None) -> TracebackType | None:
    if trace is None:
        return None
    rest = _readers_own(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def _show(ipython: Any, error: Exception, source: Source) -> None:
    """Let the notebook show the message instead of a traceback, and beside it the line of the cell."""
    span = getattr(error, "span", None)
    if isinstance(span, Span) and span.source.filename == source.filename and hasattr(ipython, "kernel"):
        report = ExcerptReport(span.source.first_line, span.source.lines, span.line, span.column)
        text = f"line {span.line} of the cell"
        ipython.display_pub.publish({"text/html": excerpt_html(report), "text/plain": text})
    message = f"{type(error).__name__}: {error}"
    error._render_traceback_ = message.splitlines  # type: ignore[attr-defined]
