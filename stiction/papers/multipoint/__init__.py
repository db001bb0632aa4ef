"""Sugihara & Nakamura: rigid contact at many points, then friction."""
