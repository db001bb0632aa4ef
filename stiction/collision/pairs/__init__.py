"""Contact between two convex shapes: distance, closest points, normal, manifold."""
