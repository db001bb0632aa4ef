"""Scenes: robots and objects on a ground, what moves them, and for how long; by name or file."""

from stiction.scenes.body import Body
from stiction.scenes.by_name import scene, scene_names, scene_text
from stiction.scenes.control import Control
from stiction.scenes.grounds import rough
from stiction.scenes.reader import read_scene
from stiction.scenes.scene import Scene
from stiction.scenes.verdict import Limits, Verdict, verdict

__all__ = [
    "Body",
    "Control",
    "Limits",
    "Scene",
    "Verdict",
    "read_scene",
    "rough",
    "scene",
    "scene_names",
    "scene_text",
    "verdict",
]
