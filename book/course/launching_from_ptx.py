"""What do the runs of "Launching from PTX" give? And what did nvcc make, store and say?"""

from __future__ import annotations

import re
from html import escape
from itertools import permutations
from typing import Any

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures
from course.parameter_buffers import did
from course.records import recorded
from gpusim.errors import GpuSimError
from gpusim.views.table import Table, table

RECORD = recorded("nvcc_launches")
LAUNCHES = recorded("dynamic_parallelism", "tests")
COMMANDS = {row["command"]: row for row in reversed(RECORD["commands"])}  # the first of two
CALL = re.compile(r"call\.uni \(retval0\), \n\t(\w+)")
SIX = ("char a", "double b", "char c", "double d", "int e", "short f")


def zeros(size: int, dtype: Any = np.int32) -> Any:
    return np.zeros(size, dtype)


def said(command: str, line: int = 0) -> str:
    """What a command said, without the names of files in front."""
    text = re.sub(r"^[\w.]+\(\d+\): |\s+(?=:)", "", COMMANDS[command]["said"][line])
    return text.rstrip(".").replace("--", "-\N{WORD JOINER}-")  # two hyphens are no dash


# what nvcc makes of a launch --------------------------------------------------------------------------------


def calls() -> list[str]:
    """The functions that a kernel calls for one pair of brackets."""
    return CALL.findall("\n".join(RECORD["ptx"]["parent"]))


STEPS = (
    ("1", "ask for a buffer, for this kernel and configuration", r"ld\.param\.u64.*?// callseq 0\n"),
    ("2", "is it null?", r"\tsetp.*?BB1_2;"),
    ("3", "store each argument at its place", r"\tmov\.u16.*?\+24\], %rd2;"),
    ("4", "launch", r"\t\{ // callseq 1.*"),
)
LEFT_OUT = re.compile(r"^\t(?:\.reg.*|\.param .*|\{ // .*|\} // .*|ret;)\n?", re.MULTILINE)
PASSED = re.compile(r", \n\t(\w+), \n\t\(\n\t([^)]*?)\n\t\);")  # of a call, over several lines


def lowering() -> Table:
    """The parent's PTX in steps, as nvcc wrote it, without the lines that declare registers and `param`s."""
    whole, rows = "\n".join(RECORD["ptx"]["parent"]), []
    for number, what, pattern in STEPS:
        (found,) = re.findall(pattern, whole, re.DOTALL)
        passed = PASSED.sub(lambda call: f",\n  {call[1]},\n  ({' '.join(call[2].split())});", found)
        lines = LEFT_OUT.sub("", passed + "\n").splitlines()
        code = "\n".join(line.removeprefix("\t").expandtabs(1) for line in lines if line.strip())
        rows.append((number, what, HTML(f'<pre style="white-space: pre; margin: 0">{escape(code)}</pre>')))  # type: ignore[no-untyped-call]
    return table(rows, ["step", "what", "PTX, as nvcc 13.0 writes it"])


def same_ptx() -> str:
    """Do brackets and two calls become the same?"""
    return {True: "the same, line for line", False: "something else"}[
        RECORD["ptx"]["by_hand"] == RECORD["ptx"]["parent"]
    ]


def first_byte(*types: str) -> int:
    """Where nvcc stored the last of these parameters."""
    (row,) = (each for each in RECORD["stored"] if each["types"] == [*types])
    after = sum(1 for each in types[:-1] if each == "char")
    return int(row["bytes"][after][0])


# where parameters lie ---------------------------------------------------------------------------------------


def packed(*types: str, **settings: Any) -> Any:
    """A parameter list with small values: the first has 1, the second 2."""
    values: list[Any] = []
    for number, type_ in enumerate(types, start=1):
        wide = re.match(r"[a-z]+([234])\b", type_)
        values.append((number,) * int(wide[1]) if wide else number)
    return gpusim.pack_parameters([*types], *values, **settings)


