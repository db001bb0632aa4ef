"""Motions for other programs: glTF for Blender and game engines, Rerun."""
