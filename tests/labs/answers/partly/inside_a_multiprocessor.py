"""inside-a-multiprocessor: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: as if every scheduler had 32 cores": (
        2.25,
        """
predicted = {
    "places": {"P100": 64, "T4": 32, "H200": 64},
    "of 10": {"P100": 5, "T4": 3, "H200": 3},
    "one chain": {"P100": 12, "T4": 16, "H200": 16},
    "two chains": {"P100": 6, "T4": 8, "H200": 8},
}
""",
    ),
}
