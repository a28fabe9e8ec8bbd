"""synchronisation: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: eight of ten": (
        1.75,
        """
predicted = {
    "streams": {"a": "ordered", "b": "not", "c": "ordered", "d": "not", "e": "ordered", "f": "ordered"},
    "kernels": {"g": "ordered", "h": "ordered", "i": "not", "j": "ordered"},
}
""",
    ),
}
