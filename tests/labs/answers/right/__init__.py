"""Right answers in other forms, lab by lab."""
