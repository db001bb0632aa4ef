"""Models and measurements of the benchmarks that are not part of the package."""

from __future__ import annotations

from stiction.scenes.data import data_file

MENAGERIE = "MuJoCo Menagerie, github.com/google-deepmind/mujoco_menagerie"
G1 = "robots/mujoco_menagerie/unitree_g1/g1_mjx_nomesh.xml"
GO2 = "robots/mujoco_menagerie/unitree_go2/go2_nomesh.xml"

__all__ = ["G1", "GO2", "MENAGERIE", "data_file"]
