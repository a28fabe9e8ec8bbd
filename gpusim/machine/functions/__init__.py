"""What instructions compute: arithmetic, atomics, exchanges, votes, the library."""
