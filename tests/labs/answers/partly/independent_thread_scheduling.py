"""independent-thread-scheduling: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "predictions: seven of ten": (
        1.0,
        """
predicted = {
    "a": {"stack": "Livelock", "independent": "finishes"},
    "b": {"stack": "finishes", "independent": "finishes"},
    "c": {"stack": "finishes", "independent": "finishes"},
    "d": {"stack": "finishes", "independent": "finishes"},
    "e": {"stack": "Deadlock", "independent": "Deadlock"},
}
""",
    ),
}
