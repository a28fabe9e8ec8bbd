"""What do the options of `RawModule` and `RawKernel`, and the compiler's flags, do here?

Each one has an effect, needs none, or is refused. `TABLE` and `FLAGS` say which and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpusim.errors import KernelTypeError, UnsupportedConstruct, suggestion

EFFECT, NO_EFFECT, REFUSED = "has an effect", "accepted", "refused"
Verdicts = dict[str, tuple[str, str]]

# CuPy's keyword -> (what becomes of it, why)
TABLE: Verdicts = {
    "code": (EFFECT, "the CUDA C++ text"),
    "path": (EFFECT, "the file with the text; machine code (.ptx, .cubin, .fatbin) is refused"),
    "options": (EFFECT, "flags of the compiler, each with a verdict of its own"),
    "name_expressions": (EFFECT, "instances of templates that are compiled with the module"),
    "enable_cooperative_groups": (EFFECT, "a grid that is not resident as a whole is refused at launch"),
    "backend": (NO_EFFECT, "one front-end stands for NVRTC and for nvcc"),
    "jitify": (NO_EFFECT, "well-known headers are built in"),
    "translate_cucomplex": (REFUSED, "write complex numbers as float2 and double2"),
}
RELOCATABLE = "__CUDACC_RDC__"
# flags of one effect, what becomes of them, why; those that end in = take a value
_ROWS = (
    ("-D --define-macro=", EFFECT, "defines a macro: -DN=16"),
    ("-U --undefine-macro=", EFFECT, "takes back a macro that a flag before it defined"),
    ("-maxrregcount= --maxrregcount=", EFFECT, "bounds the registers of a thread, and so decides occupancy"),
    ("-std= --std=", NO_EFFECT, "what is supported of C++ is always understood"),
    ("-I --include-path=", EFFECT, "names a folder with headers; CUDA's own and the usual ones are built in"),
    (
        "-arch= --gpu-architecture= -gencode=",
        NO_EFFECT,
        "the device is chosen for each launch: gpusim.use(device=…)",
    ),
    (
        "-O0 -O1 -O2 -O3 -use_fast_math --use_fast_math --fmad= -fmad= --ftz= -ftz= --prec-div= -prec-div= "
        "--prec-sqrt= -prec-sqrt=",
        NO_EFFECT,
        "instructions are counted as written, and computed as precisely as NumPy does",
    ),
    (
        "-G --device-debug -g",
        NO_EFFECT,
        "accesses are always checked, and errors always name thread and line",
    ),
    ("-lineinfo --generate-line-info", NO_EFFECT, "every instruction knows its source line"),
    ("-w --disable-warnings", NO_EFFECT, "there are no warnings to turn off"),
    ("--expt-relaxed-constexpr", NO_EFFECT, "constexpr functions are device functions, too"),
    ("-default-device", NO_EFFECT, "functions without __host__ or __device__ can be called by kernels"),
    (
        "-rdc= --relocatable-device-code=",
        EFFECT,
        "=true is what nvcc asks of kernels that launch kernels, for it adds the device runtime in a second "
        "step, when it links; a module has it here unless =false is given, which refuses such launches; "
        "=true defines __CUDACC_RDC__",
    ),
    (
        "-dc --device-c",
        EFFECT,
        "nvcc's first step, -rdc=true: compile for a later link. A module is compiled as a whole",
    ),
    ("-lcudadevrt", NO_EFFECT, "nvcc's second step links the device runtime, which every module has here"),
    ("-include --pre-include=", REFUSED, "put the header's text before the code"),
    ("-l -L -dlto -cubin", REFUSED, "there is no machine code to link or to keep"),
    ("-ptx", REFUSED, "kernel.inspect_ir() lists a kernel's instructions"),
)
FLAGS: Verdicts = {flag: (verdict, why) for flags, verdict, why in _ROWS for flag in flags.split()}
SEPARATE = ("-D", "-U", "-I")  # their value may also be the next word
MACHINE_CODE = (".ptx", ".cubin", ".fatbin", ".o", ".so", ".a")


@dataclass(frozen=True)
class Options:
    """What has an effect. `definitions`: (macro, text). `folders`: where headers are looked for.

    `launches`: may kernels launch kernels?
    """

    definitions: tuple[tuple[str, str], ...] = ()
    max_registers: int | None = None
    cooperative: bool = False
    folders: tuple[str, ...] = ()
    launches: bool = True


def checked(given: Mapping[str, Any]) -> Options:
    """Read the keywords of `RawModule` and `RawKernel`. Raises for what is refused or of no meaning."""
    for name, value in given.items():
        verdict, why = TABLE[name]
        if verdict is REFUSED and value:
            raise UnsupportedConstruct(f"{name}={value!r} is refused: {why}")
    if given.get("backend", "nvrtc") not in ("nvrtc", "nvcc"):
        raise KernelTypeError(f"backend is 'nvrtc' or 'nvcc', not {given['backend']!r}")
    return _flags(given.get("options", ()), bool(given.get("enable_cooperative_groups")))


def _flags(flags: Any, cooperative: bool) -> Options:
    if isinstance(flags, str) or not all(isinstance(flag, str) for flag in flags):
        raise KernelTypeError(f"options is a tuple of flags, such as ('-DN=16',), not {flags!r}")
    definitions: dict[str, str] = {}
    folders = list[str]()
    max_registers, launches = None, True
    words = iter(flags)
    for word in words:
        flag = _flag(word)
        verdict, why = FLAGS[flag]
        if verdict is REFUSED:
            raise UnsupportedConstruct(f"the flag {word} is refused: {why}")
        value = word.removeprefix(flag) or (next(words, "") if flag in SEPARATE else "")
        if flag in ("-D", "--define-macro="):
            name, _, text = value.partition("=")
            definitions[name] = text if "=" in value else "1"
        elif flag in ("-I", "--include-path="):
            folders.append(value)
        elif flag in ("-U", "--undefine-macro="):
            definitions.pop(value, None)
        elif flag in ("-rdc=", "--relocatable-device-code=", "-dc", "--device-c"):
            value = "true" if flag in ("-dc", "--device-c") else value
            if value not in ("true", "false"):
                raise KernelTypeError(f"{flag} is true or false, not {value!r}")
            launches = value == "true"
            definitions.pop(RELOCATABLE, None)
            definitions |= {RELOCATABLE: "1"} if launches else {}
        elif flag.endswith("maxrregcount="):
            if not value.isdecimal() or int(value) < 1:
                raise KernelTypeError(f"{flag} takes a positive whole number, not {value!r}")
            max_registers = int(value)
    return Options(tuple(definitions.items()), max_registers, cooperative, tuple(folders), launches)


def _flag(word: str) -> str:
    """The entry of `FLAGS` that a word is: the whole word, or its beginning where it has a value."""
    if word in FLAGS:
        return word
    fitting = [flag for flag in FLAGS if flag.endswith("=") or flag in (*SEPARATE, "-l", "-L")]
    for flag in sorted(fitting, key=len, reverse=True):
        if word.startswith(flag):
            return flag
    hint = suggestion(word, FLAGS, "gpusim.cpp.options.FLAGS lists those that are")
    raise KernelTypeError(f"no flag {word!r} of the compiler is known", hint=hint)
