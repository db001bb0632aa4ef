"""Triangle meshes, which do not move, against convex shapes."""
