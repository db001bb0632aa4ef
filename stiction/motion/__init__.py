"""What a simulation recorded."""
