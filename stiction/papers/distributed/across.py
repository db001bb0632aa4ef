"""Across the models: the fall of Fig. 13 and the pull of Fig. 18 under every contact model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.distributed import fig13
from stiction.papers.distributed.runs import FEET, forces, held, run, weight

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOINTS = (3000.0, 60.0)  # springs [N m/rad] and dampers [N m s/rad]
LIMIT = {"mu_static": 0.7, "mu_kinetic": 0.4}
SOLE = {"stiffness": 9950.0, "damping": 450.0}  # per point of 18, as printed
MODELS: dict[str, Any] = {
    "Distributed": st.Distributed(**LIMIT),
    "HuntCrossley": st.HuntCrossley(**SOLE, alpha=1.2, beta=0.02, mu_kinetic=0.4),
    "SpringDamper": st.SpringDamper(**SOLE, mu_kinetic=0.4),
    "ImplicitSpringDamper": st.ImplicitSpringDamper(**SOLE, mu_kinetic=0.4),
    "Coulomb": st.Coulomb(**LIMIT),
    "GaussSeidel": st.GaussSeidel(**LIMIT),
    "Multipoint": st.Multipoint(**LIMIT),
    "Balanced": st.Balanced(**LIMIT),
    "Feedback": st.Feedback(mu=0.7),
}
COLUMNS = {
    "peak": "peak force / weight",
    "return_ms": "back to 110 % [ms]",
    "deepest": "deepest [mm]",
    "begins": "slides from [s]",
    "way": "way [mm]",
    "ratio": "ratio while sliding",
}
FASTER = 0.02  # a foot that moves faster than this slides [m/s]