def orders() -> dict[int, int]:
    """Bytes -> how many of the orders of six parameters take so many."""
    sizes = [packed(*order).size for order in permutations(SIX)]
    return {size: sizes.count(size) for size in sorted(set(sizes))}


def orders_figure(found: dict[int, int]) -> HTML:
    figure, axes = figures.new(height=2.6)
    axes.bar([*found], [*found.values()], color="#0072B2")
    axes.set_xlabel("bytes of the buffer")
    axes.set_ylabel("orders")
    axes.set_yticks(range(0, max(found.values()), 100))
    axes.set_xticks(range(min(found), max(found) + 1, 4))
    least, most, all_ = min(found), max(found), sum(found.values())
    return figures.show(
        figure,
        f"{found[least]} of {all_} orders of six parameters fit in {least} bytes; the worst need {most}.",
        alt=f"Bars: {', '.join(f'{count} orders take {size} bytes' for size, count in found.items())}.",
    )


NAMES = {
    "cudaGetParameterBuffer": ("alignment", "size"),
    "cudaLaunchDevice": (
        "func",
        "parameterBuffer",
        "gridDimension",
        "blockDimension",
        "sharedMemSize",
        "stream",
    ),
}


def head() -> HTML:
    """The file's head: what is declared, and the child, without the lines that declare its registers."""
    text = re.sub(r"^\t(?:\.reg|// \.globl).*\n", "", "\n".join(RECORD["head"]), flags=re.MULTILINE)
    text = re.sub(r"(?<=\{\n)\n+|\n(?=\n\})", "", text)
    return _listing([text, ".visible .entry _Z6parentPi( …"])


def _listing(parts: list[str]) -> HTML:
    """PTX as it is shown: a function's name and its result on one line."""
    text = "\n".join(parts).replace("\n(\n", " (\n").replace("\n;", ";").replace(".func  (", ".func (")
    shown = escape(text.replace(" \t", " ").expandtabs(2))
    return HTML(f'<pre class="literal-block">{shown}</pre>')  # type: ignore[no-untyped-call]


def declared() -> HTML:
    """The older pair as nvcc declares it in PTX, with the header's names for `param_0` and so on."""
    parts = []
    for text, (function, names) in zip(RECORD["declared"]["older"], NAMES.items(), strict=True):
        for number, name in enumerate(names):
            text = text.replace(f"{function}_param_{number}", name)
        parts.append(text)
    return _listing(parts)


def taken() -> str:
    """The most bytes of parameters that an H200's children were launched with."""
    sizes = (
        row for row in LAUNCHES if row["test"] == "parameter size" and row["device_error"] == "cudaSuccess"
    )
    return f"{max(row['bytes'] for row in sizes):,}"


def asked(ask: Any, sizes: list[int], cdp: int) -> list[int]:
    """The addresses of buffers of these sizes, 0 where there is none."""
    got = zeros(len(sizes), np.uint64)
    with gpusim.use(cdp=cdp):
        ask[1, len(sizes)](np.array(sizes, np.int32), got)
    return [int(each) for each in got]


def launched(kernel: Any, *arguments: Any, size: int = 4) -> list[int]:
    """What a parent of one thread leaves in an array of zeros."""
    x = zeros(size)
    kernel[1, 1](x, *arguments)
    return [int(each) for each in x]


def chosen(kernel: Any, numbers: list[int], codes: list[int], *size: int) -> list[int]:
    """What the kernels that each thread chose leave of the numbers."""
    x = np.array(numbers, np.int32)
    kernel[1, x.size](x, np.array(codes, np.int32), *size)
    return [int(each) for each in x]


def least_size(kernel: Any, numbers: list[int], codes: list[int]) -> int:
    """The fewest bytes of a buffer with which nothing goes wrong, found by trying."""
    for size in range(1, 65):
        try:
            chosen(kernel, numbers, codes, size)
        except GpuSimError:
            continue
        return size
    raise AssertionError("64 bytes are enough for an address and a number")


