"""What does nvcc make of a launch in a kernel, and what does it say when a step is forgotten?

`python -m tests.hardware.nvcc_launches` runs nvcc, which needs no GPU, and writes `nvcc_launches.json`:
commands with what they said, the PTX of kernels that launch, and which bytes each launch stored.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parent / "nvcc_launches.json"
STORE = re.compile(r"\bst(?:\.v(\d))?\.[a-z](\d+)\s+\[%rd\d+(?:\+(\d+))?\]")
FOLDER = re.compile(r"/(?:tmp|usr)/(?:[\w.-]+/)*|tmpxft_\w+-\w+_")

SOURCES = {
    "parent.cu": """\
__global__ void child(char c, double d, int n, int* x) {
    x[threadIdx.x] = c + (int)d + n;
}
__global__ void parent(int* x) { child<<<1, 4>>>(1, 2.0, 3, x); }
int main() {
    int* x;
    cudaMallocManaged(&x, 16);
    parent<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
""",
    "by_hand.cu": """\
__global__ void child(char c, double d, int n, int* x) {
    x[threadIdx.x] = c + (int)d + n;
}
__global__ void parent(int* x) {
    char* b = (char*)cudaGetParameterBufferV2((void*)child, dim3(1), dim3(4), 0);
    if (b) {
        *b = 1;
        *(double*)(b + 8) = 2.0;
        *(int*)(b + 16) = 3;
        *(int**)(b + 24) = x;
        cudaLaunchDeviceV2(b, 0);
    }
}
""",
    "older.cu": """\
__global__ void child(int* x) { x[0] = 1; }
__global__ void parent(int* x) {
    int** b = (int**)cudaGetParameterBuffer(8, 8);
    if (b) *b = x, cudaLaunchDevice((void*)child, b, dim3(1), dim3(1), 0, 0);
}
""",
    "local.cu": """\
__global__ void child(int* x) { x[0] = 1; }
__global__ void parent(int* x) {
    int mine = 0;
    child<<<1, 1>>>(&mine);
    x[0] = mine;
}
""",
    "large.cu": """\
struct Numbers { int n[8192]; };
__global__ void child(Numbers of, int* x) { x[0] = of.n[x[1]]; }
""",
    "waits.cu": """\
__global__ void child(int* x) { x[0] = 1; }
__global__ void parent(int* x) { child<<<1, 1>>>(x); cudaDeviceSynchronize(); x[1] = x[0]; }
""",
    "child.cu": "__global__ void child(int* x) { x[0] = 1; }\n",
    "caller.cu": """\
__global__ void child(int* x);
__global__ void parent(int* x) { child<<<1, 1>>>(x); }
int main() { parent<<<1, 1>>>(nullptr); }
""",
}
CUDA = Path("/usr/local/cuda")
# in turn: what one writes the next may read
COMMANDS = [
    "nvcc -arch=sm_90 parent.cu -o program",
    "nvcc -arch=sm_90 -rdc=true parent.cu -o program -lcudadevrt",
    "nvcc -arch=sm_90 -rdc=true parent.cu -o program",
    "nvcc -arch=sm_90 -rdc=true -cudadevrt=none parent.cu -o program",
    "nvcc -arch=sm_90 -dc parent.cu -o parent.o",
    "nvcc -arch=sm_90 parent.o -o program -lcudadevrt",
    "nvcc -arch=sm_90 parent.o -o program",
    "nvcc -arch=sm_80 parent.o -o program",
    "g++ parent.o -o program -lcudart",
    "nvcc -arch=sm_90 -dlink parent.o -o linked.o -lcudadevrt",
    "g++ parent.o linked.o -o program -lcudart",
    "nvlink -arch=sm_90 parent.o -o linked.cubin",
    "nvcc -arch=sm_90 -c child.cu -o child.o",
    "nvcc -arch=sm_90 -dc caller.cu -o caller.o",
    "nvcc -arch=sm_90 caller.o child.o -o program",
    "nvcc -arch=sm_90 -dc child.cu -o child.o",
    "nvcc -arch=sm_90 caller.o child.o -o program",
    "nvcc -arch=sm_35 -rdc=true parent.cu -o program -lcudadevrt",
    "nvcc -arch=sm_70 -rdc=true parent.cu -o program -lcudadevrt",
    "nvcc -arch=sm_75 -rdc=true parent.cu -o program -lcudadevrt",
    "nvcc -m32 -arch=sm_90 -rdc=true parent.cu -o program",
    "nvcc -arch=sm_90 -rdc=true -ptx parent.cu -o parent.ptx",
    "nvcc -arch=sm_90 -rdc=true -ptx by_hand.cu -o by_hand.ptx",
    "nvcc -arch=sm_80 -rdc=true -DCUDA_FORCE_CDP1_IF_SUPPORTED -ptx parent.cu -o cdp1.ptx",
    "nvcc -arch=sm_80 -rdc=true -DCUDA_FORCE_CDP1_IF_SUPPORTED -ptx older.cu -o older.ptx",
    "ptxas -arch=sm_90 parent.ptx -o parent.cubin",
    "ptxas -arch=sm_90 -c parent.ptx -o parent.cubin",
    "ptxas -arch=sm_90 -c narrow.ptx -o narrow.cubin",
    "g++ parent.o linked.o -o program -lcudadevrt -lcudart",
    "nvcc -arch=sm_90 -rdc=true -ptx local.cu",
    "nvcc -arch=sm_90 -rdc=true -ptx large.cu",
    "nvcc -arch=sm_90 -rdc=true -ptx waits.cu",
]
SIZES = ("parent.o", "linked.o", "program")

# type -> a value
TYPES: dict[str, str] = {
    "char": "1", "short": "2", "int": "3", "long long": "4", "float": "5.0f", "double": "6.0", "bool": "true",
    "int*": "x", "float2": "{1, 2}", "float3": "{1, 2, 3}", "float4": "{1, 2, 3, 4}", "double2": "{1, 2}",
    "char3": "{1, 2, 3}", "Point": "{1, 2, 3}", "Tagged": "{1, 2}", "Wide": "{1}",
}  # fmt: skip
STRUCTS = """\
struct Point { float x, y, z; };
struct Tagged { char tag; double value; };
struct alignas(32) Wide { int n; };
"""


def lists() -> list[tuple[str, ...]]:
    """Parameter lists: every type behind a char, and 40 drawn at random."""
    drawn, names = random.Random(16), list(TYPES)
    return [("char", each) for each in names] + [
        tuple(drawn.choices(names, k=drawn.randint(2, 7))) for _ in range(40)
    ]


def source(number: int, types: tuple[str, ...]) -> str:
    """A child with these parameters, and a parent that launches it."""
    names = ", ".join(f"{each} p{place}" for place, each in enumerate(types))
    values = ", ".join(f"{each}{TYPES[each]}" if TYPES[each][0] == "{" else TYPES[each] for each in types)
    return (
        f"__global__ void child{number}({names}) {{}}\n"
        f"__global__ void parent{number}(int* x) {{ child{number}<<<1, 1>>>({values}); }}\n"
    )


def body(ptx: str, kernel: str) -> str:
    """What stands between a kernel's braces."""
    return re.search(rf"\.entry \w*{kernel}\w*\(.*?^\{{(.*?)^\}}", ptx, re.MULTILINE | re.DOTALL)[1]


def head(ptx: str, kernel: str) -> str:
    """What stands in a file before a kernel, behind the lines that name the compiler."""
    whole = ptx[ptx.index(".version") :]
    return whole[: re.search(rf"^.*\n\.visible \.entry \w*{kernel}\w*\(", whole, re.MULTILINE).start()]


def stored(ptx: str, kernel: str) -> list[tuple[int, int]]:
    """(first byte, bytes) of every store into the parameter buffer."""
    found = (each.groups(default="") for each in STORE.finditer(body(ptx, kernel)))
    return sorted((int(at or 0), int(bits) // 8 * int(many or 1)) for many, bits, at in found)


def run(command: str, where: Path) -> dict[str, Any]:
    """What a command said, without the names of folders."""
    words = command.split()
    if words[0] == "g++":
        words += [f"-L{CUDA}/lib", f"-L{CUDA}/lib64"]
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
    said = FOLDER.sub("", done.stdout + done.stderr).strip()
    return {"command": command, "exit": done.returncode, "said": said.splitlines()}


def record() -> dict[str, Any]:
    """Run everything in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        for name, text in SOURCES.items():
            (where / name).write_text(text)
        commands = []
        for command in COMMANDS:
            if "narrow.ptx" in command:
                whole = (where / "parent.ptx").read_text()
                (where / "narrow.ptx").write_text(whole.replace(".address_size 64", ".address_size 32"))
            commands.append(run(command, where))
        every = STRUCTS + "".join(itertools.starmap(source, enumerate(lists())))
        (where / "lists.cu").write_text(every)
        assert run("nvcc -arch=sm_90 -rdc=true -ptx lists.cu", where)["exit"] == 0
        ptx = (where / "lists.ptx").read_text()
        (version,) = re.findall(r"release [\d.]+, V([\d.]+)", run("nvcc --version", where)["said"][3])
        return {
            "header": {"what": __doc__.splitlines()[0], "nvcc": version, "written by": Path(__file__).name},
            "sources": SOURCES,
            "commands": commands,
            "bytes": {name: (where / name).stat().st_size for name in SIZES},
            "ptx": {
                name: body((where / f"{name}.ptx").read_text(), "parent").strip("\n").splitlines()
                for name in ("parent", "by_hand", "cdp1")
            },
            "head": head((where / "parent.ptx").read_text(), "parent").splitlines(),
            "declared": {
                name: re.findall(r"\.extern .*?;", (where / f"{name}.ptx").read_text(), re.DOTALL)
                for name in ("parent", "older")
            },
            "stored": [
                {"types": types, "bytes": stored(ptx, f"parent{number}Pi")}
                for number, types in enumerate(lists())
            ],
        }


def written(made: dict[str, Any]) -> str:
    """As JSON, a row of a list on a line."""
    parts = []
    for name, part in made.items():
        rows = ",\n ".join(map(json.dumps, part)) if isinstance(part, list) else ""
        parts.append(f"{json.dumps(name)}: " + (f"[\n {rows}]" if rows else json.dumps(part, indent=1)))
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    RECORD.write_text(written(record()), encoding="utf-8")
