"""What does a cell with `%%cuda` define, and how does it show a mistake?"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from gpusim.cpp.kernel import RawKernel
from gpusim.errors import GpuSimError
from gpusim.reports.source import ExcerptReport
from gpusim.views.excerpt import excerpt_html

CELL = r"""%%cuda
__constant__ float a;
__global__ void saxpy(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
WRONG = CELL.replace("a * x[i]", "b * x[i]")


@pytest.fixture
def shell() -> InteractiveShell:
    shell = InteractiveShell(colors="nocolor", config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("load_ext", "gpusim")
    return shell


def run(shell, cell):
    result = shell.run_cell(cell)
    result.raise_error()
    return result.result


def test_a_cell_defines_kernels_and_variables(shell):
    assert run(shell, CELL) is None
    assert isinstance(shell.user_ns["saxpy"], RawKernel)
    run(shell, "import numpy as np; y = np.ones(5, np.float32); a[0] = 3")
    run(shell, "saxpy[1, 32](5, np.arange(5, dtype=np.float32), y)")
    assert run(shell, "y.tolist()") == [1, 4, 7, 10, 13]


@pytest.mark.parametrize("cell", ["%cuda --help", "%cuda", "%%cuda --help\n//"])
def test_the_cell_magic_says_what_it_takes(shell, cell, capsys):
    run(shell, cell)
    said = capsys.readouterr().out
    assert said.startswith("Compile a cell of CUDA C++")
    assert 'cpp.get_function("axpy<float, 4>")' in said


TEMPLATE = """%%cuda cpp -DK=3
template <typename T> __global__ void times(T* x) { x[threadIdx.x] *= K; }
"""


def test_a_cell_may_ask_for_cooperative_launches(shell):
    cell = """%%cuda cpp enable_cooperative_groups=True
    #include <cooperative_groups.h>
    __global__ void last(int* x) {
        x[blockIdx.x] = blockIdx.x;
        cooperative_groups::this_grid().sync();
        if (blockIdx.x == 0) x[0] = x[gridDim.x - 1];
    }"""
    run(shell, cell)
    assert run(shell, "import numpy as np; x = np.zeros(3, np.int32); cpp.last[3, 1](x); x.tolist()") == [
        2,
        1,
        2,
    ]
    run(shell, cell.replace(" enable_cooperative_groups=True", ""))
    assert "enable_cooperative_groups=True" in str(shell.run_cell("cpp.last[3, 1](x)").error_in_exec)


def test_cells_with_a_name_add_to_it_and_define_nothing_else(shell):
    run(shell, "saxpy = 'the kernel in Python'")
    run(shell, CELL.replace("%%cuda", "%%cuda cpp"))
    run(shell, TEMPLATE)
    cpp = shell.user_ns["cpp"]
    assert (shell.user_ns["saxpy"], "times" in shell.user_ns) == ("the kernel in Python", False)
    assert repr(cpp) == "<cells of CUDA C++: saxpy, a, times>"
    x = np.arange(4)
    cpp.get_function("times<long>")[1, 4](x)
    assert x.tolist() == [0, 3, 6, 9]
    cpp.a[0] = 2
    y = np.zeros(4, np.float32)
    cpp.saxpy[1, 32](4, np.ones(4, np.float32), y)
    assert y.tolist() == [2, 2, 2, 2]


def test_a_cell_that_is_run_again_replaces_its_kernels(shell):
    run(shell, TEMPLATE)
    run(shell, TEMPLATE.replace("K=3", "K=5"))
    x = np.arange(4)
    shell.user_ns["cpp"].get_function("times<long>")[1, 4](x)
    assert x.tolist() == [0, 5, 10, 15]


def test_a_kernel_that_no_cell_has_defined(shell):
    run(shell, TEMPLATE)
    with pytest.raises(GpuSimError, match=r"no cell has defined 'time'.*\n?.*times"):
        shell.user_ns["cpp"].get_function("time<long>")


def test_names_of_namespaces_are_short_in_the_notebook(shell):
    run(shell, "%%cuda\nnamespace tools { __device__ int v; __global__ void set() { v = 3; } }\n")
    run(shell, "set[1, 1]()")
    assert run(shell, "int(v[0])") == 3


def test_macros_take_values_of_the_notebook(shell):
    run(shell, "tile = 16")
    run(shell, "%%cuda -DTILE={tile}\n__global__ void f(int* x) { x[0] = TILE; }\n")
    x = np.zeros(1, np.int32)
    shell.user_ns["f"][1, 1](x)
    assert x[0] == 16


def test_host_code_is_said_not_to_run(shell, capsys):
    run(shell, CELL + "int main() { return 0; }\n")
    assert capsys.readouterr().out == (
        "main() is host code and is not run: launch the kernels from Python, saxpy[blocks, threads](…)\n"
    )
    assert "saxpy" in shell.user_ns


def test_a_mistake_is_shown_under_its_line_of_the_cell_without_a_traceback(shell, capsys):
    result = shell.run_cell(WRONG)
    assert isinstance(result.error_in_exec, GpuSimError)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(f"{type(result.error_in_exec).__name__}: In[1]:5: ")
    assert shown[1] == "    if (i < n) y[i] += b * x[i];"
    assert shown[2].startswith(" " * 23 + "^"), "under b"
    assert len(shown) == 3
    assert "saxpy" not in shell.user_ns


@pytest.mark.parametrize("others", ["", "__global__ void other(int* x) { x[0] = 1; }\n"])
def test_a_mistake_that_hides_a_kernel_is_shown_too(shell, capsys, others):
    result = shell.run_cell(f"%%cuda\n{others}__global__ fill(int* x) {{ x[threadIdx.x] = 4; }}")
    assert "`fill` has no return type" in str(result.error_in_exec)
    assert "write `void`" in capsys.readouterr().out
    assert "other" not in shell.user_ns


def test_a_notebook_marks_the_line(shell, capsys):
    published = []
    shell.kernel = SimpleNamespace()
    shell.display_pub = SimpleNamespace(publish=published.append)
    shell.run_cell(WRONG)
    (data,) = published
    assert data["text/plain"] == "line 5 of the cell"
    assert data["text/html"].count("underline wavy") == 1
    assert ">b</span> * x[i];" in data["text/html"]


def test_a_mistake_at_a_launch_names_the_line_of_the_cell(shell):
    run(shell, CELL)
    result = shell.run_cell("import numpy as np; x = np.zeros(4, np.float32); saxpy[1, 32](5, x, x)")
    assert str(result.error_in_exec).startswith("In[1]:5: ")


def test_a_cell_replaces_kernels_and_its_own_variables_but_nothing_else(shell, capsys):
    run(shell, CELL)
    run(shell, CELL)
    run(shell, "a = 5")
    assert isinstance(shell.run_cell(CELL).error_in_exec, GpuSimError)
    assert "'a' is an int of the notebook" in capsys.readouterr().out
    assert shell.user_ns["a"] == 5


def test_a_python_kernel_is_named_after_its_cell(shell):
    run(shell, "from gpusim import cuda\n@cuda.jit\ndef k(x):\n    x[5] = 1")
    result = shell.run_cell("import numpy as np\nk[1, 1](np.zeros(4))")
    assert str(result.error_in_exec).startswith("In[1]:4: ")


def test_a_traceback_has_the_readers_own_lines_only(shell, capsys):
    run(shell, CELL)
    run(shell, "import numpy as np\ndef launch(x):\n    saxpy[1, 32](5, x, x)")
    assert isinstance(shell.run_cell("launch(np.zeros(4, np.float32))").error_in_exec, GpuSimError)
    shown = capsys.readouterr().out
    assert "saxpy[" in shown
    assert "OutOfBounds" in shown
    assert "In[1]:5: " in shown
    assert "gpusim/" not in shown
    assert len(shown.splitlines()) < 20


def test_a_mistake_in_a_function_that_a_kernel_calls_names_both_lines_of_the_cell(shell, capsys):
    cell = """%%cuda
#define AT(p, i) p[i]
__device__ int get(const int* x, int i) {
    return AT(x, i + 9);
}
__global__ void k(int* x) {
    x[0] = get(x, 2);
}
"""
    run(shell, cell)
    shell.run_cell("import numpy as np\nx = np.zeros(4, np.int32)\nk[1, 1](x)")
    shown = capsys.readouterr().out.splitlines()
    thread = "thread (0, 0, 0) of block (0, 0, 0)"
    assert shown[-7:] == [
        "      2 x = np.zeros(4, np.int32)",
        "----> 3 k[1, 1](x)",
        "",
        f"OutOfBounds: In[1]:4: {thread} reads x[11], "
        "4 bytes at byte 44 of 'x', past the end of its 16 bytes",
        "    return AT(x, i + 9);",
        "              ^ its last index is 3",
        "  called from In[1]:7: x[0] = get(x, 2);",
    ]


def test_a_wrong_flag_is_shown_without_a_traceback(shell, capsys):
    assert isinstance(shell.run_cell(CELL.replace("%%cuda", "%%cuda -Q")).error_in_exec, GpuSimError)
    assert capsys.readouterr().out.startswith("KernelTypeError: no flag '-Q' of the compiler is known")


def test_the_excerpt_shows_two_lines_on_either_side():
    report = ExcerptReport(2, tuple(f"x{k} < 1" for k in range(2, 9)), line=5, column=0)
    html = excerpt_html(report)
    assert 'aria-label="line 5 of the cell"' in html
    assert [f"x{k}" in html for k in range(2, 9)] == [False, True, True, True, True, True, False]
    assert "x3 &lt; 1" in html
    last = excerpt_html(replace(report, line=8, column=99))
    assert "x6" in last
    assert "x8" in last
