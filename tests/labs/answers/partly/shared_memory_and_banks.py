"""shared-memory-and-banks: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: as if every device had 32 banks for all its lanes": (
        0.75,
        """
predicted = {  # as if every device had 32 banks for all its lanes
    "A": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "B": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "C": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "D": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "E": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "F": {"G80": 1, "H200": 1, "MetaX C500": 1},
}
""",
    ),
}
