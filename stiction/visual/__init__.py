"""What is drawn of a motion, for the browser and for pictures: meshes, ground, contact."""
