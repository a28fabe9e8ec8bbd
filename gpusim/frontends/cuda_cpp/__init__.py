"""How does CUDA C++ become the same IR as Python? libclang parses it, and here it is lowered."""
