"""coalescing: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: as if every device had sectors": (
        1.0,
        """
predicted = {  # as if every device had sectors
    "A": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "B": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "C": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "D": {"G80": 256, "GT200": 256, "H200": 256, "MetaX C500": 512},
    "E": {"G80": 32, "GT200": 32, "H200": 32, "MetaX C500": 64},
    "F": {"G80": 64, "GT200": 64, "H200": 64, "MetaX C500": 128},
}
""",
    ),
}
