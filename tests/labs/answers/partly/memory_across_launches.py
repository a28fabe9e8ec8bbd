"""memory-across-launches: answers that deserve a part of the points."""

ANSWERS = {
    "predictions: four of seven": (
        1.0,
        """
predicted = {"late_half": 4, "two_streams": 5, "in_turn": 8, "at_the_end": 8,
             "writes_on": 8, "own_eyes": 8, "both_halves": 8}
""",
    ),
}
