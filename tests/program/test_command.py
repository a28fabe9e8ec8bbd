"""Programs for Numba's CUDA target, run unchanged by `python -m gpusim`: each in a process of its own."""

from __future__ import annotations

import ast
import csv
import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from gpusim.program.command import main

SAXPY = """\
import sys
import numpy as np
from numba import cuda, float32

@cuda.jit("void(float32, float32[:], float32[:])")
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]

x = np.ones(1000, np.float32)
y = np.ones(1000, np.float32)
saxpy[4, 256](float32(2), x, y)
print(y.min(), y.max(), sys.argv[1:], __name__)
"""
RACE = """\
import numpy as np
from numba import cuda

@cuda.jit
def neighbours(x):
    tile = cuda.shared.array(64, np.int64)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    x[i] = tile[63 - i]

neighbours[1, 64](np.arange(64))
print("over")
"""
NO_NUMBA = """\
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "numba":
            raise ModuleNotFoundError("No module named 'numba'", name="numba")
sys.meta_path.insert(0, Gone())
from gpusim.program.command import main
sys.exit(main(sys.argv[1:]))
"""


def ran(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return python("-m", "gpusim", *arguments, **options)


def python(*arguments: object, warns: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Its launches are small and of arrays of the host, which brings warnings."""
    command = [sys.executable, *map(str, arguments)]
    options = {"env": os.environ | {"NUMBA_DISABLE_PERFORMANCE_WARNINGS": str(int(not warns))}, **options}
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture
def saxpy(tmp_path: Path) -> Path:
    file = tmp_path / "saxpy.py"
    file.write_text(SAXPY)
    return file


def test_a_program_gets_its_own_arguments(saxpy: Path) -> None:
    answer = ran("--device", "V100", saxpy, "a", "--device", "x")
    assert (answer.stdout, answer.stderr, answer.returncode) == (
        "3.0 3.0 ['a', '--device', 'x'] __main__\n",
        "",
        0,
    )


def test_texts_and_standard_input(saxpy: Path) -> None:
    assert ran("-c", SAXPY, "a").stdout == "3.0 3.0 ['a'] __main__\n"
    assert ran("-", "a", input=SAXPY).stdout == "3.0 3.0 ['a'] __main__\n"


def test_a_module(saxpy: Path) -> None:
    assert ran("-m", "saxpy", "a", cwd=saxpy.parent).stdout == "3.0 3.0 ['a'] __main__\n"


def test_neighbouring_files_are_imported(saxpy: Path) -> None:
    (saxpy.parent / "main.py").write_text("import saxpy\nprint(__name__)\n")
    assert ran(saxpy.parent / "main.py").stdout.splitlines() == ["3.0 3.0 [] saxpy", "__main__"]


def test_without_numba(saxpy: Path) -> None:
    answer = python("-c", NO_NUMBA, saxpy)
    assert (answer.stdout, answer.stderr) == ("3.0 3.0 [] __main__\n", "")


def test_without_numba_what_is_numbas_is_named(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("from numba import cuda, njit\n")
    answer = python("-c", NO_NUMBA, file)
    assert answer.returncode == 1
    assert "numba.njit is Numba's: pip install numba; this runs on gpusim" in answer.stderr
    file.write_text("import numba.extending\n")
    assert "numba.extending is Numba's: pip install numba" in python("-c", NO_NUMBA, file).stderr


def test_what_is_about_cuda_itself_is_named(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("import numba.cuda.cudaimpl\n")
    assert "numba.cuda.cudaimpl is about CUDA itself; this runs on gpusim" in ran(file).stderr


def test_types_that_numba_has_are_the_same_without_it(tmp_path: Path) -> None:
    """Signatures of all kinds of types, and arrays of them in a kernel."""
    file = tmp_path / "types_.py"
    file.write_text(
        textwrap.dedent(
            """\
            import numpy as np
            from numba import boolean, cuda, float32, float64, from_dtype, int32, intp, types, uint8, void
            from numba.core.errors import NumbaPerformanceWarning

            pair = np.dtype([("a", np.int32), ("b", np.float32)])
            print([str(s) for s in cuda.jit(void(float32[:, ::1], intp))(lambda x, n: None).signatures])

            @cuda.jit(types.void(types.int32[:], types.UniTuple(types.int64, 2), from_dtype(pair)[:]))
            def kernel(out, two, pairs):
                mine = cuda.local.array(2, uint8)
                flags = cuda.shared.array(2, boolean)
                mine[0] = 255
                mine[0] += 2
                flags[0] = True
                out[0] = int32(two[1]) + mine[0] + pairs[0].a
                out[1] = flags[0]

            out = np.zeros(2, np.int32)
            kernel[1, 1](out, (3, 4), np.ones(1, pair))
            print(out.tolist(), float64(1), issubclass(NumbaPerformanceWarning, Warning))
            """
        )
    )
    with_numba, without = ran(file), python("-c", NO_NUMBA, file)
    assert with_numba.stdout == without.stdout == "['(float32[:, ::1], int64)']\n[6, 1] 1.0 True\n"


WARNED = """\
import warnings
import numpy as np
from numba import cuda
from numba.core import config
from numba.core.errors import NumbaPerformanceWarning

@cuda.jit
def kernel(x, n, y):
    x[0] = y[0][0]

def told(grid, *arguments):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kernel[grid, 32](*arguments)
    kinds = [issubclass(one.category, NumbaPerformanceWarning) for one in found]
    return [(kind, str(one.message), one.lineno) for kind, one in zip(kinds, found)]

x, there = np.ones(4), cuda.to_device(np.ones(4))
print(told(127, there, 1, (there,)))
print(told((8, 4, 4), there, 1, (there,)))
print(told(128, x, 1, (x,)))
print(told(128, cuda.Out(x), 1, (cuda.pinned_array(4), )))
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    cuda.Reduce(lambda a, b: a + b)(x)
    kernel.forall(1)(there, 1, (there,))
print([(True, "", one.lineno) for one in found])
config.DISABLE_PERFORMANCE_WARNINGS = 1
print(told(1, x, 1, (x,)))
"""


def test_performance_warnings_are_numbas(tmp_path: Path) -> None:
    file = tmp_path / "warned.py"
    file.write_text(WARNED)
    with_numba, without = ran(file, warns=True), python("-c", NO_NUMBA, file, warns=True)
    grid = "Grid size 127 will likely result in GPU under-utilization due to low occupancy."
    copied = "Host array used in CUDA kernel will incur copy overhead to/from device."
    assert with_numba.stdout == without.stdout, without.stderr
    elsewhere = [(True, "", 25)] * 2 + [(True, "", 26)]
    found = [ast.literal_eval(line) for line in with_numba.stdout.splitlines()]
    assert found == [[(True, grid, 14)], [], [(True, copied, 14)] * 2, [(True, copied, 14)], elsewhere, []]
    assert ran(file).stdout == "[]\n" * 6  # NUMBA_DISABLE_PERFORMANCE_WARNINGS=1


def test_the_profile_comes_at_the_end(saxpy: Path, tmp_path: Path) -> None:
    lines = ran("--profile", saxpy).stdout.splitlines()
    assert lines[:2] == [
        "3.0 3.0 [] __main__",
        "saxpy: grid 4 × 1 × 1, block 256 × 1 × 1, H200 (independent)",
    ]
    assert any(line.split() == ["global_load_sectors", "250"] for line in lines)
    log = tmp_path / "counters.csv"
    assert ran("--csv", "--log-file", log, saxpy).stdout == "3.0 3.0 [] __main__\n"
    (row,) = csv.DictReader(io.StringIO(log.read_text()))
    assert (row["kernel"], row["global_load_sectors"]) == ("saxpy", "250")


def test_findings_and_the_exit_status(tmp_path: Path, saxpy: Path) -> None:
    """As Compute Sanitizer's on an H200: the program's own, unless --error-exitcode says another."""
    file = tmp_path / "race.py"
    file.write_text(RACE)
    answer = ran("--tool", "racecheck", file)
    assert answer.returncode == 0
    assert answer.stdout.startswith("over\n")
    assert "racecheck: RAW on shared tile" in answer.stdout
    assert "SUMMARY: 1 error" in answer.stdout
    assert ran("--sanitize", "--error-exitcode", 9, saxpy).returncode == 0
    file.write_text(RACE + "raise SystemExit(3)\n")
    assert ran("--sanitize", "--error-exitcode", 9, file).returncode == 9


FORKS = """\
import multiprocessing
import numpy as np
from race import neighbours

def launch(numbers):
    neighbours[1, 64](numbers)

with multiprocessing.get_context("fork").Pool(1) as pool:
    pool.map(launch, [np.arange(64)] * 2)
"""


def test_a_process_that_is_not_watched_is_no_clean_run(tmp_path: Path) -> None:
    (tmp_path / "race.py").write_text(RACE.replace('neighbours[1, 64](np.arange(64))\nprint("over")\n', ""))
    file = tmp_path / "forks.py"
    file.write_text(FORKS)
    answer = ran("--sanitize", "--error-exitcode", 9, file)
    assert "SUMMARY: 0 errors" in answer.stdout
    assert answer.stdout.endswith(
        "Not watched: 2 grids, launched by processes that the program started. Start threads instead.\n"
    )
    assert answer.returncode == 9


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("x[0] = np.float64(2)", ""),
        ("cuda.cg.this_grid()", ""),
        ("x[True] = 2", "a bool as an index: this runs here, not under Numba"),
        ("cuda.atomic.block.add(x, 0, 1)", "has no 'block' in a kernel"),
        ("cuda.cg.this_thread_block()", "has no 'this_thread_block' in a kernel"),
    ],
)
def test_numbas_dialect_and_nothing_else(statement: str, told: str) -> None:
    text = (
        f"import numpy as np\nfrom numba import cuda\n@cuda.jit\ndef kernel(x):\n    {statement}\n"
        "kernel[1, 1](np.zeros(1))\n"
    )
    answer = ran("--numba", "-c", text)
    assert (answer.returncode, told in answer.stderr) == (int(bool(told)), True), answer.stderr


def test_a_schedule(tmp_path: Path) -> None:
    file = tmp_path / "race.py"
    file.write_text(
        RACE.replace('print("over")', "").replace("np.arange(64))", "x := np.arange(64)); print(x.sum())")
    )
    assert ran(file).stdout == "2016\n" != ran("--schedule", 1, file).stdout


def test_an_error_shows_the_program_and_nothing_around_it(tmp_path: Path) -> None:
    file = tmp_path / "out.py"
    file.write_text(RACE.replace("tile[63 - i]", "tile[64 - i]"))
    answer = ran(file)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f'Traceback (most recent call last):\n  File "{file}", line 11')
    assert "OutOfBounds" in answer.stderr
    answer = ran("--sanitize", "--error-exitcode", 9, file)
    assert "memcheck" in answer.stdout
    assert "over" in answer.stdout  # an error that a tool reports lets the program go on
    assert answer.returncode == 9


def test_a_program_that_ends_with_words() -> None:
    answer = ran("-c", "raise SystemExit('no')")
    assert (answer.returncode, answer.stderr) == (1, "no\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give a program, -m and a module, -c and a text, or - for standard input"),
        (("-m",), "give a program, -m and a module"),
        (("--profile", "-c"), "give a program, -m and a module, -c and a text"),
        (("--device", "H300", "x.py"), "did you mean"),
        (("--schedule", "often", "x.py"), "schedule"),
        (("--tool", "lint", "x.py"), "invalid choice: 'lint'"),
        (("nowhere.py",), "there is no nowhere.py"),
    ],
)
def test_what_is_wrong_is_named(
    arguments: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.py").touch()
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / one) if one == "x.py" else one for one in arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_module_that_is_not_there() -> None:
    answer = ran("-m", "nowhere")
    assert (answer.returncode, answer.stderr) == (1, "ImportError: No module named nowhere\n")


def test_threads_of_the_program_are_watched_too() -> None:
    text = (
        SAXPY + "import threading\nt = threading.Thread(target=lambda: saxpy[1, 32](float32(1), x, y))\n"
        "t.start(); t.join()\n"
    )
    assert ran("--profile", "--device", "V100", "-c", text).stdout.count(", V100 (independent)") == 2


def test_pytest_runs_tests_of_kernels(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from numba.cuda.testing import CUDATestCase, skip_on_cudasim, unittest\n"
        + SAXPY
        + "\n@skip_on_cudasim('needs warps')\nclass Test(CUDATestCase):\n"
        + "    def test(self): self.assertEqual(y[0], 3)\n"
    )
    answer = ran("--profile", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path)
    assert "1 passed" in answer.stdout
    assert "saxpy: grid 4" in answer.stdout


GONE = """\
import numpy as np
from numba import cuda

def made(name):
    found = {}
    exec(f"def {name}(x):\\n    x[0] += np.{name}(0.0)\\n", globals(), found)
    return cuda.jit(found[name])

x = np.zeros(1)
for kernel in (made("cos"), made("sin"), made("cosh")):
    kernel[1, 1](x)
print(x[0])
"""


def test_a_text_that_is_gone_is_remembered() -> None:
    """Who called exec(text) has returned, and the text was written nowhere."""
    assert ran("-c", GONE).stdout == "2.0\n"


def test_errors_are_caught_by_numbas_names(tmp_path: Path) -> None:
    file = tmp_path / "errors_.py"
    file.write_text(
        textwrap.dedent(
            """\
            from numba import cuda
            from numba.core.errors import TypingError, UnsupportedError

            def caught(kernel, kind):
                try:
                    cuda.jit("void(int64)")(kernel)
                except kind as error:
                    return f"{type(error).__name__} at {error.span.line}"

            def undefined(x):
                y = nothing + x

            def a_list(x):
                y = [x]

            print(caught(undefined, TypingError), caught(a_list, TypingError))
            print(caught(a_list, UnsupportedError))
            """
        )
    )
    refused = "UnsupportedConstruct at 14\n"
    assert ran(file).stdout == f"UndefinedName at 11 {refused}{refused}"


IMPORTED = """\
import numpy as np
from numba import cuda
from numba.cuda import HAS_NUMBA, LinkableCode, config, double, f4, i4, intp, literal_unroll, types, void
from numba.cuda.core import config as same
from numba.cuda.core.errors import NumbaPerformanceWarning, TypingError
from numba.cuda.misc.special import literal_unroll as by_another_name
from numba.cuda.np.numpy_support import from_dtype

@cuda.jit(void(f4[:], double, types.UniTuple(intp, 2)))
def kernel(x, y, n):
    s = cuda.local.array(1, types.int32)
    s[0] = cuda.float32(2.75)
    for each in literal_unroll((1, y)):
        x[0] += each
    x[0] += s[0] + n[1]

x = np.zeros(1, np.float32)
kernel[1, 1](x, 2.5, (3, 4))
pair = from_dtype(np.dtype([("a", np.int32)]))
print(x, kernel.signatures[0], config is same, issubclass(TypingError, Exception), pair.dtype)
"""


def test_what_numba_cuda_has_can_be_imported() -> None:
    with_numba, without = ran("-c", IMPORTED), python("-c", NO_NUMBA, "-c", IMPORTED)
    told = "[9.5] (float32[:], float64, Tuple((int64, int64))) True True [('a', '<i4')]\n"
    assert (with_numba.stdout, without.stdout) == (told, told), with_numba.stderr + without.stderr


def test_functions_of_numba_that_choose_by_target() -> None:
    text = (
        "import numpy as np\nfrom numba import cuda, vectorize\n"
        "@vectorize\ndef on_host(x): return x + 1\n"
        "@vectorize(['int64(int64)'], target='cuda')\ndef on_device(x): return x + 1\n"
        "print(type(on_host).__module__.split('.')[0], on_host(1), on_device(np.arange(2)))"
    )
    assert ran("-c", text).stdout == "numba 2 [1 2]\n"


def test_what_cannot_be_called_can_be_imported() -> None:
    text = "from numba.cuda import compile_ptx\nprint('here')\ncompile_ptx(len, ())"
    answer = ran("-c", text)
    assert answer.stdout == "here\n"
    assert "cuda.compile_ptx is not simulated: kernels have no machine code here" in answer.stderr


TESTS = """\
from numba import cuda
from numba.cuda import testing
from numba.cuda.testing import CUDATestCase, ContextResettingTestCase, ForeignArray, unittest

class Tests(CUDATestCase):
    def test_run(self):
        self.assertPreciseEqual(1.0, 1.0)
        self.skip_if_lto("nothing is linked")
        cuda.to_device([1.0])

    @testing.skip_on_cudasim("warps")
    def test_on_a_device(self): pass

    @testing.skip_unless_cc_53
    def test_of_halves(self): pass

    @testing.skip_unless_cc_75
    def test_new(self): pass

    @testing.skip_unless_cudasim("slow")
    def test_of_the_simulator(self): self.fail()

    @testing.skip_without_nvdisasm("SASS")
    def test_of_code(self): self.fail()

class After(ContextResettingTestCase):
    def test_memory(self):
        After.array = cuda.to_device([1.0])
    def tearDown(self):
        super().tearDown()
        with self.assertRaisesRegex(Exception, "freed"):
            After.array.copy_to_host()
"""


@pytest.mark.parametrize(("device", "skipped"), [("H200", 2), ("V100", 3)])
def test_tests_are_run_by_what_is_so_here(device: str, skipped: int, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    answer = ran(
        "--device", device, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path
    )
    assert f"{7 - skipped} passed, {skipped} skipped" in answer.stdout
