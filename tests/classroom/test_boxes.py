"""Does anything reach from one box into another, or stay behind? Each channel is tried."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import v4

from classroom import running
from classroom.box import Box, box
from classroom.bubblewrap import Bubblewrap
from classroom.course import Limits

SYSV = "import ctypes; libc = ctypes.CDLL(None); "
TELLS = "print('there', flush=True); input()"
# {channel: (what one box leaves, what another finds of it: an expression)}
CHANNELS = {
    "SysV shared memory": (SYSV + "assert libc.shmget(77, 4096, 0o1666) >= 0", "libc.shmget(77, 0, 0) >= 0"),
    "SysV messages": (SYSV + "assert libc.msgget(77, 0o1666) >= 0", "libc.msgget(77, 0) >= 0"),
    "SysV semaphores": (SYSV + "assert libc.semget(77, 1, 0o1666) >= 0", "libc.semget(77, 0, 0) >= 0"),
    "an abstract socket": (
        "import socket; one = socket.socket(socket.AF_UNIX); one.bind('\\0gpusim'); one.listen()",
        "not socket.socket(socket.AF_UNIX).connect_ex('\\0gpusim')",
    ),
    "a port": (
        "port = socket.create_server(('127.0.0.1', 7777))",
        "not socket.socket().connect_ex(('127.0.0.1', 7777))",
    ),
    "a file in /dev/shm": ("open('/dev/shm/gpusim', 'w')", "os.path.exists('/dev/shm/gpusim')"),
    "a file in /tmp": ("open('/tmp/gpusim-77', 'w')", "os.path.exists('/tmp/gpusim-77')"),
    "a process": ("", "sum(map(str.isdigit, os.listdir('/proc'))) > 2"),  # bubblewrap's, and its own
    "the folder of the other box": ("", "len(glob.glob('/tmp/box-*')) > 1"),
}


LEAVES = "\n".join(code for code, _ in CHANNELS.values())
TABLE = ", ".join(f"{name!r}: {found}" for name, (_, found) in CHANNELS.items())
FINDS = f"""
import ctypes, glob, os, socket
libc = ctypes.CDLL(None)
print([name for name, found in {{{TABLE}}}.items() if found])
"""


def run(of: Box, program: str) -> str:
    command = Bubblewrap().command(of, [sys.executable, "-c", program])
    ran = subprocess.run(command, env=Bubblewrap().environment(), capture_output=True)
    assert not ran.stderr
    return ran.stdout.decode()


@pytest.mark.usefixtures("isolated")
def test_two_boxes_do_not_meet() -> None:
    """Nor does what one of them left stay when both are gone. Within one box, each channel is open."""
    way = Bubblewrap()
    with box(Limits(), way) as one, box(Limits(), way) as other:
        told = run(other, f"{LEAVES}\n{FINDS}")
        assert len(ast.literal_eval(told)) == len(CHANNELS) - 2
        command = way.command(one, [sys.executable, "-c", f"{LEAVES}\n{TELLS}"])
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
            assert first.stdout is not None
            assert first.stdout.readline() == "there\n"
            assert run(other, FINDS) == "[]\n"
            first.communicate("\n")
    assert not any(line.split()[0] == "77" for line in Path("/proc/sysvipc/shm").read_text().splitlines())
    assert not Path("/dev/shm/gpusim").exists()
    assert not Path("/tmp/gpusim-77").exists()


@pytest.mark.usefixtures("isolated")
def test_a_kernel_reads_nothing_of_the_graders_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by /proc: process 1 is the one that makes the box."""
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "77")
    source = "print(*(open(f'/proc/{n}/environ').read() for n in (1, 'self')))"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source)])
    with box(Limits(), Bubblewrap()) as made:
        (shown,) = running.run(notebook, made).notebook.cells[0].outputs
    assert "PATH=" in shown.text
    assert "SECRET_OF_THE_GRADER" not in shown.text


@pytest.mark.usefixtures("isolated")
def test_a_result_is_there_whatever_was_printed_before() -> None:
    """1.5 points stay 1.5 points; that something is cut is known. So is a result that is too long."""
    cells = [v4.new_code_cell(each) for each in ("print('x' * 9999)\n1.5", "'x' * 9999", "1.5")]
    with box(Limits(output_kb=1), Bubblewrap()) as made:
        ran = running.run(v4.new_notebook(cells=cells), made)
    first, second, third = (each.outputs[-1] for each in ran.notebook.cells)
    assert first.data["text/plain"] == third.data["text/plain"] == "1.5"
    assert second.data["text/plain"] == running.CUT
    assert ran.cut == {each.id for each in cells[:2]}
