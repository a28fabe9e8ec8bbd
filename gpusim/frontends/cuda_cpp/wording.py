"""How is each of Clang's messages said here? A table: its words, our class, message, hint and place.

In a message, `{0}` is a group of the pattern, `{token}` the word at the place that Clang names, `{after}` the
word before the place that is shown, and `{what}` the text there. The first rule that fits is taken; what none
fits keeps Clang's words.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct

# `places` says where each of them is
Place = Literal[
    "here", "first", "operand", "behind", "opener", "header", "statement", "word", "macro", "stars",
    "bracket", "sign", "last"
]  # fmt: skip

RESERVED = (
    "if|else|for|while|do|switch|case|default|break|continue|return|goto|struct|class|union|enum|typedef|template|"
    "typename|namespace|using|new|delete|throw|try|catch|sizeof|static|extern|const|volatile|inline|void|bool|"
    "char|int|float|double|long|short|signed|unsigned|this|true|false|operator|public|private|auto"
)
TYPE_WORDS = "void|bool|char|short|int|long|float|double|signed|unsigned|const|struct|size_t|half"


class Rule(NamedTuple):
    """What is said of a finding whose words match `pattern`, in such a `context`: the
    line of the text, with a tab at the place. `names`: its group is a name.
    """

    pattern: re.Pattern[str]
    error: type[GpuSimError]
    message: str
    place: Place = "first"
    hint: str = ""
    context: str = ""
    names: bool = False


def _syntax(pattern: str, message: str, place: Place = "behind", hint: str = "", context: str = "") -> Rule:
    return Rule(re.compile(pattern), KernelSyntaxError, message, place, hint, context)


def _type(pattern: str, message: str, place: Place = "first", hint: str = "", context: str = "") -> Rule:
    return Rule(re.compile(pattern), KernelTypeError, message, place, hint, context)


def _refused(pattern: str, what: str, place: Place = "here", hint: str = "", context: str = "") -> Rule:
    message = f"{what} is not supported in a kernel"
    return Rule(re.compile(pattern), UnsupportedConstruct, message, place, hint, context)


def _name(pattern: str, message: str, place: Place = "here") -> Rule:
    return Rule(re.compile(pattern), KernelTypeError, message, place, names=True)


RULES = (
    # names
    _refused(r"unknown type name '(co_\w+)'", "`{0}`", "here", "kernels do not suspend"),
    _name(r"use of undeclared identifier '([^']+)'", "`{0}` is not declared"),
    _name(r"unknown type name '([^']+)'", "unknown type `{0}`"),
    _name(r"no template named '([^']+)'", "unknown template `{0}`"),
    _name(r"no (?:member|type|template) named '([^']+)' in namespace", "`{what}` is not declared", "operand"),
    _name(r"no (?:type|template) named '([^']+)' in", "`{what}` is not declared", "operand"),
    _type(r"no member named '([^']+)' in '([^']+)'", "`{1}` has no member `{0}`", "operand"),
    _type(r"expected namespace name", "`{token}` is no namespace", "here"),
    _type(r"member reference base type '([^']+\*)' is not a",
          "`.` takes an object, not the pointer `{0}`", "operand", "use `->`"),
    _type(r"member reference base type '([^']+)' is not a", "`{0}` has no members", "operand"),
    _type(r"member reference type '([^']+\*)' is a pointer",
          "`.` takes an object, not the pointer `{0}`", "operand", "use `->`"),
    _type(r"member reference type '([^']+)' is not a pointer",
          "`->` takes a pointer, not `{0}`", "operand", "use `.`"),
    _type(r"redefinition of '([^']+)'", "`{0}` is declared twice", "here"),
    # what Clang calls unexpected, by the word that stands there
    _syntax(r"expected expression",
            "`else` without an `if` before it", "here", "an `if` guards one statement, or those in {{ }}",
            r"\telse\b"),
    _syntax(r"expected unqualified-id", "`{token}` is neither a number nor a name", "here", "", r"\t\d"),
    _syntax(r"expected unqualified-id", "expected a name after `{after}`", "bracket", "", r"\w \(\t"),
    _syntax(r"expected unqualified-id",
            "`{token}` cannot be a name: the word belongs to C++", "here", "", rf"\t({RESERVED})\b"),
    _syntax(r"expected unqualified-id", "expected a name after `{after}`"),
    _syntax(r"expected expression",
            "this {token} is never closed", "here", "a second {token} is missing", r"\t[\"']"),
    _syntax(r"expected expression", "`<=>` is not supported", "sign", "compare with < and >", r"<=\t>"),
    _syntax(r"expected expression", "unexpected `{token}`", "here", "", r"\t[`@#$\\]"),
    _syntax(r"unexpected character <U\+(\w+)>",
            "the character `{token}` (U+{0}) has no meaning in C++", "here"),
    _syntax(r"unterminated /\* comment", "this comment is never closed", "here", "`*/` is missing"),
    _syntax(r"invalid digit 'f' in decimal constant",
            "`{what}` is not a number", "word", "a float has a point, as in 1.0f"),
    _syntax(r"no matching literal operator for call to 'operator\"\"", "`{what}` is not a number", "word"),
    _syntax(r"invalid (?:suffix|digit) '(.*)' (?:on|in) ", "`{what}` is not a number", "word"),
    # brackets
    _syntax(r"expected '}'", "expected `,`, `}}` or an operator after `{after}`", "behind", "", r"\t[\w\"']"),
    _syntax(r"expected '}'", "this `{{` is never closed", "opener", "`}}` is missing"),
    _syntax(r"expected '>>>'", "this `<<<` is never closed", "opener", "`>>>` is missing"),
    _syntax(r"extraneous closing brace", "unexpected `}}`: no `{{` is open here", "here"),
    _syntax(r"extraneous '\)'", "unexpected `)`: no `(` is open here", "here"),
    _syntax(r"expected '\)'", "expected `,` after `{after}`", "behind", "", rf"\t({TYPE_WORDS})\b"),
    _syntax(r"expected '\)'", "expected `,`, `)` or an operator after `{after}`", "behind", "", r"\t[\w\"']"),
    _syntax(r"expected function body", "expected `{{` after `{after}`"),
    # statements
    _syntax(r"expected ';' in 'for' statement",
            "the header of a `for` has two `;`", "header", "write for (start; condition; step)"),
    _syntax(r"expected ';'", "expected `;`, not `{token}`", "here", "", r"\t:"),
    _syntax(r"expected expression", "expected `;` after `return`", "behind", "", r"\breturn\s*\t|^\s*\t\}"),
    _syntax(r"expected ':'(?! after)", "expected `:` and the other value after `{after}`"),
    _syntax(r"expected '\('$", "expected `(` and the arguments of the kernel after `{after}`"),
    _syntax(r"expected '\(' for function-style cast", "expected `;` after `{after}`"),
    _syntax(r"expected variable name or 'this' in lambda",
            "`[` begins a lambda here: `{token}` names no variable", "here"),
    _syntax(r"expected '(.)'(?: .*)?", "expected `{0}` after `{after}`"),
    _syntax(r"expected expression", "expected an expression after `{after}`"),
    _syntax(r"expected parameter declarator", "expected a parameter after `{after}`"),
    _syntax(r"'(\w+)' statement not in switch", "`{0}` outside a `switch`", "here"),
    _type(r"'break' statement not in", "`break` outside of a loop or switch", "here"),
    _type(r"'continue' statement not in", "`continue` outside of a loop", "here"),
    _type(r"duplicate case value '([^']*)'", "`case {0}` stands here twice", "here"),
    _type(r"multiple default labels", "a second `default`", "last", "a switch has one"),
    _type(r"function definition is not allowed here",
          "a function is defined inside another one", "statement", "is a brace missing above?"),
    _type(r"case value is not a constant|.*variable length array",
          "`{what}` is not known while compiling", "operand", "use constants, `constexpr` or a macro"),
    # functions
    _syntax(r"a type specifier is required",
            "`{token}` has no return type", "here", "a kernel returns void", r"__global__.*\t\w+\s*\("),
    _syntax(r"a type specifier is required",
            "`{token}` has no return type", "here", "write `void` for a function that returns nothing",
            r"\t\w+\s*\([^;]*$|__\s*\t\w+\s*\("),
    _syntax(r"a type specifier is required",
            "expected a type before `{token}`", "here", "", r"[(,][\s*&]*\t"),
    _syntax(r"a type specifier is required",
            "a statement stands outside of every function", "here", "does a `}}` stand too early?"),
    _type(r"kernel function type '(\w+)",
          "a kernel returns `{0}`", "here", "kernels return void: write the result through a pointer"),
    _type(r"void function '([^']*)' should not return",
          "`{0}` returns nothing", "here", "write the result through a pointer"),
    _type(r"non-void function '([^']*)' should return", "`{0}` returns a value: say which", "here"),
    _type(r"no matching function for call to '([^']*)'.*call to __global__ function",
          "`{0}` is a kernel: it is launched, not called", "here", "make it `__device__`"),
    _type(r"no matching function for call to '([^']*)'", "`{0}` does not take these arguments", "here"),
    _type(r"no matching constructor for initialization of '([^']*)'",
          "`{0}` is not made of these values", "here"),
    _type(r"call to '([^']*)' is ambiguous", "the call of `{0}` is ambiguous", "here"),
    _type(r"called object type '[^']*' is not a function", "`{what}` is not a function", "operand"),
    # values and types
    _type(r"cannot initialize .* type '([^']+)'(?: \(aka .*?\))? with an? .value of type '([^']+)'",
          "a value of type `{1}` cannot initialize `{0}`", "operand"),
    _type(r"no viable conversion from '([^']+)' to '([^']+)'",
          "a value of type `{0}` cannot initialize `{1}`", "operand"),
    _type(r"assigning to '([^']+)'.* from (?:incompatible type )?'([^']+)'",
          "a value of type `{1}` cannot be assigned to `{0}`", "statement"),
    _type(r"incompatible .* conversion assigning to '([^']+)' from '([^']+)'",
          "a value of type `{1}` cannot be assigned to `{0}`", "statement"),
    _type(r"no viable overloaded '='.* from '([^']+)' to 'const ([^']+)'",
          "a value of type `{0}` cannot be assigned to `{1}`", "operand"),
    _type(r"no viable overloaded '([^']*)'",
          "`{0}` is not defined for these types", "operand", "define operator{0}"),
    _type(r"indirection requires pointer operand",
          "`**` is no operator of C++", "stars", "a power is pow(x, y)", r"[\w\])]\s*\*\t\*"),
    _type(r"indirection requires pointer operand \('([^']*)' invalid\)",
          "`*` takes a pointer, not `{0}`", "here"),
    _type(r"cannot convert '([^']+)' to '([^']+)' without", "`{0}` does not convert to `{1}`", "here"),
    _type(r"value of type '([^']+)' is not contextually convertible to '([^']*)'",
          "`{0}` does not convert to `{1}`", "here"),
    _type(r"invalid operands to binary expression \('([\w ]+)' and '([\w ]+)'\)",
          "`%` takes integers, not `{0}` and `{1}`", "operand", "fmod(x, y)", r"\t%"),
    _type(r"invalid operands to binary expression \('([a-z_ ]+)' and '([a-z_ ]+)'\)",
          "`{token}` takes integers, not `{0}` and `{1}`", "operand"),
    _type(r"invalid operands to binary expression \('([^']*)' and '(.*\*)'\)",
          "`{token}` does not take `{0}` and `{1}`", "operand"),
    _type(r"invalid operands to binary expression \('([^']*)' and '([^']*)'\)",
          "`{token}` is not defined for `{0}` and `{1}`", "operand", "define operator{token}"),
    _type(r"incompatible operand types \('([^']*)' and '([^']*)'\)",
          "`? :` has `{0}` on one side and `{1}` on the other", "here", "cast one of them"),
    _type(r"(?:no viable constructor or deduction guide for .* of|use of class template) '([^']*)'",
          "`{0}` is a template", "statement", "give its arguments: {0}<…>"),
    _type(r"'([^']+)' and '([^']+)' are not pointers to compatible",
          "`-` does not take `{0}` and `{1}`", "operand"),
    _type(r"comparison of distinct pointer types \('([^']+)' and '([^']+)'\)",
          "`{token}` does not take `{0}` and `{1}`", "operand", "cast one of them"),
    _type(r"invalid argument type '([^']+)' to unary", "`{token}` does not take `{0}`", "here"),
    _type(r"cannot take the address of an rvalue",
          "`{what}` is a value: it has no address", "operand", "store it in a variable"),
    _type(r"array subscript is not an integer",
          "an index is an integer: `{what}` is none", "operand", "cast it: (int)x"),
    _type(r"subscripted value is not an array",
          "`{what}` is neither array nor pointer: it cannot be indexed", "operand"),
    _type(r"cannot assign to .* with const-qualified|read-only variable is not",
          "`{what}` is const: it cannot be assigned to", "operand"),
    _type(r"expression is not assignable", "`{what}` is a value: it cannot be changed", "operand"),
    _type(r"array type '[^']*' is not assignable",
          "the array `{what}` cannot be assigned to", "operand", "copy its elements in a loop"),
    _type(r"default initialization of an object of const type",
          "the constant `{token}` has no value", "here"),
    _type(r"declaration of reference variable '([^']*)' requires",
          "the reference `{0}` refers to nothing", "here", "give it an object"),
    _type(r"non-const lvalue reference to type '([^']*)' cannot bind",
          "`{what}` cannot be referred to as `{0}&`", "operand", "make the reference const"),
    _type(r"static assertion failed(?: due to requirement '.*?')?(?:: (.*))?$",
          "static_assert does not hold: {0}", "here"),
    _type(r"'([^']*)' declared as an array with a negative size",
          "an array has a positive number of elements", "here"),
    _type(r"array has incomplete element type '[^']*\[\]'",
          "only the first length of an array may be left out", "here"),
    _type(r"definition of variable with array type needs", "`{token}` has no length", "here", "give it one"),
    _type(r"excess elements in (\w+) initializer", "more values than the {0} has places", "here"),
    _type(r"initializer-string for char array is too long, array size is (\d+) but .* size (\d+)",
          "the text does not fit into {0} characters", "here", "it takes {1}, with the 0 at its end"),
    _type(r"initialization is not supported for __shared__",
          "a `__shared__` variable cannot have an initial value", "operand",
          "write it in the kernel, then __syncthreads()"),
    _type(r"__constant__, __device__, and __managed__ are not allowed",
          "`{token}` variables stand outside of functions", "here"),
    _type(r"dynamic initialization is not supported",
          "the first value of `{token}` is not known while compiling", "here", "write it in a kernel"),
    _type(r"statement requires expression of integer type \('([^']*)'",
          "`{token}` takes an integer, not `{0}`", "operand"),
    _type(r"invalid range expression of type '([^']+)'",
          "`{0}` has no length to loop over", "statement", "write for (int i = 0; i < n; ++i)"),
    # lines that begin with #
    _syntax(r"(.*)", "#error {0}", "here", "", r"^\s*#\s*\terror"),
    _syntax(r"invalid preprocessing directive", "`#{token}` is no directive", "here"),
    _syntax(r"macro name ", "a macro's name is wanted after `{after}`"),
    _syntax(r"expected value in expression", "a value is wanted after `{after}`"),
    _syntax(r"expected .FILENAME", "a header is wanted after `{after}`", "behind", "as in #include <cmath>"),
    _syntax(r"(expected|missing) .* in macro parameter",
            "the parameters of this macro are never closed", "here"),
    _syntax(r"unterminated function-like macro invocation",
            "the arguments of this macro are never closed", "here"),
    _syntax(r"unterminated conditional directive",
            "this `#{token}` is never closed", "here", "`#endif` is missing"),
    _syntax(r"(#\w+ without #if)", "{0}", "here"),
    _syntax(r"too (many|few) arguments provided to function-like macro",
            "too {0} arguments for the macro `{what}`", "macro"),
    # what CUDA refuses
    _refused(r"cannot use '(throw)'", "`{0}`", "here", "write a flag for the host"),
    _refused(r"cannot use '(try)'", "`{0}`", "here", "GPUs have no exceptions: write a flag for the host"),
    _refused(r"invalid target type .* for dynamic_cast", "dynamic_cast", "here", "use static_cast"),
)  # fmt: skip

# what helps, by Clang's words
HINTS = (
    (r"cannot initialize .* type '(?:int|float|double|unsigned int|long)' with .* of type '[^']*\*'",
     "dereference the pointer with * or [ ]"),
    (r"cannot initialize .* type '(\w[\w ]*) \*' with .* type 'const \1 \*'",
     "drop `const`, or point to const: const {0} *"),
    (r"cannot initialize .* type '([^']*) \*' with .* type '[^']*\*'", "reinterpret_cast<{0} *>(…)"),
    (r"cannot initialize .* type '[^']*\*' with an lvalue of type '\w", "take its address with &"),
    (r"cannot initialize .* type '([^']*)' with .* type '[A-Z]\w*'", "static_cast<{0}>(…)"),
    (r"cannot initialize .* type '([A-Z]\w*)' with", "static_cast<{0}>(…)"),
    (r"conversion from '(const )?(uint3|dim3)'|cannot initialize .* with .* type '(const )?(uint3|dim3)'",
     "take one coordinate, such as threadIdx.x"),
    (r"incompatible pointer to .* conversion", "dereference the pointer with * or [ ]"),
    (r"static_cast from '[^']*\*' to '([^']*\*)'", "reinterpret_cast<{0}>(…)"),
    (r"const_cast from '[^']*' to '([^']*)'", "reinterpret_cast<{0}>(…)"),
    (r"reinterpret_cast from 'float' to 'int'", "__float_as_int(x)"),
    (r"'global' function|call to __global__ function", "make it `__device__`"),
)  # fmt: skip
