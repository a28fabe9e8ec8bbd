"""device-runtime: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: nine of fourteen": (
        1.25,
        """
predicted = {
    "tries": {
        "thread 0": 0, "thread 1": 0, "thread 2": 9, "thread 3": 0, "thread 4": 0, "thread 5": 0,
        "touch runs": 4,
    },
    "chain, CDP1": {"grids": 24, "error": 65},
    "chain, CDP2": {"grids": 40, "error": 0},
    "chain, CDP2, 30 may be pending": {"grids": 31, "error": 65},
    "wait_all, CDP1, synchronisation depth 3": {"succeed": 2},
}
""",
    ),
}
