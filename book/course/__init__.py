"""What the pages run in hidden cells: checks of what they say, and tables that are made by trying.

A page runs in the folder in which it lies, so `from course.pairs import Pairs` finds this folder.
"""
