"""Measurements of a motion: ground reactions, contact criteria, work and energy."""

from stiction.metrics.contact_criteria import (
    Criteria,
    Friction,
    cone_violation,
    criteria,
    friction_coefficients,
)
from stiction.metrics.contact_quality import (
    Creep,
    SolverSummary,
    creep,
    force_spread,
    quality,
    solver_summary,
)
from stiction.metrics.contact_state import ContactState
from stiction.metrics.energy import EnergyBalance, energy_balance
from stiction.metrics.phases import ContactPhase, contact_phases
from stiction.metrics.plates import ForcePlate, PlateReading, force_plate
from stiction.metrics.points import (
    link_positions,
    normals,
    point_positions,
    point_velocities,
    points_under,
)
from stiction.metrics.reactions import (
    FootWrench,
    centre_of_pressure,
    foot_force,
    foot_wrench,
    zmp,
)

__all__ = [
    "ContactPhase",
    "ContactState",
    "Creep",
    "Criteria",
    "EnergyBalance",
    "FootWrench",
    "ForcePlate",
    "Friction",
    "PlateReading",
    "SolverSummary",
    "centre_of_pressure",
    "cone_violation",
    "contact_phases",
    "creep",
    "criteria",
    "energy_balance",
    "foot_force",
    "foot_wrench",
    "force_plate",
    "force_spread",
    "friction_coefficients",
    "link_positions",
    "normals",
    "point_positions",
    "point_velocities",
    "points_under",
    "quality",
    "solver_summary",
    "zmp",
]
