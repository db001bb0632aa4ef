"""Motions planned for robots on two legs: `walk`, `squat`, `sway`, `reach`, `lean`, `jump`."""

from stiction.patterns.pattern import Footstep, Pattern
from stiction.patterns.walking import walk

__all__ = ["Footstep", "Pattern", "walk"]
