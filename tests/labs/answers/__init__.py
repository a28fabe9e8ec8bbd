"""What may students hand in? For each lab wrong answers, cheats, and right answers in another form.

An answer is the source of a cell, or (points, source) where it earns some: a part of a prediction is
right, or a cheat gets through and is to be looked at by hand.
"""
