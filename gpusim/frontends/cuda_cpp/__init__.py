"""How does CUDA C++ become the same IR as Python? From the reader's text to a kernel, one module a step.

`preprocessor` expands macros and remembers where each character stood in the reader's text; `parser` builds
the tree of it with tree-sitter, and words what is wrong with its grammar. The modules behind them read
declarations and types, lower expressions and statements, and name CUDA's intrinsics; `unit` holds a whole
text. Nothing here is imported before CUDA C++ is used: it needs `pcpp`, `tree-sitter` and `tree-sitter-cuda`.
"""
