"""Cheats, lab by lab."""
