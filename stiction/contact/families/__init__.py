"""How a force law, an acceleration law, an impulse law and an impulse solver enter a step."""

from stiction.contact.families import acceleration_law, force_law, impulse_law, impulse_solver

__all__ = ["acceleration_law", "force_law", "impulse_law", "impulse_solver"]
