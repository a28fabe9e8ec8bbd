"""What does the host see of the device? Its memory, its streams and events, and how far a launch has come."""
