"""What do the labs check with? Sentences instead of tracebacks, forgiving answers, gates on counters.

A check is a few lines. What fails raises `CheckFailed`: its sentence, and the reader's own line.

>>> from gpusim import grading
>>> grading.whole("7 warps", "one block")
Traceback (most recent call last):
gpusim.grading.failing.CheckFailed: one block: a whole number is asked for, not '7 warps'
"""

from gpusim.grading.ahead import ahead
from gpusim.grading.alone import answered, answered_each
from gpusim.grading.answers import mask, numbers, predictions, whole
from gpusim.grading.draws import random
from gpusim.grading.failing import CheckFailed, require
from gpusim.grading.kept import keep
from gpusim.grading.launches import (
    at_least,
    at_most,
    launch,
    launched,
    line_with_most,
    no_races,
    one_outcome,
    only_launch,
    places,
    raceless,
    ran_only,
    same,
    steps,
    unchanged,
)
from gpusim.grading.side_by_side import SideBySide, side_by_side
from gpusim.grading.so_far import PointsSoFar, points_so_far
from gpusim.grading.waiting import waits
from gpusim.grading.writers import read_by, written_by

__all__ = [
    "CheckFailed",
    "PointsSoFar",
    "SideBySide",
    "ahead",
    "answered",
    "answered_each",
    "at_least",
    "at_most",
    "keep",
    "launch",
    "launched",
    "line_with_most",
    "mask",
    "no_races",
    "numbers",
    "one_outcome",
    "only_launch",
    "places",
    "points_so_far",
    "predictions",
    "raceless",
    "ran_only",
    "random",
    "read_by",
    "require",
    "same",
    "side_by_side",
    "steps",
    "unchanged",
    "waits",
    "whole",
    "written_by",
]
