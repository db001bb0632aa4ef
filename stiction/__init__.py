"""Legged robots in contact with the world; how contact is computed is a value that you pass."""

from stiction import mechanics, patterns, robots, scenes
from stiction.batch.simulate_batch import (
    BatchMotion,
    BatchRecording,
    BatchSimulation,
    simulate_batch,
)
from stiction.contact.balanced import Balanced
from stiction.contact.bilateral import Bilateral
from stiction.contact.contact_model import contact_model
from stiction.contact.coulomb import Coulomb
from stiction.contact.distributed import Distributed
from stiction.contact.feedback import Feedback
from stiction.contact.gauss_seidel import GaussSeidel
from stiction.contact.hunt_crossley import HuntCrossley
from stiction.contact.multipoint import Multipoint
from stiction.contact.spring_damper import ImplicitSpringDamper, SpringDamper
from stiction.control.actuators import Actuators
from stiction.control.balance import BalanceFeedback
from stiction.control.controller import controller, prescriber
from stiction.control.prescribed import Prescribed
from stiction.control.reference import Reference
from stiction.control.torque import Torques
from stiction.control.tracking import PDTracking
from stiction.errors import StictionError, UnsolvedWarning
from stiction.external import Push, TabulatedForce
from stiction.ground import HeightField, Plane, Slope, Steps
from stiction.integrators.forward_dynamics import ArticulatedBody, JointSpace
from stiction.integrators.integrator import integrator
from stiction.integrators.midpoint import Midpoint
from stiction.integrators.runge_kutta import RungeKutta4
from stiction.integrators.semi_implicit import Leapfrog, SemiImplicitEuler
from stiction.load import load
from stiction.metrics.plates import ForcePlate
from stiction.motion import Motion
from stiction.robot import Robot
from stiction.scenes.scene import Scene
from stiction.simulate import Recording, simulate
from stiction.simulation import Simulation
from stiction.world import State, World

__all__ = [
    "Actuators",
    "ArticulatedBody",
    "BalanceFeedback",
    "Balanced",
    "BatchMotion",
    "BatchRecording",
    "BatchSimulation",
    "Bilateral",
    "Coulomb",
    "Distributed",
    "Feedback",
    "ForcePlate",
    "GaussSeidel",
    "HeightField",
    "HuntCrossley",
    "ImplicitSpringDamper",
    "JointSpace",
    "Leapfrog",
    "Midpoint",
    "Motion",
    "Multipoint",
    "PDTracking",
    "Plane",
    "Prescribed",
    "Push",
    "Recording",
    "Reference",
    "Robot",
    "RungeKutta4",
    "Scene",
    "SemiImplicitEuler",
    "Simulation",
    "Slope",
    "SpringDamper",
    "State",
    "Steps",
    "StictionError",
    "TabulatedForce",
    "Torques",
    "UnsolvedWarning",
    "World",
    "contact_model",
    "controller",
    "integrator",
    "load",
    "mechanics",
    "patterns",
    "prescriber",
    "robots",
    "scenes",
    "simulate",
    "simulate_batch",
]
