"""Typed three-address code in basic blocks, close to PTX: what both front-ends build and the machine runs."""
