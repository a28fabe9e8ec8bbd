"""occupancy: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: registers and shared memory without portions": (
        2.5,
        """
predicted = {  # registers and shared memory without portions
    "A": {"H200": 32, "MetaX C500": 32, "limit on the H200": "blocks"},
    "B": {"H200": 12, "MetaX C500": 10, "limit on the H200": "warps"},
    "C": {"H200": 5, "MetaX C500": 8, "limit on the H200": "registers"},
    "D": {"H200": 7, "MetaX C500": 2, "limit on the H200": "shared memory"},
    "E": {"H200": 1, "MetaX C500": 2, "limit on the H200": "registers"},
    "F": {"H200": 5, "MetaX C500": 1, "limit on the H200": "registers"},
}
""",
    ),
    "predictions: waves of 32 lanes, and registers do not limit": (
        1.0,
        """
predicted = {  # waves of 32 lanes, and registers do not limit
    "A": {"H200": 32, "MetaX C500": 32, "limit on the H200": "blocks"},
    "B": {"H200": 12, "MetaX C500": 12, "limit on the H200": "warps"},
    "C": {"H200": 8, "MetaX C500": 8, "limit on the H200": "warps"},
    "D": {"H200": 8, "MetaX C500": 8, "limit on the H200": "shared memory"},
    "E": {"H200": 2, "MetaX C500": 2, "limit on the H200": "warps"},
    "F": {"H200": 10, "MetaX C500": 10, "limit on the H200": "warps"},
}
""",
    ),
}
