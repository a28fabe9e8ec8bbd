"""A mistake stops those kernels that use what it is in, and no other; of the rest nothing is said."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.cpp.program import CodeWarning, MissingHeaderWarning
from gpusim.errors import GpuSimError

pytestmark = pytest.mark.filterwarnings("ignore:main")
KERNEL = "__global__ void good(int* x) {\n  x[threadIdx.x] = 7;\n}\n"
FINE = [
    # host code
    "#include <nothing/at_all.hpp>\n#include <opencv2/opencv.hpp>\n",
    "int host() { return missing(1) + Unknown::value; }",
    "void host() { int x = 1 }",
    "void host() { std::vector<int> v; for (auto& x : v) { cv::imshow(x); } k<<<1, 2>>>(v); }",
    "int main(int argc, char** argv) {\n  foo(1;\n  if (argc) {\n}\n",
    "int main() { foo() } }",
    "void host() {\n",
    'void host() { char s[] = "never closed; }',
    "void host() { throw std::runtime_error(\"no\"); asm(\"cpuid\"); goto nowhere; }",
    "Status check(Picture p);",
    "BENCHMARK_MAIN();",
    "static int counter = compute();",
    "void host(int n) { float a[n]; a[0] = 1; }",
    "void host() { static_assert(sizeof(int) == 8); }",
    "struct A { static_assert(sizeof(int) == 8); };",
    "void host() {\n#foo\n}",
    # device code that nothing uses
    "__device__ int f() { return missing(); }",
    "__device__ twice(int a) { return a; }",
    "__device__ int f(Unknown u) { return u; }",
    "struct A { Unknown u; int x };",
    "struct A {\n  int y;\n",
    "class A : public Unknown { virtual void f() override; };",
    "typedef Unknown T;",
    "template <class T> __device__ int f(T t) { return missing() + t.x; }",
    "template <class T> struct A { typename T::type x; void f() { missing(); } };",
    "template <class T> __global__ void other(T x) { missing(); }",
    "__device__ Unknown u;",
    "__device__ int a = missing();",
    "int h() { return 1; }\n__device__ int a = h();",
    "__constant__ Unknown u[4];",
    "texture<float, 2> image;",
    # other kernels
    "__global__ void other(int* x) { missing(); }",
    "__global__ void other(int* x) { x[0] = 1 }",
    "__global__ void other(int* x) {\n  if (x[0]) {\n    x[0] = 1;\n}\n",
    "__global__ void other(int* x) { throw 1; asm(\"nonsense\"); }",
    "__global__ void other(std::vector<int> x) {}",
    "__global__ void other(int* x) { long double y = 1; static int z; other<<<1, 1>>>(x); }",
]  # fmt: skip


@pytest.mark.parametrize("text", FINE)
@pytest.mark.parametrize("order", [1, -1])
def test_a_mistake_elsewhere_stops_no_kernel(text: str, order: int) -> None:
    x = np.zeros(2, np.int32)
    kernel = gpusim.RawModule(code="\n".join([text, KERNEL][::order])).get_function("good")
    kernel((1,), (2,), (x,))
    assert x.tolist() == [7, 7]


# what a kernel uses -> the message, and the line it is in
USED = [
    ("__device__ twice(int a) { return a; }", "x[0] = twice(1);", "`twice` has no return type", 1),
    (
        "__device__ twice(int a) { return a; }\n#define F(a) twice(a)",
        "x[0] = F(1);",
        "`twice` has no return",
        1,
    ),
    ("__device__ int f(Unknown u);", "x[0] = f(1);", "unknown type `Unknown`", 1),
    ("__device__ int f() { return missing(); }", "x[0] = f();", "`missing` is not declared", 1),
    ("typedef Unknown T;", "T y = x[1]; x[0] = y;", "unknown type `Unknown`", 1),
    ("namespace a { typedef Unknown T; }", "a::T y = x[1];", "unknown type `Unknown`", 1),
    ("struct A { Unknown u; int y; };", "A a; x[0] = a.y;", "unknown type `Unknown`", 1),
    (
        "struct A { Unknown u; int y; };\nstruct B { A a; };",
        "B b; x[0] = b.a.y;",
        "unknown type `Unknown`",
        1,
    ),
    ("struct A {\n  int y;\n", "A a; x[0] = a.y;", "this `{` is never closed", 1),
    ("__device__ int f(int* x) {\n  if (x[0]) {\n  return 1;\n}\n", "f(x);", "this `{` is never closed", 2),
    ("__device__ int a = missing();", "x[0] = a;", "`missing` is not declared", 1),
    (
        "int h() { return 1; }\n__device__ int a = h();",
        "x[0] = a;",
        "dynamic initialization is not supported",
        2,
    ),
    ("const int N = missing(1);", "x[0] = N;", "`missing` is not declared", 1),
    ("texture<float, 1> t;", "x[0] = tex1Dfetch(t, 1);", "`texture<float, 1>` is not supported", 1),
    ("template <class T> __device__ T f(T t) { return missing(); }", "f(1);", "`missing` is not declared", 1),
]


@pytest.mark.parametrize(("text", "statement", "message", "line"), USED)
def test_a_mistake_in_what_a_kernel_uses_is_told(text: str, statement: str, message: str, line: int) -> None:
    kernel = f"__global__ void k(int* x) {{ {statement} }}\n"
    module = gpusim.RawModule(code="\n".join([text, "", kernel, KERNEL]))
    with pytest.raises(GpuSimError, match=re.escape(message)) as caught:
        module.get_function("k")
    assert caught.value.span.line == line
    module.get_function("good")


MEMBERS = """
__host__ void from(const std::vector<T>& v);
std::vector<T> to() const { return std::vector<T>(p, p + 1); }
void fill(const Unknown& u) { for (auto x : u.all()) p[0] += missing(x); }
S(const std::string& name) : p(nullptr) { std::cout << name; }
std::string name() const;
operator std::string() const { return ""; }
__device__ int other() { return missing(); }
static std::vector<T> all;
friend std::ostream& operator<<(std::ostream& to, const Of& s) { return to << s.p[0]; }
template <class U> void each(std::function<void(U)> f) { f(p[0]); }
""".strip().splitlines()
REST = "int* p; {name}(int* p) : p(p) {{}} {member} __device__ void set(int v) {{ p[0] = v; }}"
HOLDERS = {
    "struct": f"typedef int T; struct S {{{{ {REST.replace('{name}', 'S')} }}}};",
    "template": f"template <class T> struct Of {{{{ {REST.replace('{name}', 'Of')} }}}}; typedef Of<int> S;",
}


@pytest.mark.parametrize(
    ("holder", "member"),
    # of a template, all of whose declarations are instantiated, the types have to be known as names
    [
        (holder, one)
        for holder in HOLDERS
        for one in MEMBERS
        if holder == "struct" or not re.search("Unknown|^op", one)
    ],
)
def test_members_of_a_struct_that_a_kernel_does_not_use_stop_it_not(holder: str, member: str) -> None:
    member = member.replace("S(", "Of(") if holder == "template" else member.replace("Of&", "S&")
    headers = "#include <string>\n#include <vector>\n#include <iostream>\n#include <functional>\n"
    text = headers + HOLDERS[holder].format(member=member)
    text += "__global__ void k(S s) { s.set(7); } __global__ void l(int* x) { S s(x); s.set(8); }"
    x, module = np.zeros(1, np.int32), gpusim.RawModule(code=text)
    module.get_function("k")((1,), (1,), ((x,),))
    assert x[0] == 7
    module.get_function("l")((1,), (1,), (x,))
    assert x[0] == 8


@pytest.mark.parametrize(
    ("member", "use", "message"),
    [
        (
            "std::vector<int> v; __device__ int get() { return p[0]; }",
            "s.get();",
            "`std::vector<int>` is not supported",
        ),
        ("__device__ int other() { return missing(); }", "s.other();", "`missing` is not declared"),
        ("__device__ int f(const std::string& n);", "s.f(1);", "`std::string` is not supported"),
        ("__device__ S(const std::string& n);", "S t(1);", "no matching constructor"),
    ],
)
def test_members_that_a_kernel_uses_do(member: str, use: str, message: str) -> None:
    text = f"struct S {{ int* p; S() = default; {member} }};\n__global__ void k(S s) {{ {use} }}"
    text = "#include <string>\n#include <vector>\n" + text
    with pytest.raises(GpuSimError, match=re.escape(message)):
        gpusim.RawModule(code=text).get_function("k")


def test_a_header_that_is_left_out_is_named_once() -> None:
    module = gpusim.RawModule(code=f'#include "my/lib.h"\n#include <boost/any.hpp>\n{KERNEL}')
    with pytest.warns(MissingHeaderWarning, match=r"^my/lib\.h was not found and is left out") as caught:
        module.get_function("good")
    assert [one.filename for one in caught] == [__file__]
    module.get_function("good")


DOUBTFUL = {
    "int s; for (int i = 0; i < 4; ++i) s += x[i]; x[0] = s;": (
        r"^code:5: variable `s` is uninitialized when used here(?s:.*)\^ give it a first value"
    ),
    "x[0] = sometimes(x[0]);": r"code:1: variable `b` is used uninitialized whenever `if` condition is false",
    "x[0] = missing(1);": r"code:2: non-void function does not return a value in all control paths",
    "x[0] = part(1.0f);": "code:3: variable `c` is uninitialized",
    "__syncthreads;": r"code:5: expression result unused(?s:.*)\^ it does nothing: .* __syncthreads\(\)",
}
DOUBTS = """__device__ int sometimes(int a) { int b; if (a > 3) b = 1; return b; }
__device__ int missing(int a) { if (a > 3) return 1; }
template <class T> __device__ T part(T a) { T c; return a + c; }
__device__ int trapped(int a) { if (a > 3) return 1; __trap(); }
"""


@pytest.mark.parametrize("statement", DOUBTFUL)
def test_what_a_compiler_would_warn_of(statement: str) -> None:
    code = f"{DOUBTS}__global__ void k(int* x) {{ {statement} }}\n{KERNEL}"
    code += "__global__ void fine(int* x) { int s; if (x[0]) s = 1; if (x[0]) x[0] = s; x[1] = trapped(5); }"
    module = gpusim.RawModule(code=code)
    with pytest.warns(CodeWarning, match=DOUBTFUL[statement]) as caught:
        module.get_function("k")
    assert len(caught) == 1
    for name in ("k", "good", "fine"):
        module.get_function(name)


def test_a_name_of_the_kernels_own_is_no_use_of_a_wrong_declaration() -> None:
    wrong = "typedef Unknown T;\nint foo(Unknown u);\n"
    text = f"{wrong}__global__ void k(int* x) {{ int T = 1, foo = 2; x[0] = T + foo; }}"
    x = np.zeros(1, np.int32)
    gpusim.RawModule(code=text).get_function("k")((1,), (1,), (x,))
    assert x[0] == 3


@pytest.mark.parametrize(
    ("template", "name", "message", "hint"),
    [
        (
            "template <class T> __global__ void k(T* x) {}",
            "k<flot>",
            '"k<flot>" names no kernel: use of',
            "k<T>",
        ),
        ("template <class T> __global__ void k(T* x) {}", "k<int, 3>", '"k<int, 3>" names no kernel', "k<T>"),
        ("template <class T, int N> __global__ void k(T* x) {}", "k<int>", '"k<int>" names no', "k<T, N>"),
        ("template <class T> __global__ void k(T* x) {}", "k", "k is a template", "k<T>"),
        (
            "template <class T> __global__ void k(T* x) { missing(); }",
            "k<int>",
            "`missing` is not declared",
            "",
        ),
        ("__global__ void k(int* x) {}", "k<int>", "k is no template", 'its name is "k"'),
    ],
)
def test_names_of_templates(template: str, name: str, message: str, hint: str) -> None:
    with pytest.raises(GpuSimError) as caught:
        gpusim.RawModule(code=f"\n{template}").get_function(name)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span.line == 2


# any text --------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*|\w+|<<<|>>>|\s+|.', re.DOTALL | re.MULTILINE
)
FILES = sorted((Path(__file__).parent / "kernels").glob("*.cu"))
INSIDE = re.compile(r"__own|gpusim_|__cudaPush|/tmp/|clang|lambda at")


@pytest.mark.filterwarnings("ignore::gpusim.cpp.program.CodeWarning")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_whatever_is_changed_in_a_text_its_kernels_compile_or_say_why_not(file: Path) -> None:
    chance = random.Random(file.stem)
    for _ in range(3):
        words = TOKEN.findall(file.read_text())
        one, other = (chance.choice([i for i, word in enumerate(words) if word.strip()]) for _ in range(2))
        match chance.randrange(3):
            case 0:
                words[one] = ""
            case 1:
                words[one] *= 2
            case 2:
                words[one], words[other] = words[other], words[one]
        text = "".join(words)
        module = gpusim.RawModule(code=text)
        error = refusal(module)
        if error is not None:
            assert 1 <= error.span.line <= text.count("\n") + 1
            assert not INSIDE.search(str(error)), str(error)
            assert error.__cause__ is error.__context__ is None


def refusal(module: gpusim.RawModule) -> GpuSimError | None:
    """Why it does not compile, if it does not."""
    try:
        module.compile()
    except GpuSimError as error:
        return error
    return None
