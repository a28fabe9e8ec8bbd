"""What does inline assembly do? Each PTX instruction in the tables is written in C++.

`asm("shl.b32 %0, %1, 2;" : "=r"(x) : "r"(y));` becomes a function `(unsigned& a0, unsigned a1)` with
`a0 = a1 << 2` in it, which is appended to the text.
"""

from __future__ import annotations

import re

from clang.cindex import Cursor

from gpusim.devices import Device
from gpusim.frontends.cuda_cpp import clang, conditions, inlining, lowering, texts

TYPES, VECTORS, WIDER, VALUES, EFFECTS, SPECIALS = (
    texts.table("assembly", name) for name in ("types", "vectors", "wider", "values", "effects", "specials")
)
PLAIN = re.compile(
    r"v2|v4|rn|ftz|noftz|volatile|global|shared|weak|relaxed|acquire|release|acq_rel|sc|gpu|aligned|L2::\w+"
)
COPIES = "cp.async.ca", "cp.async.cg"
BARRIERS = ("bar.sync", "barrier.sync", "barrier.cta.sync")
HINT = "write it in C++, or with a function of CUDA's such as __shfl_sync or __ldcg"
STRING = r'"(?:\\.|[^"\\])*"'


def assembly(low: lowering.Lowering, cursor: Cursor) -> None:
    """`asm volatile("…" : outputs : inputs : clobbers);`."""
    text = _text(low, cursor)
    found = re.search(rf'\b(?:__)?asm[^"(]*\(\s*((?:{STRING}\s*)+)', text)
    if found is None:
        raise low.refused(f"`{low.text(cursor)}`", HINT)
    template = "".join(piece[1:-1] for piece in re.findall(STRING, found[1]))
    template = re.sub(r"//.*?(\\n|$)|/\*.*?\*/|\\[nt]", " ", template)
    given, parameters, known = [], list[str](), _registers(low.device)
    operands = re.findall(r'(?:\[\s*(\w+)\s*\]\s*)?"([=+&%\w]+)"\s*\(', text)
    for number, operand in enumerate(clang.children(cursor)):
        name, constraint = operands[number]
        output, value = constraint[0] in "=+", clang.constant(operand)
        given.append(conditions.place_of(low, operand) if output else low.value(operand))
        type_ = operand.type.get_canonical().spelling
        parameters.append(f"std::remove_reference_t<{type_}>{'&' * output} a{number}")
        literal = isinstance(value, int) and not output
        known[f"%{number}"] = known[f"%[{name}]"] = str(value) if literal else f"a{number}"
    low.go_to(cursor)
    instructions = [" ".join(one.split()).lstrip("{ ") for one in template.split(";")]
    body = " ".join(_statement(low, one, known) for one in instructions if one.strip("} "))
    if body:
        function = f"inline void {{name}}({', '.join(parameters)}) {{ {body} }}"
        answer = low.unit.answers.to(f"__attribute__((device, host)) {function}")
        inlining.inline(low, answer, given, None, cursor)


def _text(low: lowering.Lowering, cursor: Cursor) -> str:
    """What stands there, without comments; where that is a macro's name, what the macro is."""
    text = clang.text(cursor)
    name = re.match(r"\w+", text)
    if name and not name[0].strip("_").startswith("asm"):
        defined = re.search(rf"#\s*define\s+{name[0]}\b((?:\\\n|.)*)", low.unit.source.text)
        text = defined[1].replace("\\\n", "\n") if defined else text
    return re.sub(rf"({STRING})|//[^\n]*|/\*.*?\*/", lambda found: found[1] or " ", text, flags=re.DOTALL)


def _registers(device: Device) -> dict[str, str]:
    count, warps = device.multiprocessors, device.max_threads_per_multiprocessor // device.warp_size
    own = {"nwarpid": f"{warps}", "nsmid": f"{count}", "smid": f"(__gpusim_block() % {count}u)"}
    found = {f"{sign}{name}": cpp for name, cpp in (SPECIALS | own).items() for sign in ("%", "%%")}
    return found | {"WARP_SZ": str(device.warp_size)}


