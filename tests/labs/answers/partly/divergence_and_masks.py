"""divergence-and-masks: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: right for 32 lanes": (
        2.0,
        """
predicted = {
    "A": {32: "11111111"},
    "B": {32: "000aaaaa"},
    "C": {32: "00055555"},
    "D": {32: "fff00000", 64: "00000000fff00000"},
    "E": {32: "88888888"},
    "F": {32: "0000007f", 64: "000000000000007f"},
}
""",
    ),
    "predictions: half of them": (
        1.25,
        """
predicted = {"A": {32: "0x11111111"}, "B": {32: "000AAAAA"}, "C": {32: 0x55555}, "D": {32: "fff0 0000"}}
""",
    ),
}
