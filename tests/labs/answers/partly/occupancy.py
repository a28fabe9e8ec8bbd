"""occupancy: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: registers and shared memory without portions": (
        1.75,
        """
predicted = {  # registers and shared memory without portions
    "A": {"H200": 32, "MetaX C500": 32, "limit on the H200": "blocks"},
    "B": {"H200": 12, "MetaX C500": 10, "limit on the H200": "warps"},
    "C": {"H200": 13, "MetaX C500": 16, "limit on the H200": "registers"},
    "D": {"H200": 5, "MetaX C500": 1, "limit on the H200": "registers"},
}
""",
    ),
    "predictions: waves of 32 lanes, and registers do not limit": (
        1.0,
        """
predicted = {  # waves of 32 lanes, and registers do not limit
    "A": {"H200": 32, "MetaX C500": 32, "limit on the H200": "blocks"},
    "B": {"H200": 12, "MetaX C500": 12, "limit on the H200": "warps"},
    "C": {"H200": 21, "MetaX C500": 21, "limit on the H200": "warps"},
    "D": {"H200": 5, "MetaX C500": 1, "limit on the H200": "shared memory"},
}
""",
    ),
}
