"""The two scheduling models: a stack a warp, and a program counter a lane."""
