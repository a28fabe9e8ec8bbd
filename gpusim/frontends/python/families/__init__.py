"""How is each family of functions lowered? Numbers, threads, memory: a table each, by the family's name."""
