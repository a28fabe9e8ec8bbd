"""Is the precompiled header kept from one Python to the next, and is nothing kept that cannot be?"""

from __future__ import annotations

import os
import subprocess
import sys

COMPILES = """
import gpusim
gpusim.RawModule(code="__global__ void k(int* x) { x[threadIdx.x] = 1; }").get_function("k").inspect_ir()
"""


def compiled_with(cache) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMPILES],
        env={"PATH": "", "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_header_is_made_once_for_all_pythons(tmp_path):
    times = []
    (tmp_path / "gpusim").mkdir()
    (tmp_path / "gpusim" / "cuda_of_an_old_version.pch").touch()
    os.utime(tmp_path / "gpusim" / "cuda_of_an_old_version.pch", (0, 0))
    for _ in range(2):
        assert compiled_with(tmp_path).stderr == ""
        kept = sorted((tmp_path / "gpusim").iterdir())
        assert [file.suffix for file in kept] == [".h", ".pch"]
        times.append([file.stat().st_mtime_ns for file in kept])
    assert times[0] == times[1]


def test_two_that_make_it_at_once_agree(tmp_path):
    command = [sys.executable, "-c", COMPILES]
    both = [
        subprocess.Popen(command, env={"PATH": "", "XDG_CACHE_HOME": str(tmp_path)}, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    assert [one.communicate()[1] for one in both] == [b"", b""]
    assert compiled_with(tmp_path).stderr == ""
    assert [file.suffix for file in sorted((tmp_path / "gpusim").iterdir())] == [".h", ".pch"]


def test_without_a_folder_for_it_the_header_is_made_for_this_python(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    assert compiled_with(tmp_path / "cache").stderr == ""
