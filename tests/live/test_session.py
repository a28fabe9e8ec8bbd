"""Cells of a live page: what each gives, and what is said where it cannot run."""

from __future__ import annotations

import sys

import numpy as np
import pytest


def kinds(outputs):
    return [(each.kind, each.text) for each in outputs]


LIBRARY = """from gpusim import cuda
@cuda.jit(device=True)
def put(x, at):
    x[at] = 1
"""


def test_where_a_kernel_calls_a_library_wrongly_its_own_line_comes_first(session, tmp_path, monkeypatch):
    (tmp_path / "library_of_puts.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    kernel = "@cuda.jit\ndef fill(x):\n    put(x, 9)\n\nfill[1, 1](np.zeros(3))"
    session.run(1, "import numpy as np\nfrom gpusim import cuda\nfrom library_of_puts import put")
    (error,) = session.run(2, kernel)
    assert error.at == (2, 3, True)
    assert error.text.startswith("line 3 of In[2]: OutOfBounds: library_of_puts.py:4: ")


def test_names_stay_prints_come_first_and_the_last_expression_is_shown(session):
    assert session.run(0, "x = 20\n%load_ext gpusim\nprint('set')") == session.run(
        0, "x = 20\n\nprint('set')"
    )
    assert kinds(session.run(1, "print('now'); x + 1")) == [("stream", "now\n"), ("shown", "21")]
    assert kinds(session.run(2, "x + 1;")) == []
    assert kinds(session.run(3, "display(1)\nNone")) == [("shown", "1")]


def test_the_first_launch_is_made_before_a_cell_and_leaves_no_name(session):
    before = {*session.names}
    assert session.warm_up() == []
    assert "gpusim.machine.batch" in sys.modules
    assert {*session.names} == before


def test_a_kernel_finds_its_text_and_a_changed_one_counts_anew(session):
    session.run(0, "import gpusim, numpy as np\nfrom gpusim import cuda\nout = np.zeros(64, np.int32)")
    kernel = "@cuda.jit\ndef put(out):\n    out[{} * cuda.grid(1)] = 1"
    counted = "with gpusim.profile() as run:\n    put[1, 32](out)\nrun.sectors_per_request"
    shown = []
    for stride in (1, 2):
        session.run(1, kernel.format(stride))
        shown += kinds(session.run(2, counted))
    assert shown == [("shown", "4.0"), ("shown", "8.0")]


def test_a_view_comes_as_html_and_an_error_with_its_line(session):
    session.run(
        0,
        "import gpusim, numpy as np\nfrom gpusim import cuda\n\n"
        "@cuda.jit\ndef put(out):\n    out[cuda.grid(1)] = 1",
    )
    (stray,) = session.run(1, "x = 1\nput[1, 32](np.zeros(4))")
    assert stray.kind == "failed"
    assert stray.text.startswith("line 2 of In[1]: OutOfBounds: In[0]:6: ")
    assert "In[0]:6" in stray.text  # where in the kernel
    (wrong,) = session.run(2, "x = (1")
    assert wrong.text.splitlines()[1:] == ["    x = (1", "        ^", "SyntaxError: '(' was never closed"]
    session.run(3, "def half(n):\n    return 1 / n")
    (within,) = session.run(4, "half(0)")
    assert within.text == "line 2 of In[3]: ZeroDivisionError: division by zero"
    assert [each.at for each in (stray, wrong, within)] == [(0, 6, True), (2, 1, False), (3, 2, False)]


ASKS = """import gpusim
gpusim.predict("How many warps?", {}, wrong={{4: "More.", "else": "Count."}})"""


def test_a_question_is_asked_though_a_readers_kernel_answers_what_was_wrong(session):
    for right in (7, 4):
        (asked,) = session.run(0, ASKS.format(right))
        assert asked.kind == "shown", asked.text
    with pytest.raises(ValueError, match="it is right"):
        exec(ASKS.format(4))  # where the book is built


def test_a_quiet_last_line_is_run_and_not_shown(session):
    assert session.run(1, "noted = []\nnoted.append(7);") == []
    assert kinds(session.run(2, "noted")) == [("shown", "[7]")]
    (failed,) = session.run(3, "1 / 0;")
    assert failed.kind == "failed"


@pytest.mark.parametrize("checks", [False, True])
def test_a_device_that_a_cell_chooses_lasts(session, checks):
    session.run(1, "import gpusim\nbefore = gpusim.use('MetaX C500', schedule=3);", checks=checks)
    shown = session.run(2, "gpusim.use()", checks=checks)
    assert "device='MetaX C500'" in shown[0].text
    assert "schedule=3" in shown[0].text
    session.run(3, "gpusim.use.defaults();", checks=checks)
    (shown,) = session.run(4, "gpusim.use()", checks=checks)
    assert "device='H200'" in shown.text
    assert "schedule='friendly'" in shown.text


def test_what_a_page_claims_of_its_own_kernels_is_not_asked_of_a_readers(session):
    claim = "found = 7\nassert found == 8\nfound"
    assert kinds(session.run(1, claim)) == [("failed", "line 2 of In[1]: AssertionError")]
    assert kinds(session.run(1, claim, claims=False)) == [("shown", "7")]


ABSENT = "from stand_ins import Missing\ny = 7\nMissing('plots.plot')()\nx = 5\nz = y = 8\nimport sys"


def test_a_cell_that_stops_at_a_plot_is_named_where_its_later_names_lack_and_nothing_older_stands_in(session):
    texts = {"1": "import sys\nx = 5\nz = 6", "2": "print(z)"}

    def run(number):
        due = session.plan(texts, number, number)["due"]
        return [(each, *kinds(session.run(each, texts[str(each)]))) for each in due]

    assert run(2) == [(1,), (2, ("stream", "6\n"))]
    texts["1"] = ABSENT
    ((_, (kind, _)), lacks) = run(2)
    assert (kind, {"x", "y", "z", "sys"} & session.names.keys()) == ("elsewhere", {"y", "sys"})
    said = "line 1 of In[2]: NameError: name 'z' is not defined. In[1] gives it, and stopped before that."
    assert lacks == (2, ("failed", said))
    assert [each for each, *_ in run(2)] == [1, 2]  # what did not come to its end runs again
    texts["1"], texts["2"] = ABSENT.partition("x = 5")[0], "print(y)"
    assert [each for each, *_ in run(2)] == [1, 2]
    assert [each for each, *_ in run(2)] == [2]  # unless it would give no more
    assert kinds(session.run(3, "z"))[0][1].endswith("name 'z' is not defined")


OF_THE_COURSE = """import sys, types
course = types.ModuleType("course.kernels")
exec("def right(found):\\n    assert found == 8, found", vars(course))
course.right(7)"""


def test_what_a_module_of_the_course_claims_leaves_the_page_s_cell_as_it_was(session):
    """In a cell of the reader's it is an error, which says whose."""
    course = "The course checks here what its own kernels give, and this one gives something else"
    assert kinds(session.run(1, OF_THE_COURSE, claims=False)) == [
        ("elsewhere", f"{course}: what stands here stays as it was.")
    ]
    assert kinds(session.run(1, OF_THE_COURSE)) == [
        ("failed", f"line 4 of In[1]: AssertionError: 7. {course}.")
    ]
    own = "def right(found):\n    assert found == 8"
    session.run(1, own)
    assert kinds(session.run(2, "right(7)", claims=False)) == [("failed", "line 2 of In[1]: AssertionError")]


def test_a_page_has_room_for_the_beginning_of_what_is_endless(session):
    (printed,) = session.run(0, "for _ in range(10):\n    print('a' * 20_000)")
    assert printed.text.startswith("a" * 20_000 + "\n" + "a" * 20_000 + "\n" + "a" * 9_998 + "\n…")
    assert printed.text.endswith("… and 150,010 characters more")
    (shown,) = session.run(1, "'b' * 60_000")
    assert shown.text.endswith("bb\n… and 10,002 characters more")  # with its quotes
    assert kinds(session.run(2, "print('short')")) == [("stream", "short\n")]


def test_an_error_and_html_that_are_endless_and_many_outputs_are_cut_with_a_word_on_it(session):
    (failed,) = session.run(0, "raise ValueError('e' * 20_000_000)")
    assert failed.text.startswith("line 1 of In[0]: ValueError: eee")
    assert failed.text.endswith("ee\n… and 19,950,029 characters more")
    (html,) = session.run(1, "from IPython.display import HTML\nHTML('<p>' + 'h' * 5_000_000)")
    assert (html.html, html.text) == (
        "",
        "5,000,003 characters of HTML, and the cell has room for 5,000,000: show less",
    )
    large = session.run(1, "for _ in range(3):\n    display(HTML('h' * 2_000_000))\n'b' * 60_000")
    assert [len(each.html) for each in large] == [2_000_000, 2_000_000, 0, 0]
    assert large[2].text.startswith("2,000,000 characters of HTML, and the cell has room for 1,000,000")
    many = session.run(1, "for _ in range(150):\n    display('t' * 49_998)")
    assert sum(len(each.text) for each in many) < 5_010_000  # what is cut says so
    assert many[-1].text == "\n… and 50,000 characters more"
    many = session.run(2, "for each in range(60_000):\n    display(each)\n1 / 0")
    assert kinds(many[:2]) == [("shown", "0"), ("shown", "1")]
    assert kinds(many[-3:]) == [
        ("shown", "199"),
        ("stream", "… and more outputs: 59,800"),
        ("failed", "line 3 of In[2]: ZeroDivisionError: division by zero"),
    ]
    assert kinds(session.run(3, "display(*range(201))")[-1:]) == [("stream", "… and more outputs: 1")]


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("_repr_html_", "5", "Odd._repr_html_() gives int, and should give text"),
        ("_repr_svg_", "b'<svg/>'", "Odd._repr_svg_() gives bytes"),
        ("_repr_mimebundle_", "{'text/plain': b'odd'}", "text/plain of Odd._repr_mimebundle_() gives bytes"),
        ("_repr_mimebundle_", "{'text/html': 5}", "text/html of Odd._repr_mimebundle_() gives int"),
        ("_repr_mimebundle_", "5", "Odd._repr_mimebundle_() gives int, and should give a dict"),
    ],
)
def test_a_value_that_shows_itself_as_no_text_is_an_error_of_the_cell(session, method, given, said):
    (failed,) = session.run(0, f"class Odd:\n    def {method}(self):\n        return {given}\nOdd()")
    assert failed.kind == "failed"
    assert failed.text.startswith("TypeError: ")
    assert said in failed.text


