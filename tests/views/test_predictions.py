"""A question before a run: which kind it is, what is right, what is said to typical wrong answers."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.reports.prediction import Asked, Reply
from gpusim.views import predictions, text
from tests.views import handmade

EVERY = handmade.predictions()


def asked(*given, **more) -> Asked:
    (only,) = predictions.report("How many?", *given, **more).asked
    return only


@pytest.mark.parametrize(
    ("answer", "unit", "said"),
    [
        (7, "warps", "7 warps"),
        (np.int64(1), "warps", "1 warp"),
        (1, "%", "1 %"),
        (1, "addresses", "1 address"),
        (1, "cases", "1 case"),
        (2133.0, "cycles", "2,133 cycles"),
        (np.float64(200 / 7), "lanes", "28.57 lanes"),
        (0, "conflicts", "0 conflicts"),
    ],
)
def test_a_number_is_said_with_its_unit(answer, unit, said):
    assert predictions.report("How many?", answer, unit=unit).solution == said


def test_whole_numbers_are_exact_and_fractions_may_be_rounded():
    assert asked(7).tolerance == 0
    assert asked(200.0).tolerance == 0
    assert asked(28.5).tolerance == pytest.approx(0.285)
    assert asked(28.5, tolerance=2).tolerance == 2


def test_replies_are_for_one_answer_or_several():
    wrong = {6: "a", (8, 9.5): "b", range(30, 33): "c", ("more", 1): "d", "else": "e"}
    assert asked(7, wrong=wrong).wrong == (
        Reply((6,), "a"),
        Reply((8, 9.5), "b"),
        Reply((30, 31, 32), "c"),
        Reply(("more", 1), "d"),
        Reply(("else",), "e"),
    )


def test_several_numbers_have_replies_of_their_own():
    report = predictions.report("What?", {"warps": 7, "lanes": 8}, wrong={"lanes": {32: "All?"}})
    assert [(each.label, each.answer, len(each.wrong)) for each in report.asked] == [
        ("warps", 7, 0),
        ("lanes", 8, 1),
    ]
    assert report.solution == "warps: 7; lanes: 8"


ON = [0, 1, 2, 5]


@pytest.mark.parametrize(
    "given",
    [ON, tuple(ON), {*ON}, np.array(ON), 0b100111, "27", "0x00000027", np.isin(np.arange(32), ON)],
    ids=lambda given: type(given).__name__,
)
def test_lanes_are_given_in_any_form(given):
    report = predictions.report("Which lanes?", given, lanes=32)
    assert report.asked[0].answer == "00000027"
    assert report.solution == "lanes 0–2, 5"


def test_a_mask_is_said_in_hexadecimal_and_wrong_ones_are_too():
    report = predictions.report(
        "Which mask?", ON, lanes=8, mask=True, wrong={"e4": "a", (0, 1): "b", "less": "c"}
    )
    assert report.solution == "0x27"
    assert [reply.answers for reply in report.asked[0].wrong] == [("e4",), ("03",), ("less",)]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"answer": "seven"}, "answered by a number, not by 'seven'"),
        ({"answer": "c", "choices": "ab"}, "'c' is none of the choices: 'a', 'b'"),
        ({"answer": "a", "choices": "ab", "wrong": {"d": ""}}, "'d' is none of the choices"),
        ({"answer": [8], "lanes": 8}, "a mask of 8 lanes has no lane for"),
        ({"answer": [1], "lanes": 6}, "a multiple of 4, not 6"),
        ({"answer": {"warps": 7}, "wrong": {"wraps": {}}}, "replies to 'wraps', but asked are 'warps'"),
        ({"answer": 7, "wrong": {7: "Six."}}, "7 has a reply for wrong answers, but it is right"),
        ({"answer": 7.01, "wrong": {7: "Rounded."}}, "it is right"),
        ({"answer": [0], "lanes": 8, "wrong": {1: "Backwards."}}, "'01' has a reply"),
        ({"answer": 7, "id": "a b"}, "an id of letters, digits and hyphens, not 'a b'"),
    ],
)
def test_what_nobody_could_answer_is_refused(given, error):
    with pytest.raises(ValueError, match=error):
        predictions.report("How many?", **given)


def test_a_readers_kernel_may_answer_what_was_thought_to_be_wrong():
    with predictions.of_readers():
        wrong = {4: "a", (5, 8): "b", "else": "c"}
        assert asked(4, wrong=wrong).wrong == (Reply((5, 8), "b"), Reply(("else",), "c"))
        assert asked(8, wrong=wrong).wrong == (Reply((4,), "a"), Reply((5,), "b"), Reply(("else",), "c"))
        report = predictions.report("Which?", "both", choices=["one", "other"], wrong={"one": "No."})
        assert (report.choices, report.solution) == (("one", "other", "both"), "both")
    with pytest.raises(ValueError, match="4 has a reply"):
        asked(4, wrong=wrong)


def test_it_is_remembered_by_the_first_words_of_the_question():
    question = "`i % 2`: How many of the 32 lanes run line 8, and when?"
    assert predictions.report(question, 1).id == "i-2-how-many-of-the-32-lanes"
    assert predictions.report(question, 1, id="even").id == "even"
    with pytest.raises(ValueError, match="needs an id"):
        predictions.report("多少?", 1)


@pytest.mark.parametrize("report", EVERY, ids=lambda report: report.id)
def test_no_text_of_a_notebook_gives_the_answer_away(report):
    asked_only = text.prediction(report).replace(report.title, "")
    for choice in report.choices:
        asked_only = asked_only.replace(choice, "")
    assert not report.solution or report.solution not in asked_only
    assert not report.why or report.why not in asked_only


def test_what_a_notebook_shows():
    widget = gpusim.predict("200 threads: how many warps?", 7, unit="warps", why="The last is not full.")
    assert repr(widget) == "<prediction '200 threads: how many warps?'>"
    shown = widget._repr_mimebundle_()[0]
    assert shown["text/plain"] == "Predict: 200 threads: how many warps?\n  ____ warps"
    still = shown["text/html"].split("<pre")[1]
    answer = "<details><summary>Answer</summary><p>7 warps. The last is not full.</p></details>"
    assert f"<noscript>{answer}</noscript>" in still
    assert "7 warps" not in still.split("<noscript>")[0]
    assert text.prediction(EVERY[2]).splitlines()[1:] == ["  threads ____", "  idle lanes ____"]
    assert text.prediction(EVERY[3]).splitlines()[1:] == [
        "  ( ) the if side",
        "  ( ) the else side",
        "  ( ) both at once",
    ]


def test_before_the_reader_answers_there_is_no_value():
    pytest.importorskip("anywidget")
    assert gpusim.predict("How many?", 7).value is None
