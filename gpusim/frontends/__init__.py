"""From a reader's kernel to IR: a package a language, and what both share: `flow`, `collectives`, `fold`."""
