"""Motions of two-legged robots: planned here, or read from files of other programs.

Planned: `walk`, `squat`, `sway`, `reach`, `lean`, `jump`. Read: `read_openhrp`,
`read_openhrp_text`, `read_opensim`; measurements: `read_ground_forces`, `read_trc`.
`stance` poses a robot with any number of legs so that it stands.
"""

from stiction.patterns.ground_forces import GroundForces, read_ground_forces
from stiction.patterns.grounded import grounded
from stiction.patterns.jumping import jump
from stiction.patterns.markers import Markers, read_trc
from stiction.patterns.openhrp import read_openhrp, read_openhrp_text
from stiction.patterns.opensim import read_opensim
from stiction.patterns.pattern import Footstep, Pattern
from stiction.patterns.recorded import Recorded
from stiction.patterns.stance import stance
from stiction.patterns.standing import lean, reach, squat, sway
from stiction.patterns.walking import walk

__all__ = [
    "Footstep",
    "GroundForces",
    "Markers",
    "Pattern",
    "Recorded",
    "grounded",
    "jump",
    "lean",
    "reach",
    "read_ground_forces",
    "read_openhrp",
    "read_openhrp_text",
    "read_opensim",
    "read_trc",
    "squat",
    "stance",
    "sway",
    "walk",
]
