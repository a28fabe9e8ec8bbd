"""Why is only the first text slow to read? The header before it is read once a process, and kept in a file.

Reading the header takes some 50 ms, a text behind it 3.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clang import cindex

from gpusim.devices import Device
from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp.header import header

# Read as the host's compiler does, which knows launches in kernels too. The target says how long a `long` is,
# and that a GPU has no functions but those of the header.
_FLAGS = """
-x cuda --cuda-host-only -nocudainc -nocudalib -nostdinc -nostdinc++ -std=gnu++17 -fgnuc-version=13.3.0
-target x86_64-linux-gnu -Xclang -aux-triple -Xclang x86_64-linux-gnu -fno-builtin -ferror-limit=0
-Werror=vla-cxx-extension -Wno-c++11-narrowing -Wno-reserved-user-defined-literal
"""
FLAGS = _FLAGS.split()
INCOMPLETE, FOR_SERIALIZATION = 0x2, 0x10


@cache
def index() -> Any:
    """What holds all that Clang has read. Of a text it shows what the text declares, not its header."""
    return cindex.Index.create(excludeDecls=True)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="gpusim-", ignore_cleanup_errors=True)


def path_of(device: Device) -> str:
    """The header for a device as it was written to a file."""
    major, minor = device.compute_capability or (0, 0)
    return str(Path(_folder().name) / f"cuda{major}{minor}_{device.warp_size}.h")


def precompiled(device: Device) -> str:
    """The file from which Clang reads the header for a device; it is made when it is first needed."""
    path = Path(path_of(device))
    compiled = path.with_suffix(".pch")
    if not compiled.exists():
        path.parent.mkdir(exist_ok=True)  # some systems clear away what lies unused for days
        path.write_text(header(device)[0], encoding="utf-8")
        unit = index().parse(str(path), FLAGS, options=INCOMPLETE | FOR_SERIALIZATION)
        wrong = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
        if wrong:
            raise GpuSimError(f"the header of the simulator itself is wrong: {wrong[0]}")
        unit.save(str(compiled))
    return str(compiled)
