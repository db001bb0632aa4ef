"""Parameters of contact models fitted to recorded motions."""