def test_a_cell_that_closes_its_output_or_makes_an_odd_syntax_error_ends_nothing(session):
    closed = session.run(0, "import sys\nprint('a')\nsys.stdout.close()\nprint('b')\n1")
    assert kinds(closed) == [("stream", "a\nb\n"), ("shown", "1")]
    (odd,) = session.run(1, "error = SyntaxError('odd')\nerror.lineno, error.text = 'one', 5\nraise error")
    assert (odd.kind, odd.at) == ("failed", (1, 3, False))
    assert "SyntaxError" in odd.text


def test_a_plain_function_that_is_launched_is_told_what_it_lacks(session):
    (said,) = session.run(0, "def put(out):\n    pass\nput[1, 32](0)")
    assert said.text == (
        "line 3 of In[0]: TypeError: 'function' object is not subscriptable. "
        "A kernel has @cuda.jit above its def."
    )


def test_a_question_to_the_reader_says_where_the_answer_goes(session):
    printed, said = session.run(0, "print('Before')\nn = int(input('How many? '))")
    assert (printed.kind, printed.text) == ("stream", "Before\n")
    assert said.kind == "failed"  # of "elsewhere" the page would keep the published output
    assert said.text.startswith("line 2 of In[0]: EOFError: input() has nobody to ask here")
    assert "write the value into the cell" in said.text


