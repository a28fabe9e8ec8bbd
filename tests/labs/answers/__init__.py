"""What may students hand in? For each lab wrong answers, cheats, and right answers in another form."""