COLOURS = {"c": "#56B4E9", "n": "#009E73", "m": "#F0E442"}  # as the packer has them


def written_and_read(add: Any, values: dict[str, Any]) -> HTML:
    """Bytes 8 to 19 of the buffer that `tight` fills: whose they are when it writes, and when `add` reads."""
    places = gpusim.pack_parameters(add, None, *values.values())
    at = places["c"].offset
    written: dict[int, str] = {}
    read: dict[int, str] = {}
    octets: dict[int, str] = {}
    first, end = at, places.size
    for name, value in values.items():
        for octet in value.tobytes():
            written[at], octets[at] = name, f"{octet:02x}"
            at += 1
        read |= dict.fromkeys(range(places[name].offset, places[name].offset + places[name].size), name)
    taken = int.from_bytes(bytes(int(octets[places["n"].offset + k], 16) for k in range(4)), "little")

    def row(head: str, whose: dict[int, str]) -> str:
        cells = f'<b style="text-align:left">{head}</b>'
        for place in range(first, end):
            name = whose.get(place)
            look = f"background:{COLOURS[name]};color:#000;border:1px solid" if name else "border:1px dashed"
            cells += f'<span style="{look}">{octets.get(place, "?")}<br>{name or "&nbsp;"}</span>'
        return cells

    heads = "".join(f"<span>{place}</span>" for place in range(first, end))
    n, m = (", ".join(f"byte {place}" for place in written if written[place] == name) for name in "nm")
    spoken = f"Written: c is byte {first}, n is {n}, m is {m}. Read: n is from byte {places['n'].offset} on."
    caption = (
        f"Byte {at - values['m'].nbytes} is written as the lowest of m, and read as the second of n: {taken}."
    )
    grid = "display:grid;grid-template-columns:auto repeat(12,minmax(0,2.4em));gap:2px;justify-content:center"
    look = f"{grid};text-align:center;line-height:1.3;font-size:clamp(.65rem,2.6vw,.95rem)"
    return HTML(  # type: ignore[no-untyped-call]
        f'<figure class="course-figure"><div role="img" aria-label="{spoken}" style="{look}">'
        f"<b>byte</b>{heads}"
        f"{row('written', written)}{row('read', read)}</div><figcaption>{caption}</figcaption></figure>"
    )


# what goes wrong --------------------------------------------------------------------------------------------

WRONG = r"""
__global__ void add(int* x, int n) { x[0] += n; }
__global__ void other(int* x, int n) { x[0] -= n; }
__device__ char* filled(char* b, int* x) {
    *(int**)b = x;
    *(int*)(b + 8) = 1;
    return b;
}
__global__ void wrong(int* x) {
    STATEMENTS
}
"""
GET = "(char*)cudaGetParameterBuffer(8, 16)"
NEW = f"char* b = filled({GET}, x);"
LAUNCH = "cudaLaunchDevice((void*)add, b, dim3(1), dim3(1), 0, 0);"
MISTAKES = (
    ("the buffer is too small", f"char* b = (char*)cudaGetParameterBuffer(8, 8); *(int**)b = x; {LAUNCH}"),
    ("one buffer, two launches", f"{NEW} {LAUNCH} {LAUNCH}"),
    ("a null buffer, not looked at", f"char* b = (char*)cudaGetParameterBuffer(8, 40000); {LAUNCH}"),
    ("an address in the buffer, not its first", f"{NEW} b += 8; {LAUNCH}"),
    ("written beyond the end", f"{NEW} *(int*)(b + 16) = 1; {LAUNCH}"),
    (
        "V2's buffer, and another kernel",
        "char* b = filled((char*)cudaGetParameterBufferV2((void*)other, dim3(1), dim3(1), 0), x);" + LAUNCH,
    ),
    ("memory that is no buffer", f"char* b = (char*)x; {LAUNCH}"),
    ("the address of a local variable", f"int mine = 0; char* b = filled({GET}, &mine); {LAUNCH}"),
)


