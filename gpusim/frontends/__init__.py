"""From a reader's kernel to IR: one package module a language, all through `gpusim.ir.builder`."""
