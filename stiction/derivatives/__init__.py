"""Derivatives of a step: by finite differences, and by implicit differentiation."""