def _statement(low: lowering.Lowering, text: str, known: dict[str, str]) -> str:
    mnemonic, _, rest = text.partition(" ")
    together = re.search(r"\{(.*)\}", rest)
    parts = mnemonic.split(".")
    operands = [one.strip() for one in re.sub(r"\{.*\}", "", rest).split(",") if one.strip()]
    kinds = [part for part in parts if part in TYPES] or ["u32"]
    name = ".".join(part for part in parts if part not in TYPES and not PLAIN.fullmatch(part))
    type_, lanes = TYPES[kinds[-1]], next((part[1] for part in parts if part in ("v2", "v4")), "")
    if lanes and kinds[-1] in VECTORS:
        type_ = f"{VECTORS[kinds[-1]]}{lanes}"

    def operand(written: str) -> str:
        if found := re.fullmatch(r"\[\s*(\S+?)\s*(?:\+\s*(-?\w+))?\s*\]", written):
            volatile = "volatile " * ("volatile" in parts)
            base = operand(found[1])
            # an operation on two spaces names its target's first
            is_shared = "shared" in parts and ("global" not in parts or written == operands[0])
            base = f"gpusim_in_shared({base})" if is_shared else f"(const char*){base}"
            return f"(({volatile}{type_}*)({base} + {found[2] or 0}))"
        if found := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", written):
            return f"__uint_as_float(0x{found[1]})"
        number = re.fullmatch(r"-?(\d+|0[xX][0-9a-fA-F]+)U?|-?\d+\.\d*", written)
        if written not in known and not number:
            raise low.refused(f"`{text}` in inline assembly", HINT)
        return known.get(written, written)

    raw = [operand(one) for one in operands]
    if together and type_[:-1] in VECTORS.values() and len(raw) == 1 and name in VALUES | EFFECTS:
        return _vector(name, type_, raw[0], [operand(one.strip()) for one in together[1].split(",")])
    if name in BARRIERS and raw == ["0"]:
        return "__syncthreads();"
    if name in BARRIERS and len(raw) == 1:
        raw.append("0")  # all threads of the block
    if name in COPIES and len(raw) == 3:
        raw.append(raw[2])  # all of them: there are no zeros
    form, into = EFFECTS.get(name), ""
    if form is None and raw:
        form, (into, *raw) = VALUES.get(name), raw
    if name == "bar.warp.sync":
        raw = raw or ["~0ull"]
    typed = dict(zip("abcd", (f"gpusim_as<{type_}>({one})" for one in raw), strict=False))
    needed = set(re.findall(r"\{(\w)\}", form or ""))
    wide = "W" in (form or "") and kinds[-1] not in WIDER
    if form is None or wide or not needed <= {*typed, *map(str, range(len(raw)))}:
        raise low.refused(f"`{text}` in inline assembly", HINT)
    for letter, meant in (("T", type_), ("W", WIDER.get(kinds[-1], "")), ("D", TYPES[kinds[0]])):
        form = re.sub(rf"\b{letter}\b", meant, form)
    value = form.format(*raw, **typed)
    return f"{into} = gpusim_as<std::remove_reference_t<decltype({into})>>({value});" if into else f"{value};"


def _vector(name: str, type_: str, address: str, numbers: list[str]) -> str:
    """Several numbers in one access: `ld.global.v2.f32 {%0, %1}, [%2]`."""
    if name in EFFECTS:
        given = ", ".join(f"gpusim_as<decltype({type_}::x)>({one})" for one in numbers)
        return f"{{ {type_} v = {{{given}}}; {EFFECTS[name].format(address, b='v')}; }}"
    put = (
        f"{one} = gpusim_as<std::remove_reference_t<decltype({one})>>(v.{axis});"
        for one, axis in zip(numbers, "xyzw", strict=False)
    )
    return f"{{ {type_} v = {VALUES[name].format(address)}; {' '.join(put)} }}"