def test_a_semicolon_in_a_comment_or_a_text_hides_nothing(session):
    assert kinds(session.run(0, "1 + 1  # shown;")) == [("shown", "2")]
    assert kinds(session.run(1, "1 + 1;  # hidden")) == []
    assert kinds(session.run(2, "'shown;'")) == [("shown", "'shown;'")]


WITH_PERCENT = """x = '''50 of 100:
%d
'''
%load_ext gpusim
y = (7
% 4)
z = 8 \\
% 5
x, y, z"""


def test_a_percent_sign_is_a_magic_only_where_a_statement_begins(session):
    assert kinds(session.run(0, WITH_PERCENT)) == [("shown", repr(("50 of 100:\n%d\n", 3, 3)))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "%timeit x + 1\nx",
            "line 1, `%timeit x + 1`, was left out: this page has no commands of IPython.\n",
        ),
        ("\n%%time\nx", "line 2, `%%time`, was left out: this page has no commands of IPython.\n"),
        ("%load_ext gpusim\n%matplotlib inline\nx", ""),
    ],
)
def test_a_command_of_ipython_that_is_left_out_is_named(session, text, said):
    session.run(0, "x = 8")
    assert kinds(session.run(1, text)) == [("stream", said)] * bool(said) + [("shown", "8")]


