"""How does a program for Numba's CUDA target run here unchanged? `python -m gpusim program.py`."""
