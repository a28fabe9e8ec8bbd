"""parent-and-child-grids: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: five of ten": (
        1.0,
        """
predicted = {
    "branch[2, 4](x, 3)": {"branches": 30, "leaves": 32, "deepest": 4, "x[0]": 1024},
    "branch[1, 4](x, 2)": {"branches": 5, "leaves": 5, "deepest": 2, "x[0]": 160},
    "parade[1, 1]": {"orders": 3},
    "parade[2, 1]": {"orders": 24},
}
""",
    ),
}
