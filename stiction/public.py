"""The public names of `stiction`, less those that few programs need.

`import stiction` is quick: the first use of a name imports this module, and with it Numba, the
compiled core and all contact models.
"""

# ruff: noqa: F401  the package hands them out

from stiction.batch.simulate_batch import BatchMotion as BatchMotion
from stiction.batch.simulate_batch import BatchRecording as BatchRecording
from stiction.batch.simulate_batch import BatchSimulation as BatchSimulation
from stiction.batch.simulate_batch import simulate_batch as simulate_batch
from stiction.contact.balanced import Balanced as Balanced
from stiction.contact.bilateral import Bilateral as Bilateral
from stiction.contact.contact_model import contact_model as contact_model
from stiction.contact.coulomb import Coulomb as Coulomb
from stiction.contact.distributed import Distributed as Distributed
from stiction.contact.effort import Effort as Effort
from stiction.contact.faceted_lcp import FacetedLCP as FacetedLCP
from stiction.contact.feedback import Feedback as Feedback
from stiction.contact.gauss_seidel import GaussSeidel as GaussSeidel
from stiction.contact.hunt_crossley import HuntCrossley as HuntCrossley
from stiction.contact.multipoint import Multipoint as Multipoint
from stiction.contact.spring_damper import ImplicitSpringDamper as ImplicitSpringDamper
from stiction.contact.spring_damper import SpringDamper as SpringDamper
from stiction.control.actuators import Actuators as Actuators
from stiction.control.balance import BalanceFeedback as BalanceFeedback
from stiction.control.controller import controller as controller
from stiction.control.controller import prescriber as prescriber
from stiction.control.prescribed import Prescribed as Prescribed
from stiction.control.reference import Reference as Reference
from stiction.control.torque import Torques as Torques
from stiction.control.tracking import PDTracking as PDTracking
from stiction.derivatives.linearise import Linearisation as Linearisation
from stiction.derivatives.linearise import linearise as linearise
from stiction.description.osim import OsimOptions as OsimOptions
from stiction.description.sensor_kinds import SENSOR_KINDS as SENSOR_KINDS
from stiction.errors import StictionError as StictionError
from stiction.errors import UnsolvedWarning as UnsolvedWarning
from stiction.integrators.midpoint import Midpoint as Midpoint
from stiction.integrators.runge_kutta import RungeKutta4 as RungeKutta4
from stiction.integrators.semi_implicit import Leapfrog as Leapfrog
from stiction.integrators.semi_implicit import SemiImplicitEuler as SemiImplicitEuler
from stiction.kernels.forward_dynamics import ArticulatedBody as ArticulatedBody
from stiction.kernels.forward_dynamics import JointSpace as JointSpace
from stiction.metrics.plates import ForcePlate as ForcePlate
from stiction.motion.motion import Motion as Motion
from stiction.promises.check import check_promises as check_promises
from stiction.robot.load import load as load
from stiction.robot.robot import Robot as Robot
from stiction.robot.sensors import Sensor as Sensor
from stiction.scenes.scene import Scene as Scene
from stiction.sensors.readings import read_sensors as read_sensors
from stiction.simulation.python_controller import PythonController as PythonController
from stiction.simulation.recording import Recording as Recording
from stiction.simulation.simulate import simulate as simulate
from stiction.simulation.simulation import Simulation as Simulation
from stiction.step.integrator import integrator as integrator
from stiction.world import mechanics as mechanics
from stiction.world.external import Push as Push
from stiction.world.external import TabulatedForce as TabulatedForce
from stiction.world.ground import HeightField as HeightField
from stiction.world.ground import Plane as Plane
from stiction.world.ground import Slope as Slope
from stiction.world.ground import Steps as Steps
from stiction.world.world import State as State
from stiction.world.world import World as World
