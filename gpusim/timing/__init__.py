"""When would a GPU do it? One multiprocessor replays what ran; whole grids, streams and launches follow."""
