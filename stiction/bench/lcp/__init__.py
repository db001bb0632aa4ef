"""Fig. 5 of the paper behind `GaussSeidel`: sizes and times of methods, errors of facets."""
