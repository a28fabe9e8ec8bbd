"""Are the puzzles of the pages puzzles? The first kernel does not solve them, and the solution does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig

import gpusim
from course.puzzles import WIDGET, Puzzle, Reply
from course.puzzles.goals import Goal, each_its_own
from gpusim import cuda
from gpusim.machine.batch import Batch
from tests.live.avoidances import AVOIDANCES
from tests.live.shortcuts import SHORTCUTS

BOOK = Path(__file__).resolve().parents[2] / "book"
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in sorted(BOOK.glob("*.md"))}
PARTS = ["puzzle-setup", "puzzle", "puzzle-check", "puzzle-answer"]


@cache
def puzzles(chapter: str) -> list[dict[str, Any]]:
    """The cells of each puzzle of a page, by what they are there for."""
    cells = read_myst_markdown_notebook(TEXTS[chapter], MdParserConfig()).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    tags = [[tag for tag in cell.metadata.get("tags", []) if tag in PARTS] for cell in code]
    starts = [at for at, found in enumerate(tags) if found == PARTS[:1]]
    found = [
        {tag: cell.source for (tag,), cell in zip(tags[at : at + 4], code[at : at + 4], strict=True)}
        for at in starts
    ]
    assert sum(map(len, tags)) == 4 * len(found), f"{chapter}: a puzzle is four cells in a row, {PARTS}"
    return found


PLACES = [(page, place) for page, text in TEXTS.items() for place in range(text.count("puzzle-setup"))]
CHAPTERS = list(dict.fromkeys(page for page, _place in PLACES))


@pytest.fixture
def steps(monkeypatch):
    """The basic blocks that were run, each by some warps: what a puzzle costs, on every computer."""
    run, found = Batch._execute, []
    monkeypatch.setattr(
        Batch, "_execute", lambda batch, *args, **named: found.append(0) or run(batch, *args, **named)
    )
    return found


@pytest.mark.parametrize(("chapter", "place"), PLACES)
def test_the_first_kernel_does_not_solve_it_and_the_solution_does(session, chapter, place, steps):
    puzzle = puzzles(chapter)[place]
    check = puzzle["puzzle-check"]
    for number, part in enumerate(("puzzle-setup", "puzzle")):
        assert session.run(number, puzzle[part]) == []
    first = eval(check, session.names)
    assert not first.solved, puzzle["puzzle"]
    assert len(first.sentence.split()) > 5
    assert puzzle["puzzle-answer"].splitlines()[-1] == check
    session.run(3, puzzle["puzzle-answer"])
    steps.clear()
    assert (solved := eval(check, session.names)).solved, solved
    assert len(steps) <= 800, "a reader waits a second, and in a browser some milliseconds for each step"


@pytest.mark.parametrize(("chapter", "place"), PLACES)
def test_a_task_names_its_larger_targets(session, chapter, place):
    """Small ones it may have as words: "six times", "halve"."""
    session.run(0, puzzles(chapter)[place]["puzzle-setup"])
    judge = session.names[puzzles(chapter)[place]["puzzle-check"].partition("(")[0]]
    above = TEXTS[chapter].split("puzzle-setup")[place].rpartition("```{code-cell}")[0]
    task = above.rstrip().rpartition("\n\n")[2]
    bounds = {bound for goal in judge.goals for bound in (goal.at_most, goal.at_least) if not goal.granted}
    assert [f"{each:,}" for each in bounds if 20 <= each < np.inf and f"{each:,}" not in task] == []


WITHOUT_INPUT = {
    "question_and_answer",
    "certain_notes",
    "fewest_bytes",
}  # the kernel, or order, is all there is


@pytest.mark.parametrize(("chapter", "place"), PLACES)
def test_a_result_that_is_written_down_is_wrong_for_other_numbers(session, chapter, place):
    puzzle = puzzles(chapter)[place]
    session.run(0, puzzle["puzzle-setup"])
    name = puzzle["puzzle-check"].partition("(")[0]
    judge = session.names[name]
    assert (len(judge.inputs) == 1) == (name in WITHOUT_INPUT)
    with gpusim.use(**judge.cases[0]):
        rights = [judge.right(*given) for given in judge.inputs if given]
    assert not rights or not np.array_equal(*rights)


@pytest.mark.parametrize(
    "avoidance", AVOIDANCES + SHORTCUTS, ids=lambda each: f"{each.page}-{each.place}-{each.said[:20]}"
)
def test_who_leaves_out_what_is_asked_is_told_so(session, avoidance):
    puzzle = puzzles(avoidance.page)[avoidance.place]
    check = puzzle["puzzle-check"]
    for number, text in enumerate((puzzle["puzzle-setup"], puzzle["puzzle"])):
        session.run(number, text)
    eval(check, session.names)
    assert session.run(1, avoidance.text) == []
    reply = eval(check, session.names)
    assert not reply.solved
    assert avoidance.said in reply.sentence


LANES = np.arange(64)


@cuda.jit
def copied(x, out):
    i = cuda.threadIdx.x
    out[i] = x[i]


@cuda.jit
def raced(x, out):
    i = cuda.threadIdx.x
    out[i] = x[i]
    out[0] = 0


@cuda.jit
def stored_twice(x, out):
    i = cuda.threadIdx.x
    out[i] = 0
    out[i] = x[i]


@cuda.jit
def shifted(x, out):
    i = cuda.threadIdx.x
    out[i] = x[i + 1]


@cuda.jit
def in_lanes(out):
    out[cuda.threadIdx.x] = cuda.laneid


@cuda.jit
def of_32(out):
    out[cuda.threadIdx.x] = cuda.threadIdx.x % 32


CASES = {"device": "H200"}, {"device": "MetaX C500"}


def lane_of(kernel: Any) -> Any:
    out = np.zeros(64, np.int64)
    kernel[1, 64](out)
    return out


def launch(kernel: Any) -> Any:
    out = np.zeros(64, np.int64)
    kernel[1, 64](LANES, out)
    return out


def launch_on(kernel: Any, x: Any) -> Any:
    out = np.zeros(x.size, np.int64)
    kernel[1, x.size](x, out)
    return out


def test_a_result_that_is_wrong_is_said_with_its_place():
    reply = Puzzle(launch, LANES + 1, hint="Add 1.")(copied)
    assert not reply.solved
    assert reply.sentence == "Element 0 is 0, and should be 1; 64 of 64 are wrong. Add 1."
    assert "shape (64,), and should have (2,)" in Puzzle(launch, [0, 1])(copied).sentence


def test_an_error_is_said_with_its_line():
    reply = Puzzle(launch, LANES, [Goal("loads", "global_load_requests", at_most=2)])(shifted)
    assert "OutOfBounds" in reply.sentence
    assert "out[i] = x[i + 1]" in reply.sentence
    assert list(reply.rows) == [("loads", "–", "–", "at most 2")]
    assert "<pre>" in reply._repr_html_()


@cuda.jit
def spoiling(x, out):
    x[cuda.threadIdx.x] = 9


def test_a_kernel_that_writes_into_its_input_spoils_no_later_try():
    numbers = np.arange(64)
    puzzle = Puzzle(launch_on, numbers.copy(), inputs=[(numbers,)])
    assert not puzzle(spoiling).solved
    assert puzzle(copied).solved


@cuda.jit
def by_its_place(x, out):
    out[cuda.threadIdx.x] = cuda.threadIdx.x


def test_other_numbers_count_and_a_row_has_its_hint():
    others = Puzzle(launch_on, lambda x: x, inputs=[(LANES,), (LANES[::-1],)])
    assert others(copied).solved
    assert others(by_its_place).sentence == (
        "Element 0 is 0 for other numbers than the page's, and should be 63; 64 of 64 are wrong. "
        "For the page's it is right: work it out from what the kernel is given."
    )
    rows = Puzzle(lambda kernel: launch(kernel).reshape(2, 32), np.zeros((2, 32)), hint=("Above.", "Below."))
    assert rows(copied).sentence.endswith("Above.")


def test_who_is_wrong_again_gets_another_hint():
    puzzle = Puzzle(launch, LANES + 1, hint="Add 1.", again="Each thread adds.")
    ends = [puzzle(kernel).sentence for kernel in (copied, shifted, by_its_place, shifted)]
    assert [sentence.partition("\n")[0].endswith("Each thread adds.") for sentence in ends] == [
        False,
        False,
        True,
        True,
    ]
    assert "wrong. Add 1. Each thread adds." in ends[2]
    assert "\n" in ends[3]  # the error, with its place


@cuda.jit
def by_floats(x, out):
    s = cuda.shared.array(64, np.float32)
    s[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    out[cuda.threadIdx.x] = s[cuda.threadIdx.x]


def test_numbers_that_are_off_by_a_rounding_are_told_so():
    large = (1 << 30) + 3 * LANES
    assert "a float32 holds 24 bits" in Puzzle(launch_on, lambda x: x, inputs=[(large,)])(by_floats).sentence
    assert Puzzle(launch_on, lambda x: x, inputs=[(LANES,)])(by_floats).solved
    assert "float32" not in Puzzle(launch_on, lambda x: x + 1, inputs=[(LANES,)])(by_floats).sentence


@cuda.jit
def half_wait(x, out):
    i = cuda.threadIdx.x
    out[i] = x[i]
    if i < 32:
        cuda.syncthreads()
    out[63 - i] = x[63 - i]


def test_a_barrier_in_a_branch_is_named():
    said = Puzzle(launch, LANES)(half_wait).sentence
    line = half_wait.py_func.__code__.co_firstlineno + 5
    assert f"Not all threads reach the barrier in line {line}" in said


def test_what_stands_between_backticks_is_code():
    assert "<p>Not yet. This cell must define <code>f&lt;g</code>.</p>" in (
        Reply(False, "This cell must define `f<g`.")._repr_html_()
    )


def test_what_the_first_kernel_keeps_to_is_said_only_where_it_is_broken():
    puzzle = Puzzle(launch, LANES, [each_its_own(1, "One is enough.")])
    assert repr(puzzle(copied)) == "Solved. The result is right."
    late = puzzle(stored_twice)
    assert (
        late.sentence
        == "The result is right: 2 stores by one thread, and at most 1 are asked. One is enough."
    )
    assert late.rows == []


def test_a_goal_out_of_reach_and_the_first_kernel_beside_it():
    puzzle = Puzzle(
        launch, LANES, [Goal("stores", "global_store_requests", at_most=2, hint="One is enough.")]
    )
    cases = [
        (stored_twice, "Not yet. The result is right: 4 stores, and at most 2 are asked. One is enough."),
        (copied, "Solved. The result is right, with 2 stores; the first kernel had 4."),
    ]
    for kernel, said in cases:
        assert repr(puzzle(kernel)).splitlines()[0] == said
    assert puzzle(copied).rows == [("stores", "4", "2", "at most 2")]
    exactly = Goal("stores", lambda run: run.counters()["global_store_requests"], at_least=2, at_most=2)
    assert exactly.asked == "2"
    assert Puzzle(launch, LANES, [exactly])(copied).solved


def test_a_kernel_with_nothing_to_draw_gets_a_reply_all_the_same():
    puzzle = Puzzle(launch, LANES, picture=lambda run: gpusim.views.bank_view(run))
    reply = puzzle(copied)
    assert reply.solved
    assert reply.picture is None


def test_in_a_notebook_the_picture_of_a_reply_is_a_widget():
    reply = Puzzle(launch, LANES, picture=lambda run: gpusim.views.sector_view(run.sector_report()))(copied)
    assert [*reply._repr_mimebundle_()] == [WIDGET]
    assert Reply(solved=False, sentence="")._repr_mimebundle_() == {}


@cuda.jit
def by_hundreds(x, out):
    i = cuda.threadIdx.x
    for _ in range(x.size // 100):
        out[i] = x[i]


def test_a_limit_holds_in_each_case_and_for_other_numbers_but_not_under_a_schedule():
    def wide(run: Any) -> float:
        return 64 // run.kernels[0].device.warp_size

    puzzle = Puzzle(launch, LANES, [Goal("warps", wide, at_least=2, hint="Why?")], cases=CASES)
    assert (
        puzzle(copied).sentence == "The result is right: 1 warps (MetaX C500), and at least 2 are asked. Why?"
    )
    stores = Goal("stores", "global_store_requests", at_most=4)
    sizes = Puzzle(launch_on, lambda x: x, [stores], inputs=[(np.arange(100),), (np.arange(300),)])
    said = sizes(by_hundreds).sentence
    assert (
        said == "The result is right: 30 stores for other numbers than the page's, and at most 4 are asked."
    )
    drawn = {"device": "H200"}, {"device": "H200", "schedule": 1}
    barriers = Goal("barriers", "barriers", at_most=2)
    assert Puzzle(launch, LANES, [barriers], cases=drawn)(waits_once).solved


@cuda.jit
def waits_once(x, out):
    cuda.syncthreads()
    out[cuda.threadIdx.x] = x[cuda.threadIdx.x]


def test_every_case_counts_and_a_race_too():
    lanes = Puzzle(lane_of, lambda: LANES % gpusim.cuda.get_current_device().WARP_SIZE, cases=CASES)
    assert repr(lanes(in_lanes)) == "Solved. The result is right (H200; MetaX C500)."
    lanes.cases = 2 * CASES
    assert repr(lanes(in_lanes)) == "Solved. The result is right in all 4 cases."
    assert "Element 32 is 0 (MetaX C500), and should be 32" in lanes(of_32).sentence
    racy = Puzzle(launch, LANES)
    said = racy(raced).sentence
    assert said.startswith("There is a race. ")
    assert "The result is right in this order.\n" in said
    assert racy(copied).solved


DOUBLED = """@cuda.jit
def {}(x, out):
    out[cuda.threadIdx.x] = x[cuda.threadIdx.x]
