"""The grid-wide machine: it runs IR for all warps that stand at one basic block in one NumPy pass."""
