"""Which functions does a kernel find in `cuda`, `math`, NumPy and Python itself? Tables of them."""
