"""`python -m gpusim program.py …` runs a program that says `from numba import cuda`; `--help` says how."""

import sys

from gpusim.program.command import main

sys.exit(main(sys.argv[1:]))
