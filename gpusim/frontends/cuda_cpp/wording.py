"""What is said in place of Clang's words, where a beginner would not understand them? Tables.

In a message, `{0}` is a group of the pattern, `{token}` the word at the place that Clang names, `{after}` the
word before the place that is shown, and `{what}` the text there. The first rule that fits is taken; what none
fits keeps Clang's words. `messages` knows the places.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """What is said of a finding whose words match `pattern`.

    `context` is searched in the line of the text, with a tab at the place.
    """

    pattern: str
    message: str
    place: str
    hint: str = ""
    context: str = ""


NAMES = (
    Rule(r"use of undeclared identifier '([^']+)'", "`{0}` is not declared", "here"),
    Rule(r"unknown type name '([^']+)'", "unknown type `{0}`", "here"),
    Rule(r"no template named '([^']+)'(?! in)", "unknown template `{0}`", "here"),
    Rule(r"no (?:member|type|template) named '([^']+)' in namespace", "`{what}` is not declared", "operand"),
    Rule(r"no (?:type|template) named '([^']+)' in", "`{what}` is not declared", "operand"),
    Rule(r".*'(?:const )?(std::(?:vector|string|function|\w+_ptr|[io]stream)\b[^'&*]*?)[ &*]*'", "", "host"),
)
SYNTAX = (
    # what Clang calls unexpected, by the word that stands there
    Rule(r"expected expression", "`else` without an `if` before it", "here",
         "an `if` guards one statement, or those in {{ }}", r"\telse\b"),
    Rule(r"expected expression", "this {token} is never closed", "here", "", r"\t[\"']"),
    Rule(r"expected expression", "unexpected `{token}`", "here", "", r"\t[`@#$\\]"),
    Rule(r"expected expression", "expected `;` after `return`", "behind", "", r"\breturn\s*\t|^\s*\t\}"),
    Rule(r"expected expression", "expected an expression after `{after}`", "behind"),
    Rule(r"expected unqualified-id", "`{token}` cannot be a name", "here", "", r"\t\w"),
    Rule(r"expected unqualified-id", "expected a name after `{after}`", "behind"),
    # brackets
    Rule(r"expected '([)}])'", "expected `,`, `{0}` or an operator after `{after}`", "behind", "",
         r"\t[\w\"']"),
    Rule(r"expected '}'", "this `{{` is never closed", "opener", "`}}` is missing"),
    Rule(r"expected '>>>'", "this `<<<` is never closed", "opener", "`>>>` is missing"),
    Rule(r"expected function body", "expected `{{` after `{after}`", "behind"),
    Rule(r"expected ';' in 'for' statement", "expected `;` after `{after}`", "behind",
         "write for (start; condition; step)"),
    Rule(r"expected '\(' for function-style cast", "expected `;` after `{after}`", "behind"),
    Rule(r"expected '(.)'(?: .*)?", "expected `{0}` after `{after}`", "behind"),
    Rule(r"a type specifier is required", "`{token}` has no return type", "here",
         "write `void` for a function that returns nothing",
         r"\t\w+\s*\([^;]*$|__\s*\t\w+\s*\(|__global__.*\t\w+\s*\("),
    Rule(r"a type specifier is required", "a statement stands outside of every function", "here",
         "does a `}}` stand too early?", r"^\s*\t"),
    Rule(r"(.*)", "#error {0}", "here", "", r"^\s*#\s*\terror"),
)  # fmt: skip
TYPES = (
    Rule(r"case value is not a constant|.*variable length array", "`{what}` is not known while compiling",
         "operand", "use constants, `constexpr` or a macro"),
    Rule(r"no matching function for call to '([^']*)'.*call to __global__ function",
         "`{0}` is a kernel: it is launched, not called", "here", "make it `__device__`"),
    Rule(r"invalid operands to binary expression \((.*)\)", "`{token}` does not take {0}", "operand"),
    Rule(r"invalid argument type ('[^']+') to unary", "`{token}` does not take {0}", "here"),
    Rule(r"indirection requires pointer operand", "`**` is no operator of C++", "stars",
         "a power is pow(x, y)", r"[\w\])]\s*\*\t\*"),
)  # fmt: skip
REFUSED = (
    Rule(r"cannot use '(throw|try)'", "`{0}`", "here", "GPUs have no exceptions: write a flag for the host"),
    Rule(r"you need to include <typeinfo>", "`typeid`", "here", "ask a virtual method of the object"),
    Rule(r"invalid target type .* for dynamic_cast", "dynamic_cast", "here", "use static_cast"),
)

# what helps, by Clang's words and the line behind them, with a tab at the place
HINTS = (
    (r"cannot initialize .* type '(?:int|float|double|unsigned int|long)' with .* of type '[^']*\*'"
     "|incompatible pointer to .* conversion", "dereference the pointer with * or [ ]"),
    (r"cannot initialize .* type '(\w[\w ]*) \*' with .* type 'const \1 \*'",
     "drop `const`, or point to const: const {0} *"),
    (r"cannot initialize .* type '([^']* \*)' with .* type '[^']*\*'"
     r"|(?:static|const)_cast from '[^']*\*' to '([^']*\*)'", "reinterpret_cast<{0}>(…)"),
    (r"cannot initialize .* type '[^']*\*' with an lvalue of type '\w", "take its address with &"),
    (r"cannot initialize .* type '([^']*)' with .* type '[A-Z]\w*'"
     r"|cannot initialize .* type '([A-Z]\w*)' with", "static_cast<{0}>(…)"),
    (r"conversion from '(?:const )?(?:uint3|dim3)'", "take one coordinate, such as threadIdx.x"),
    (r"reinterpret_cast from 'float' to 'int'", "__float_as_int(x)"),
    (r"'global' function|call to __global__ function", "make it `__device__`"),
    (r"invalid (?:digit|suffix) 'f' ", "a float has a point, as in 1.0f"),
    (r"member reference base type '[^']*\*'", "use `->`"),
    (r"is uninitialized when", "give it a first value where it is declared"),
    (r"non-void function does not return", "return a value on every way out"),
    (r"invalid operands .*\n.*\t%", "fmod(x, y)"),
    (r"invalid operands .*\n.*\t\^", "a square is x * x, a power pow(x, y)"),
    (r"invalid operands .*'[A-Z]\w*'.*\n.*\t(\W+)", "define operator{0}"),
    (r"(?:kernel function type|(?<!-)void function) '", "write the result through a pointer"),
    (r"function definition is not allowed", "is a brace missing above?"),
    (r"(?:deduction guide for .* of|use of class template) '([^']*)'", "give its arguments: {0}<…>"),
    (r"(?:incompatible operand|distinct pointer) types", "cast one of them"),
    (r"cannot take the address of an rvalue", "store it in a variable"),
    (r"array subscript is not an integer", "cast it: (int)x"),
    (r"array type '[^']*' is not assignable", "copy its elements in a loop"),
    (r"non-const lvalue reference to type", "make the reference const"),
    (r"initialization is not supported for __shared__", "write it in the kernel, then __syncthreads()"),
    (r"dynamic initialization is not supported", "write it in a kernel"),
    (r"invalid range expression", "write for (int i = 0; i < n; ++i)"),
)  # fmt: skip