"""


@pytest.mark.parametrize(
    "text",
    [
        DOUBLED.format("doubled2"),
        "\n".join(f"# {line}" for line in DOUBLED.format("doubled").splitlines()),
        f"text = {DOUBLED.format('doubled')!r}",
        "x = 1",
    ],
)
def test_a_kernel_that_its_cell_does_not_define_any_more_is_not_judged(session, text):
    session.run(0, "from gpusim import cuda")
    assert session.run(1, DOUBLED.format("doubled")) == []
    puzzle = Puzzle(launch, LANES)
    assert puzzle(session.names["doubled"]).solved
    assert session.run(1, text) == []
    assert puzzle(session.names["doubled"]).sentence == "This cell must define `doubled`."


def test_a_function_that_is_no_kernel_is_told_what_it_lacks():
    puzzle = Puzzle(launch, LANES)
    assert puzzle(copied.py_func).sentence == "`copied` is a plain function: write @cuda.jit above it."
    assert puzzle(5).sentence == "A kernel is asked for, and 5 is none."


@cuda.jit
def child_reads(x, out):
    out[cuda.threadIdx.x] = x[cuda.threadIdx.x]


@cuda.jit
def launches_early(x, out):
    x[cuda.threadIdx.x] += 1
    if cuda.threadIdx.x == 0:
        child_reads[1, 64](x, out)


def launch_and_hand_on(kernel: Any) -> Any:
    out = np.zeros(64, np.int64)
    kernel[1, 64](LANES.copy(), out)
    return out


def test_a_picture_of_what_racecheck_followed():
    puzzle = Puzzle(
        launch_and_hand_on,
        LANES + 1,
        seen=lambda report: gpusim.views.visibility_view(report, title="Who sees what?"),
    )
    reply = puzzle(launches_early)
    assert reply.sentence.startswith("There is a race.")
    assert "The result is right in this order." in reply.sentence
    assert "Who sees what?" in reply._repr_html_()
    assert puzzle(shifted).picture is None  # it does not come to its end


def test_what_a_reader_changes_need_not_be_a_kernel():
    longest = Goal("letters at most", lambda words: max(map(len, words)), at_most=3)
    puzzle = Puzzle(lambda text: len(text), 7, [longest], called="text", told_of=str.split)
    assert not puzzle("ab cdef").solved
    reply = puzzle("abc def")
    assert reply.sentence == "The result is right, with 3 letters at most; the first text had 4."
    assert "this text" in reply._repr_html_()
