"""How is a text read? Preprocessed and parsed, with each node at its place in what the reader wrote."""
