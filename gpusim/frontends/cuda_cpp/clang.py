"""What does Clang say of a piece of a text? What its Python binding leaves out, and what it does slowly.

A cursor is a node of Clang's tree. `clang.cindex` asks the library in C for each of a cursor's attributes;
here are those that the binding of version 18 lacks: operators, constants, attributes in the text.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from clang import cindex
from clang.cindex import Cursor, CursorKind, TypeKind

_BINARY = " .* ->* * / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>= &= ^= |= ,"
_UNARY = " p++ p-- ++p --p & * + - ~ ! __real __imag __extension__"
BINARY, UNARY = _BINARY.split(" "), _UNARY.split(" ")
METHODS = CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION
FUNCTIONS = (
    CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE, *METHODS, CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
)  # fmt: skip
CLASSES = CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL
RECORDS = (*CLASSES, CursorKind.UNION_DECL, CursorKind.ENUM_DECL)
CASTS = (
    CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR, CursorKind.CXX_REINTERPRET_CAST_EXPR,
    CursorKind.CXX_CONST_CAST_EXPR, CursorKind.CXX_FUNCTIONAL_CAST_EXPR,
)  # fmt: skip
TERSE = 17  # a property of a policy: print no bodies

ATTRIBUTES = {
    CursorKind.CUDAGLOBAL_ATTR: "__global__",
    CursorKind.CUDADEVICE_ATTR: "__device__",
    CursorKind.CUDAHOST_ATTR: "__host__",
    CursorKind.CUDASHARED_ATTR: "__shared__",
    CursorKind.CUDACONSTANT_ATTR: "__constant__",
}
LOCATIONS = ("clang_getFileLocation", "clang_getExpansionLocation", "clang_getSpellingLocation")

# kinds of types that the binding of version 18 leaves out
for _number, _name in ((32, "FLOAT16"), (39, "BFLOAT16")):
    if not hasattr(cindex.TypeKind, _name):
        setattr(cindex.TypeKind, _name, cindex.TypeKind(_number))
# what the binding gives back as Python ends, it finds by a name that may be gone by then
for _name in ("TranslationUnit", "Index", "Diagnostic"):
    _end = f"clang_dispose{_name}"
    getattr(cindex, _name).__del__ = lambda held, conf=cindex.conf, end=_end: getattr(conf.lib, end)(held)
_Visitor = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, Cursor, ctypes.py_object)
_COLLECT = _Visitor(lambda child, _parent, found: found.append(child) or 1)  # 1: go on with the next one


@cache
def library() -> Any:
    """Clang's library in C, with types for the functions that the binding does not know."""
    lib = cindex.conf.lib
    pointer, place, size = ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_size_t)
    for name, result, given in (
        ("clang_getCursorBinaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_getCursorUnaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_Cursor_Evaluate", pointer, [Cursor]),
        ("clang_EvalResult_getKind", ctypes.c_int, [pointer]),
        ("clang_EvalResult_isUnsignedInt", ctypes.c_uint, [pointer]),
        ("clang_EvalResult_getAsUnsigned", ctypes.c_ulonglong, [pointer]),
        ("clang_EvalResult_getAsLongLong", ctypes.c_longlong, [pointer]),
        ("clang_EvalResult_getAsDouble", ctypes.c_double, [pointer]),
        ("clang_EvalResult_dispose", None, [pointer]),
        ("clang_Cursor_getVarDeclInitializer", Cursor, [Cursor]),
        *((name, None, [cindex.SourceLocation, ctypes.POINTER(pointer), *[place] * 3]) for name in LOCATIONS),
        ("clang_getFileContents", pointer, [cindex.TranslationUnit, pointer, size]),
        ("clang_getCursorPrettyPrinted", cindex._CXString, [Cursor, pointer]),
        ("clang_getCursorPrintingPolicy", pointer, [Cursor]),
        ("clang_PrintingPolicy_dispose", None, [pointer]),
        ("clang_PrintingPolicy_setProperty", None, [pointer, ctypes.c_int, ctypes.c_uint]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, given
    lib.clang_getCursorPrettyPrinted.errcheck = cindex._CXString.from_result
    visit = ctypes.CFUNCTYPE(ctypes.c_uint, Cursor, _Visitor, ctypes.py_object)
    lib.visit = visit(("clang_visitChildren", lib))
    return lib


def children(cursor: Any) -> tuple[Any, ...]:
    """The nodes below one, in the order of the text; the same objects each time."""
    known: tuple[Any, ...] | None = cursor.__dict__.get("below")
    if known is None:
        found: list[Any] = []
        library().visit(cursor, _COLLECT, found)
        unit = cursor._tu
        for child in found:
            child._tu = unit
        cursor.below = known = tuple(found)
    return known


def walk(cursor: Any, enters: Callable[[Any], bool] = lambda _: True) -> Iterator[Any]:
    """A node and all below it that are entered, each before those below it."""
    yield cursor
    for child in children(cursor) if enters(cursor) else ():
        yield from walk(child, enters)


ADDED = CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR


def inner(cursor: Any, around: tuple[CursorKind, ...] = ADDED) -> Any:
    """An expression without the parentheses around it, and without what Clang adds."""
    while cursor.kind in around and len(below := children(cursor)) == 1:
        cursor = below[0]
    return cursor


def sign(cursor: Any) -> str:
    """The sign of an operator: `+`, `<<=`; of those with one operand also `p++`, `++p`."""
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        return UNARY[int(library().clang_getCursorUnaryOperatorKind(cursor))]
    return BINARY[int(library().clang_getCursorBinaryOperatorKind(cursor))]


def constant(cursor: Any) -> int | float | None:
    """The value of an expression, or of a variable's initializer, that is a number known while compiling."""
    lib = library()
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    kind, value = lib.clang_EvalResult_getKind(result), None
    if kind == 1 and lib.clang_EvalResult_isUnsignedInt(result):
        value = lib.clang_EvalResult_getAsUnsigned(result)
    elif kind in (1, 2):
        name = "LongLong" if kind == 1 else "Double"
        value = getattr(lib, f"clang_EvalResult_getAs{name}")(result)
    lib.clang_EvalResult_dispose(result)
    return value


def letters(literal: Any) -> bytes:
    r"""The bytes of a STRING_LITERAL, without the NUL that C adds: `"a\0" "b"` is three."""
    text = str(literal.spelling)
    return text[text.index('"') + 1 : -1].encode("latin-1").decode("unicode_escape").encode("latin-1")


def attributes(cursor: Any) -> frozenset[str]:
    """Which of CUDA's words a declaration has: `__global__`, `__shared__`; of a variable also `managed`."""
    named = ((child.spelling, child.kind) for child in children(cursor))
    words = (word if kind is CursorKind.ANNOTATE_ATTR else ATTRIBUTES.get(kind) for word, kind in named)
    return frozenset(filter(None, words))


def printed(cursor: Any) -> str:
    """A declaration as Clang writes it, without its body: with all attributes, template arguments put in."""
    lib = library()
    policy = lib.clang_getCursorPrintingPolicy(cursor)
    lib.clang_PrintingPolicy_setProperty(policy, TERSE, 1)
    text: str = lib.clang_getCursorPrettyPrinted(cursor, policy)
    lib.clang_PrintingPolicy_dispose(policy)
    return text


def overloaded(cursor: Any) -> str:
    """The full name of what clang leaves open in `{f<2>}`: a function that only the type tells; else none."""
    named = inner(cursor)
    while named.kind is CursorKind.UNARY_OPERATOR and sign(named) == "&":
        named = inner(children(named)[0])
    if named.kind is not CursorKind.DECL_REF_EXPR or named.type.kind is not TypeKind.OVERLOAD:
        return ""
    found, arguments = library().clang_getOverloadedDecl(named.referenced, 0), text(named).partition("<")
    space, parts = found.semantic_parent, [str(found.spelling) + "".join(arguments[1:])]
    while space.kind is not CursorKind.TRANSLATION_UNIT:
        if space.kind is CursorKind.CLASS_TEMPLATE:
            return text(named)
        parts.insert(0, str(space.spelling))
        space = space.semantic_parent
    return "::".join(parts)


def launch_bounds(cursor: Any) -> tuple[str, ...]:
    """What stands between the parentheses of `__launch_bounds__`, as text; empty where there is none."""
    found = re.search(r"launch_bounds\(((?:[^()]|\([^()]*\))*)\)", printed(cursor))
    return tuple(part.strip() for part in found[1].split(",")) if found else ()


def _asked(ask: Any, location: Any) -> tuple[int, int, int]:
    file, line, column = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint()
    ask(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), None)
    return file.value or 0, line.value, column.value


def place(location: Any) -> tuple[int, int, int]:
    """The file, line and column, both from 1, where the reader sees a location; file 0: nowhere.

    What a macro stands for is where the macro is used, but its arguments are where they were written.
    """
    lib = library()
    found = _asked(lib.clang_getFileLocation, location)
    if location.int_data >> 31 and _asked(lib.clang_getSpellingLocation, location) != found:
        return _asked(lib.clang_getExpansionLocation, location)  # an argument, and itself from a macro
    return found


def text(cursor: Any, onward: bool = False) -> str:
    """What the reader wrote for this, or `onward` from there; a macro's name where it comes from a macro."""
    (file, begin), (_file, end) = offset(cursor.extent.start), offset(cursor.extent.end)
    if not file or begin >= end:
        return ""
    size = ctypes.c_size_t()
    letters = library().clang_getFileContents(cursor._tu, file, ctypes.byref(size))
    end = size.value if onward else end
    return ctypes.string_at(letters + begin, end - begin).decode("utf-8", "replace") if letters else ""


def offset(location: Any) -> tuple[int, int]:
    """The file, and the number of bytes before a location in it."""
    file, number = ctypes.c_void_p(), ctypes.c_uint()
    library().clang_getFileLocation(location, ctypes.byref(file), None, None, ctypes.byref(number))
    return file.value or 0, number.value


def name(file: int) -> str:
    return str(cindex.File(ctypes.cast(file, cindex.c_object_p)).name)


def cursor_at(unit: Any, file: int, offset: int) -> Any:
    """The innermost piece at a number of bytes in a file."""
    handle = cindex.File(ctypes.cast(file, cindex.c_object_p))
    return Cursor.from_location(unit, cindex.SourceLocation.from_offset(unit, handle, offset))


class Extent(NamedTuple):
    """A piece of a file, by the offsets of its first letter and behind its last."""

    file: int
    begin: int
    end: int

    def holds(self, location: Any) -> bool:
        file, at = offset(location)
        return file == self.file and self.begin <= at <= self.end


def extent(cursor: Any) -> Extent:
    """Where it stands; a declaration with its body."""
    return Extent(*offset(cursor.extent.start), end(cursor))


def begin(cursor: Any) -> int:
    """Where it begins in its file, in bytes."""
    return offset(cursor.extent.start)[1]


def end(cursor: Any) -> int:
    """Where it ends in its file, in bytes."""
    return offset(cursor.extent.end)[1]


def beside(cursor: Any, text: str) -> str:
    """Declarations as they are written in the namespace that something is declared in."""
    scope = cursor.semantic_parent
    while scope.kind is not CursorKind.TRANSLATION_UNIT:
        text = f"namespace {scope.spelling} {{ {text} }}" if scope.kind is CursorKind.NAMESPACE else text
        scope = scope.semantic_parent
    return text


def template_of(cursor: Any) -> Any:
    """The template that a function or class was made from; None where it is none's."""
    found = library().clang_getSpecializedCursorTemplate(cursor)
    return None if found is None or found.kind.is_invalid() else found


def is_listing(type_: Any) -> bool:
    """Is it a `std::initializer_list`?"""
    return str(type_.get_canonical().spelling).removeprefix("const ").startswith("std::initializer_list<")


def is_constexpr(function: Any) -> bool:
    """May the compiler carry it out?"""
    return "constexpr" in text(function).partition("(")[0]
