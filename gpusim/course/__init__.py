"""What the pages of the book run: checks that stand in hidden cells, and tables that are made by trying.

It is part of the package, not of the book's Sphinx extensions: the cells of a page run in a kernel that knows
`gpusim` alone, and a reader who downloads the page as a notebook has it too.
"""
