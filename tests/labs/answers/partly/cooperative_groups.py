"""cooperative-groups: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: ten of sixteen": (
        1.5,
        """
predicted = {
    "a of thread 45, H200": {"rank": 5, "number": 1, "size": 8, "mask": "0x0000ff00"},
    "a of thread 45, MetaX C500": {"mask": "0x0000ff0000000000"},
    "b of thread 53, H200": {"rank": 5, "number": 0, "size": 8},
    "b of thread 53, MetaX C500": {"rank": 5, "size": 16},
    "c of thread 42, H200": {"rank": 2, "number": 0, "size": 3},
    "d of thread 29, H200": {"rank": 3, "number": 3, "size": 2},
}
""",
    ),
}
