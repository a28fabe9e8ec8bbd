"""Which functions do kernels have without declaring them? Tables of prototypes, and how each is lowered."""
