"""Compilation by Numba: decorators, cached code, errors that name the user's line."""
