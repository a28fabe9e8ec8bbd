"""Observers that count what a GPU's counters count, and the pure rules behind them."""
