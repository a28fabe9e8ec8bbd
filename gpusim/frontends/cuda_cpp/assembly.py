"""What does inline assembly do? Each PTX instruction in the tables is written in C++.

`asm("shl.b32 %0, %1, 2;" : "=r"(x) : "r"(y));` becomes a function `(unsigned& a0, unsigned a1)` with
`a0 = a1 << 2` in it, which is appended to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clang.cindex import Cursor

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp import clang
from gpusim.frontends.cuda_cpp.conditions import place_of
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.lowering import Lowering

TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char", "u16": "unsigned short", "s16": "short",
    "b16": "unsigned short", "u32": "unsigned", "s32": "int", "b32": "unsigned", "u64": "unsigned long long",
    "s64": "long long", "b64": "unsigned long long", "f16": "__half", "f32": "float", "f64": "double", "pred": "bool",
}  # fmt: skip
WIDER = {"u16": "unsigned", "s16": "int", "u32": "unsigned long long", "s32": "long long"}
VECTORS = {
    "f32": "float",
    "u32": "uint",
    "b32": "uint",
    "s32": "int",
    "f64": "double",
    "u64": "ulonglong",
    "b64": "ulonglong",
}
COMPARED = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
# {a} {b} {c} are operands in the type T that the mnemonic ends with; {0} {1} {2} {3} as they were given, W is wider
VALUES = {
    "mov": "{a}", "cvta.to.global": "{a}", "cvta.global": "{a}", "not": "~{a}", "neg": "-{a}", "abs": "abs({a})",
    "add": "{a} + {b}", "sub": "{a} - {b}", "mul": "{a} * {b}", "mul.lo": "{a} * {b}", "div": "{a} / {b}",
    "div.full": "{a} / {b}", "rem": "{a} % {b}", "and": "{a} & {b}", "or": "{a} | {b}", "xor": "{a} ^ {b}",
    "shl": "{a} << {1}", "shr": "{a} >> {1}", "min": "{a} < {b} ? {a} : {b}", "max": "{a} > {b} ? {a} : {b}",
    "mul.wide": "(W){a} * (W){b}", "mul.hi": "(T)((W){a} * (W){b} >> 32)", "mad.lo": "{a} * {b} + {c}",
    "mad.wide": "(W){a} * (W){b} + {2}", "mad": "fma({a}, {b}, {c})", "fma": "fma({a}, {b}, {c})",
    "selp": "{2} ? {a} : {b}", "popc": "sizeof(T) == 8 ? __popcll({a}) : __popc({a})",
    "clz": "sizeof(T) == 8 ? __clzll({a}) : __clz({a})", "brev": "sizeof(T) == 8 ? __brevll({a}) : __brev({a})",
    "bfind": "gpusim_bfind({a})", "bfe": "gpusim_bfe({a}, {1}, {2})", "bfi": "gpusim_bfi({a}, {b}, {2}, {3})",
    "prmt": "__byte_perm({a}, {b}, {c})", "shf.l.wrap": "__funnelshift_l({a}, {b}, {c})",
    "shf.l.clamp": "__funnelshift_lc({a}, {b}, {c})", "shf.r.wrap": "__funnelshift_r({a}, {b}, {c})",
    "shf.r.clamp": "__funnelshift_rc({a}, {b}, {c})", "activemask": "__activemask()", "sqrt": "sqrt({a})",
    "ex2.approx": "exp2f({a})", "lg2.approx": "__log2f({a})", "rcp.approx": "1 / {a}", "rcp": "1 / {a}",
    "sqrt.approx": "sqrt({a})", "rsqrt.approx": "rsqrt({a})", "sin.approx": "__sinf({a})", "cos.approx": "__cosf({a})",
    "vote.sync.ballot": "__ballot_sync({1}, {0})", "vote.sync.any": "__any_sync({1}, {0})", "vote.sync.all": "__all_sync({1}, {0})",
}  # fmt: skip
EFFECTS = {
    "membar.cta": "__threadfence_block()", "membar.gl": "__threadfence()", "membar.sys": "__threadfence_system()",
    "fence.cta": "__threadfence_block()", "fence.gpu": "__threadfence()", "fence.sys": "__threadfence_system()",
    "bar.warp.sync": "__syncwarp({0})", "trap": "__trap()", "nanosleep": "__nanosleep({0})",
}  # fmt: skip
NOTHING = ("prefetch", "prefetchu", "discard", "applypriority", ".pragma")
BARRIERS = (
    "bar.sync",
    "barrier.sync",
    "barrier.cta.sync",
    "barrier.sync.aligned",
    "barrier.cta.sync.aligned",
)
SPECIALS = {
    "laneid": "__gpusim_lane()", "warpid": "gpusim_thread / warpSize", "lanemask_lt": "below",
    "lanemask_le": "(below << 1 | 1)", "lanemask_eq": "((below << 1 | 1) & ~below)", "lanemask_ge": "~below",
    "lanemask_gt": "~(below << 1 | 1)", "clock": "clock()", "clock64": "clock64()", "globaltimer": "__globaltimer()",
    "globaltimer_lo": "__globaltimer()",
    **{f"{name}.{axis}": f"{vector}.{axis}" for axis in "xyz" for name, vector in
       (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))},
}  # fmt: skip
LINEAR = "({0}Idx.x + {1}Dim.x * ({0}Idx.y + {1}Dim.y * {0}Idx.z))"
MODIFIERS = ("rn", "ftz", "sat", "approx.ftz", "noftz")
HINT = "write it in C++, or with a function of CUDA's such as __shfl_sync or __ldcg"


def assembly(low: Lowering, cursor: Cursor) -> None:
    """`asm volatile("…" : outputs : inputs : clobbers);`."""
    operands, text = clang.children(cursor), _text(low, cursor)
    template, outputs, names = _parts(low, text)
    given, parameters, literals = [], list[str](), dict[str, str]()
    for number, operand in enumerate(operands):
        written, known = operand.type.get_canonical().spelling, clang.constant(operand)
        if number >= outputs and isinstance(known, int):
            literals[f"a{number}"] = str(known)
        given.append(place_of(low, operand) if number < outputs else low.value(operand))
        parameters.append(f"std::remove_reference_t<{written}>{'&' * (number < outputs)} a{number}")
    low.at = low.span(cursor)
    body = " ".join(Reader(low, names, literals).statements(template))
    if not body:
        return
    function = f"inline void {{name}}({', '.join(parameters)}) {{ {body} }}"
    inline(low, low.unit.answers.to(f"__attribute__((device, host)) {function}"), given, None, cursor)


def _text(low: Lowering, cursor: Cursor) -> str:
    """What stands there; where that is a macro's name, what the macro is."""
    text = clang.text(cursor)
    name = re.match(r"\w+", text)
    if name and not name[0].strip("_").startswith("asm"):
        defined = re.search(rf"#\s*define\s+{name[0]}\b((?:\\\n|.)*)", low.unit.source.text)
        text = defined[1].replace("\\\n", "\n") if defined else text
    return re.sub(
        r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or " ", text, flags=re.DOTALL
    )


