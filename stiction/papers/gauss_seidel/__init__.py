"""Chardonnet et al., "Dynamic simulator for humanoids ... with static friction"."""
