"""What is known after hand-overs? Worked by hand."""

from __future__ import annotations

from gpusim.checkers.knowledge import HandOvers, joined


def test_who_heard_of_a_hand_over_knows_the_most_that_was_ever_handed_over():
    """Three senders knew block 0 up to times 3, 10 and 5; the last one also knew agent 7 up to 4."""
    handed = HandOvers()
    handed.add([("block 0", 3)], {})
    handed.add([("block 0", 10)], {})
    handed.add([("block 0", 5), ("agent 7", 4)], {})
    assert [handed.known("block 0", count) for count in range(4)] == [-1, 3, 10, 10]
    assert [handed.known("agent 7", count) for count in range(4)] == [-1, -1, -1, 4]
    assert handed.known("agent 8", 3) == -1


def test_hearing_of_a_channel_is_handed_over_too():
    """The second sender had heard two hand-overs of channel c, the first one of them and three of d."""
    c, d = ((0, 1), None), ((0, 2), None)
    handed = HandOvers()
    handed.add([], {c: 1, d: 3})
    handed.add([], {c: 2})
    assert handed.heard == [{}, {c: 1, d: 3}, {c: 2, d: 3}]
    assert joined({c: 2}, {}) == {c: 2}