def _parts(low: Lowering, text: str) -> tuple[str, int, dict[str, int]]:
    """The instructions, the number of outputs, and operands by their names."""
    begin = re.search(r"\b(?:__)?asm(?:__)?\b[\w\s]*\(", text)
    pieces = re.findall(
        r'"(?:\\.|[^"\\])*"|::|[:()]|\[\s*\w+\s*\]|\w+|.', text[begin.end() :] if begin else "", re.DOTALL
    )
    template, section, depth, count, names, outputs = "", 0, 0, 0, dict[str, int](), 0
    for piece in pieces:
        depth += (piece == "(") - (piece == ")")
        if depth < 0:
            break
        if depth == 0 and piece in (":", "::"):
            section += len(piece)
        elif depth == 0 and piece[0] == '"':
            if section == 0:
                template += piece[1:-1].encode("latin-1", "replace").decode("unicode_escape")
            elif section < 3:
                count += 1
                outputs += section == 1
        elif depth == 0 and piece[0] == "[":
            names[piece.strip("[] \t\n")] = count
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", template, flags=re.DOTALL), outputs, names


class Reader:
    """Writes instructions as C++. `names` are operands by name, `literals` those that are known numbers."""

    def __init__(self, low: Lowering, names: dict[str, int], literals: dict[str, str]) -> None:
        self.low, self.names, self.literals = low, names, literals
        self.registers: dict[str, str] = {}

    def refused(self, instruction: str, hint: str = HINT) -> UnsupportedConstruct:
        """An instruction that is not in the table."""
        return self.low.refused(f"`{' '.join(instruction.split())}` in inline assembly", hint)

    def statements(self, template: str) -> Iterator[str]:
        """Every instruction, as a statement."""
        for instruction in re.findall(r"^\s*\{|(?<=[;}{])\s*\{|\}\s*(?=[;}]|$)|[^;]+", template):
            text = instruction.strip()
            if text in ("{", "}"):
                yield text
            elif text:
                opened = re.match(r"\{\s*(?=[.@a-z])", text)
                yield "{ " * bool(opened) + self.statement(text[opened.end() :] if opened else text)

    def statement(self, text: str) -> str:
        """One instruction."""
        found = re.fullmatch(r"(?:@(!?)\s*(%?\w+)\s+)?([.\w:]+)\s*(.*)", text, re.DOTALL)
        if found is None:
            raise self.refused(text)
        negated, guard, mnemonic, rest = found.groups()
        if mnemonic == ".reg":
            return self.declared(text, rest)
        operands = [one.strip() for one in re.findall(r"(?:\{[^}]*\}|\[[^]]*\]|[^,])+", rest) if one.strip()]
        made = self.written(text, mnemonic, operands)
        return f"if ({'!' * bool(negated)}{self.operand(text, guard)}) {{ {made} }}" if guard else made

    def declared(self, text: str, rest: str) -> str:
        """`.reg .u32 t1, t2;`."""
        type_, _, names = rest.partition(" ")
        type_, found = type_.lstrip("."), [name.strip() for name in names.split(",")]
        if type_ not in TYPES or not all(re.fullmatch(r"%?\w+", name) for name in found):
            raise self.refused(text)
        self.registers |= {name: "r_" + name.strip("%") for name in found}
        return f"{TYPES[type_]} {', '.join(self.registers[name] for name in found)};"

    def written(self, text: str, mnemonic: str, operands: list[str]) -> str:
        """What the table says of it."""
        parts = mnemonic.split(".")
        kinds = [part for part in parts if part in TYPES]
        name = ".".join(part for part in parts if part not in TYPES and part not in MODIFIERS)
        if mnemonic.startswith(NOTHING):
            return ";"
        if name in BARRIERS:
            return self.barrier(text, operands)
        effect = EFFECTS.get(re.sub(r"^fence\.(sc|acq_rel|acquire|release)", "fence", name))
        if effect:
            return (
                effect.format(*(self.operand(text, one) for one in operands), *["~0ull"] * (not operands))
                + ";"
            )
        if not kinds or not operands:
            raise self.refused(text)
        if parts[0] in ("ld", "st", "ldu"):
            return self.access(text, parts, kinds[-1], operands)
        if parts[0] in ("atom", "red"):
            return self.atomic(text, parts, kinds[-1], operands)
        return self.computed(text, name, kinds, operands)

    def computed(self, text: str, name: str, kinds: list[str], operands: list[str]) -> str:
        """A result from operands in registers."""
        kind, into = kinds[-1], operands[0]
        type_, sources = TYPES[kind], operands[1:]
        if name == "mov" and "{" in into + sources[0]:
            return self.packed(text, into, sources[0])
        raw = [self.operand(text, one) for one in sources]
        typed = [f"gpusim_as<{type_}>({one})" for one in raw]
        words = dict(zip("abcd", typed, strict=False))
        form = VALUES.get(name)
        if name.startswith("setp.") and name[5:] in COMPARED and len(raw) == 2:
            form = f"{{a}} {COMPARED[name[5:]]} {{b}}"
        elif name in ("cvt", "cvt.rzi", "cvt.rni") and len(kinds) == 2:
            form = f"({TYPES[kinds[0]]})" + ("rint({a})" if name == "cvt.rni" else "{a}")
        elif (
            name == "lop3"
            and len(raw) == 4
            and re.fullmatch(r"0[xX]\w+|\d+", table := self.literals.get(raw[3], raw[3]))
        ):
            terms = [
                " & ".join(
                    ("" if row >> 2 - place & 1 else "~") + "{" + "abc"[place] + "}" for place in range(3)
                )
                for row in range(8)
                if int(table, 0) >> row & 1
            ]
            form = " | ".join(f"({term})" for term in terms) or "0"
        if name == "not" and kind == "pred":
            form = "!{a}"
        known = {*words, *map(str, range(len(raw)))}
        if form is None or not known.issuperset(re.findall(r"\{(\w)\}", form)):
            raise self.refused(text)
        form = re.sub(r"\bT\b", type_, re.sub(r"\bW\b", WIDER.get(kind, type_), form))
        return self.put(text, into, form.format(*raw, **words))

    def put(self, text: str, into: str, value: str) -> str:
        """An assignment of bits to an operand."""
        place = self.operand(text, into.partition("|")[0])
        return f"{place} = gpusim_as<std::remove_reference_t<decltype({place})>>({value});"

    def packed(self, text: str, into: str, source: str) -> str:
        """`mov.b64 {low, high}, wide` and `mov.b64 wide, {low, high}`."""
        halves = [part.strip() for part in (into if "{" in into else source).strip("{} ").split(",")]
        if len(halves) != 2 or ".b64" not in text:
            raise self.refused(text)
        if "{" in into:
            wide = f"gpusim_as<unsigned long long>({self.operand(text, source)})"
            return self.put(text, halves[0], f"(unsigned)({wide})") + self.put(
                text, halves[1], f"(unsigned)({wide} >> 32)"
            )
        low, high = (
            f"(unsigned long long)gpusim_as<unsigned>({self.operand(text, half)})" for half in halves
        )
        return self.put(text, into, f"{low} | {high} << 32")

    def access(self, text: str, parts: list[str], kind: str, operands: list[str]) -> str:
        """`ld.global.cg.f32 value, [address + 4];`, and vectors of two or four."""
        load, cache = (
            parts[0] != "st",
            [part for part in parts if part in ("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc")],
        )
        memory, values = (operands[1], operands[0]) if load else (operands[0], operands[1])
        members = [part.strip() for part in values.strip("{} ").split(",")]
        type_ = TYPES[kind] if len(members) == 1 else f"{VECTORS.get(kind, kind)}{len(members)}"
        if "shared" in parts and "a" not in memory and not self.registers:
            raise self.refused(text)
        pointer = self.pointer(text, memory, f"{'const ' * load}{'volatile ' * ('volatile' in parts)}{type_}")
        function = (
            {"nc": "__ldg"}.get(cache[0], f"__{parts[0]}{cache[0]}")
            if cache and kind not in ("b8", "s8")
            else ""
        )
        axes = [""] if len(members) == 1 else [f".{axis}" for axis in "xyzw"[: len(members)]]
        if load:
            value = f"{function}({pointer})" if function else f"*{pointer}"
            puts = "".join(self.put(text, one, f"v{axis}") for one, axis in zip(members, axes, strict=True))
            return f"{{ const {type_} v = {value}; {puts} }}"
        element = TYPES[kind]
        given = "".join(
            f"v{axis} = gpusim_as<{element}>({self.operand(text, one)});"
            for one, axis in zip(members, axes, strict=True)
        )
        return f"{{ {type_} v; {given} {f'{function}({pointer}, v)' if function else f'*{pointer} = v'}; }}"

    def atomic(self, text: str, parts: list[str], kind: str, operands: list[str]) -> str:
        """`atom.add.u32 old, [address], value;` and `red.add.u32 [address], value;`."""
        names = {
            "add": "Add",
            "min": "Min",
            "max": "Max",
            "and": "And",
            "or": "Or",
            "xor": "Xor",
            "exch": "Exch",
            "cas": "CAS",
            "inc": "Inc",
            "dec": "Dec",
        }
        found = [names[part] for part in parts if part in names]
        into = operands.pop(0) if parts[0] == "atom" else ""
        type_ = {"s64": "unsigned long long"}.get(kind, TYPES[kind]) if "add" in parts else TYPES[kind]
        if not found or not operands[0].startswith("["):
            raise self.refused(text)
        scope = "_block" if "cta" in parts else "_system" if "sys" in parts else ""
        values = "".join(f", gpusim_as<{type_}>({self.operand(text, one)})" for one in operands[1:])
        call = f"atomic{found[0]}{scope}({self.pointer(text, operands[0], type_)}{values})"
        return self.put(text, into, call) if into else f"{call};"

    def pointer(self, text: str, memory: str, type_: str) -> str:
        """`[%1 + 8]`."""
        found = re.fullmatch(r"\[\s*(%?\[?\w+\]?)\s*(?:\+\s*(-?\w+))?\s*\]", memory)
        if found is None:
            raise self.refused(text)
        return f"(({type_}*)((const char*){self.operand(text, found[1])} + {found[2] or 0}))"

    def barrier(self, text: str, operands: list[str]) -> str:
        """All threads of the block meet at barrier 0; groups of warps at others."""
        numbers = [self.literals.get(self.operand(text, one), one) for one in operands]
        if numbers != ["0"]:
            raise self.refused(
                text, "only barrier 0, of all threads, is offered: `bar.sync 0;`, or __syncthreads()"
            )
        return "__syncthreads();"

    def operand(self, text: str, written: str) -> str:
        """`%0`, `%[name]`, `%laneid`, `42`, `0f3F800000`, or a register that was declared."""
        name = written.strip().replace("%%", "%")
        if negated := name.startswith("!"):
            name = name[1:]
        made = self._operand(name)
        if made is None:
            raise self.refused(text)
        return f"!{made}" if negated else made

    def _operand(self, name: str) -> str | None:
        if found := re.fullmatch(r"%(\d+)", name):
            return f"a{found[1]}"
        if found := re.fullmatch(r"%\[(\w+)\]", name):
            return f"a{self.names[found[1]]}" if found[1] in self.names else None
        if name in self.registers:
            return self.registers[name]
        if found := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", name):
            return f"__uint_as_float(0x{found[1]})"
        if re.fullmatch(r"-?(\d+|0[xX][0-9a-fA-F]+)U?|-?\d+\.\d*", name):
            return name
        device, register = self.low.device, name.strip("%")
        thread, block = LINEAR.format("thread", "block"), LINEAR.format("block", "grid")
        known = SPECIALS | {
            "nwarpid": str(device.max_threads_per_multiprocessor // device.warp_size),
            "nsmid": str(device.multiprocessors),
            "smid": f"({block} % {device.multiprocessors}u)",
            "WARP_SZ": str(device.warp_size),
        }
        if name == "WARP_SZ" or (name.startswith("%") and register in known):
            return known[register].replace("gpusim_thread", thread).replace("below", "__gpusim_lanes_below()")
        return None