def mistakes() -> Table:
    """Each misuse of the calls, what gpusim says about it, and what an H200 did."""
    rows = []
    for what, statements in MISTAKES:
        kernel = gpusim.RawModule(code=WRONG.replace("STATEMENTS", statements)).get_function("wrong")
        try:
            kernel[1, 1](zeros(4))
        except GpuSimError as error:
            first = str(error.message).splitlines()[0]
            said_here = re.sub(r"^.*?\(0, 0, 0\) of block \(0, 0, 0\) |, to add$|0x\w+, at ", "", first)
            rows.append((what, said_here.replace("passes which", "passes an address at which"), did(what)))
        else:
            raise AssertionError(what)
    return table(rows, ["mistake", "gpusim: the launching thread …", "an H200"])


def warned() -> str:
    """What nvcc said of the address of a local variable, without where it saw it."""
    text = said("nvcc -arch=sm_90 -rdc=true -ptx local.cu").rpartition("Warning: ")[2]
    return re.sub(r" obtained at.*?\)", "", text)


# compiling and linking --------------------------------------------------------------------------------------

ONE_FILE = "nvcc -arch=sm_90{} parent.cu -o program{}"
FLAGS = (("", ""), (" -rdc=true", ""), (" -rdc=true", " -lcudadevrt"))


def which_link() -> str:
    """Which of three commands give a program of one file?"""
    work = tuple(COMMANDS[ONE_FILE.format(*flags)]["exit"] == 0 for flags in FLAGS)
    return {(False, True, True): "B and C", (False, False, True): "only C"}[work]


def objects() -> Table:
    """Step by step: which file holds what, and what is still missing."""
    size = {name: f"{count / 1024:,.0f} KB" for name, count in RECORD["bytes"].items()}
    rows = [
        (
            "`-dc`",
            "`parent.o`",
            size["parent.o"],
            "`main`; both kernels",
            "the two functions that are called; the linked kernels, which `main` loads",
        ),
        (
            "`-dlink`",
            "`linked.o`",
            size["linked.o"],
            "both kernels with the device runtime",
            "the library's part for the CPU",
        ),
        (
            "the host's linker",
            "`program`",
            size["program"],
            "all, and the library's part for the CPU",
            "nothing",
        ),
    ]
    return table(rows, ["made by", "file", "size", "holds", "what is missing"])


SHOWN = {
    "nvcc -arch=sm_90 parent.cu -o program": 0,
    "ptxas -arch=sm_90 parent.ptx -o parent.cubin": 0,
    "nvlink -arch=sm_90 parent.o -o linked.cubin": 0,
    "g++ parent.o -o program -lcudart": 1,
    "g++ parent.o linked.o -o program -lcudart": 2,
    "nvcc -arch=sm_90 caller.o child.o -o program": 0,
    "nvcc -arch=sm_80 parent.o -o program": 0,
}
FORGOTTEN = (
    "`-rdc=true`",
    "`-c`: names may stay open",
    "`-lcudadevrt`, for the device linker",
    "the device linker",
    "`-lcudadevrt`, for the host's linker",
    "`-dc`: child.o was made with `-c`",
    "code for sm_80 (only a warning)",
)
SERIAL = re.compile(r"(?<=Binary)_\w+|(?<=wrap)_\w+|^.*?: (?=undefined)")


def forgotten() -> Table:
    """Which message belongs to which step?"""
    rows = [
        (f"`{re.sub(' -arch=sm_90| -o [a-z.]+', '', command)}`", what, SERIAL.sub("…", said(command, line)))
        for (command, line), what in zip(SHOWN.items(), FORGOTTEN, strict=True)
    ]
    return table(rows, ["command", "what is missing", "what is said (nvcc 13.0)"])
