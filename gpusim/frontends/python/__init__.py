"""How does a Python kernel become IR? Functions in tables, by kinds of syntax, around one `Lowering`.

`kernel` compiles; `scope` says what names mean, `values` what an expression can be, and `types` in which type
it is computed, as in Numba. `builtins` are the functions of `cuda`, `math` and NumPy, `families`
what they do.
"""
