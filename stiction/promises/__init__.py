"""Checks, for any contact model, of the laws that all models obey and of its own promises."""
