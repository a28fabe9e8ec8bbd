"""shared-memory-and-banks: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: as if the G80 had 32 banks for all its lanes": (
        1.0,
        """
predicted = {  # as if the G80 had 32 banks for all its lanes
    "A": {"G80": 1, "H200": 1, "MetaX C500": 2},
    "B": {"G80": 8, "H200": 8, "MetaX C500": 16},
    "C": {"G80": 1, "H200": 1, "MetaX C500": 2},
    "D": {"G80": 8, "H200": 8, "MetaX C500": 16},
    "E": {"G80": 1, "H200": 1, "MetaX C500": 2},
    "F": {"G80": 1, "H200": 1, "MetaX C500": 2},
}
""",
    ),
}