SHY = """import stand_ins

class Shy(Exception):
    def __str__(self):
        raise ValueError("not told")

class ShyAndAbsent(Shy, stand_ins.NotHere):
    pass
"""


def test_an_error_that_cannot_say_what_it_is_is_told_all_the_same(session):
    session.run(0, SHY)
    (said,) = session.run(1, "raise Shy")
    assert (said.kind, said.text) == (
        "failed",
        "line 1 of In[1]: Shy: its message cannot be made, that is ValueError",
    )
    assert [each.kind for each in session.run(2, "raise ShyAndAbsent")] == ["elsewhere"]


PLAIN = """class Plain:
    def _repr_mimebundle_(self):
        return {}
    def __repr__(self):
        return 'plain'
Plain()"""


def test_a_class_and_a_value_without_a_bundle_are_shown_by_their_text(session):
    session.run(0, "class Table:\n    def _repr_html_(self):\n        return '<table>'")
    assert kinds(session.run(1, "display(Table)")) == [("shown", "<class '__main__.Table'>")]
    assert [each.html for each in session.run(2, "Table()")] == ["<table>"]
    for given in ("None", "(None, {})"):
        assert kinds(session.run(3, PLAIN.replace("{}", given))) == [("shown", "plain")]


@pytest.mark.parametrize("mock", ["Mock", "MagicMock"])
def test_a_stand_in_that_has_every_name_is_shown_by_its_text(session, mock):
    ((kind, text),) = kinds(session.run(0, f"from unittest.mock import {mock}\n{mock}(name='it')"))
    assert (kind, text.startswith(f"<{mock} name='it'")) == ("shown", True)


def test_cuda_cpp_is_not_run_and_says_where_it_is(session):
    for blank in ("", "\n", " \n\n"):
        (said,) = session.run(0, f"{blank}%%cuda\n__global__ void nothing() {{}}")
        assert (said.kind, "JupyterLab" in said.text) == ("elsewhere", True)


def test_what_draws_plots_is_imported_and_says_at_its_first_use_that_it_is_absent(session, monkeypatch):
    import stand_ins

    absent = stand_ins.Finder(["matplotlib"], stand_ins.Absent)
    monkeypatch.setattr(sys, "meta_path", [absent, *sys.meta_path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    assert session.run(0, "import matplotlib.pyplot as plt\nfrom matplotlib.patches import Rectangle") == []
    (said,) = session.run(1, "figure, axes = plt.subplots()")
    assert (said.kind, said.text) == (
        "elsewhere",
        "This cell draws with matplotlib, which is not here: its picture stays as it was.",
    )
    for use in ("plt.rcParams['font.size'] = 7", "plt.rcParams['font.size']", "[*plt.cm]"):
        assert kinds(session.run(2, use)) == [("elsewhere", said.text)], use
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name, raising=False)


STOOD_IN = ("IPython", "IPython.core", "IPython.core.getipython", "IPython.core.interactiveshell")


@pytest.mark.parametrize("installed", [True, False])
def test_controls_are_there_whether_plots_are_installed_or_not(session, monkeypatch, installed):
    import stand_ins

    for name in (*STOOD_IN, "IPython.display"):
        monkeypatch.setitem(sys.modules, name, None)  # put back after the test
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path] if installed else [])
    stand_ins.install(session.display)

    def stands_in(name):
        specs = (finder.find_spec(name, None) for finder in sys.meta_path)
        return isinstance(next(filter(None, specs)).loader, stand_ins.Finder)

    assert stands_in("ipywidgets")
    assert stands_in("gpusim.views.widgets")
    assert stands_in("matplotlib") is not installed


def test_an_array_is_shown_as_text(session):
    session.names["x"] = np.arange(3)
    assert kinds(session.run(0, "x")) == [("shown", "array([0, 1, 2])")]
