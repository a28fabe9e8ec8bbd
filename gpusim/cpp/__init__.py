"""How is CUDA C++ run from Python? `RawModule` and `RawKernel`, under CuPy's names."""
