"""Answers that deserve a part of the points, lab by lab."""
