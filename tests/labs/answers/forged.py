"""How does a cheat make an answer that is equal to every other?"""

FORGED = """
class Anything:
    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    __hash__, __le__, __gt__, __ge__ = None, __lt__, __lt__, __lt__
"""
