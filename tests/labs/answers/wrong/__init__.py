"""Wrong answers, lab by lab."""
