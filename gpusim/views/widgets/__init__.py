"""The views that move. Each is a Python module beside the ES module that draws it."""
