"""How does CUDA C++ become the same IR as Python? libclang parses and types it; here it becomes instructions."""
