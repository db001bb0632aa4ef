"""One step of the simulation, and the loop over steps."""
