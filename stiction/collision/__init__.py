"""Compiled: which contact points touch the ground, how deep, and how they move."""
