"""Legged robots in contact with the world; the contact model is an argument that you pass.

Data flows down this list, and a folder imports only from folders above it:

    errors        every exception raised on purpose
    terminal      one line on the terminal that shows what takes long
    compiler      decorators for compiled functions, the cache of compiled code
    files         third-party readers in a child process, and writing that loses nothing
    description   model files -> one plain, checked description
    kernels       compiled core: spatial algebra, kinematics, dynamics, unit responses of links
    collision     contact points against the ground -> Contact
    contact       one file per model; families: how models enter a step; solvers they share
    control       controllers, as plug-ins
    step          step.py: the whole step on one page; impacts, drift, record, the loop
    extend        all that the author of a law, an integrator or a controller imports
    integrators   how a step moves the state, as plug-ins
    robot         description -> Robot
    world         robots, ground and materials -> one forest of links and its contact points
    robots        built-in robots, defined in code
    sensors       what the sensors of robots read
    metrics       what is measured from a motion
    motion        Motion and its file
    simulation    simulate, Simulation, and warnings
    batch         many worlds on cores or a GPU
    derivatives   how a step depends on state, control and contact parameters
    promises      laws that contact models obey, checked for any model
    plot          figures
    visual        what is drawn of a motion: meshes, ground, contact
    interchange   motions for other programs
    render        pictures and videos
    viewer        the browser: motions and running simulations
    patterns      walks, jumps, recorded motions
    scenes        scenes by name or from TOML
    public        the names of `stiction`, imported when one of them is first used
    tune          search for parameters of contact models
    engines       other engines: our worlds in MuJoCo, Bullet, Drake and DART
    fit           parameters fitted to recorded motions
    learn         tasks, worlds on a GPU, and a policy: trained, judged under other models
    validate      contact models against measurements
    gym           Gymnasium environments
    compare       one world under several models and engines, on one page
    sweeps        many points of the parameters of a scene or a function, on cores or a cluster
    bench         speed, and accuracy in closed forms
    papers        the five papers, claim by claim
    cli           the command line
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # imported when first asked for, see `__getattr__`
    from stiction import description, patterns, plot, robots, scenes
    from stiction.public import *
    from stiction.sweeps.points import Range, Sample
    from stiction.sweeps.sweep import sweep
    from stiction.sweeps.table import SweepTable
    from stiction.viewer.live import view
    from stiction.world import mechanics

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
    "Effort",
    "FacetedLCP",
    "Feedback",
    "ForcePlate",
    "GaussSeidel",
    "HeightField",
    "HuntCrossley",
    "ImplicitSpringDamper",
    "JointSpace",
    "Leapfrog",
    "Linearisation",
    "Midpoint",
    "Motion",
    "Multipoint",
    "OsimOptions",
    "PDTracking",
    "Plane",
    "Prescribed",
    "Push",
    "PythonController",
    "Range",
    "Recording",
    "Reference",
    "Robot",
    "RungeKutta4",
    "SENSOR_KINDS",
    "Sample",
    "Scene",
    "SemiImplicitEuler",
    "Sensor",
    "Simulation",
    "Slope",
    "SpringDamper",
    "State",
    "Steps",
    "StictionError",
    "SweepTable",
    "TabulatedForce",
    "Torques",
    "UnsolvedWarning",
    "World",
    "check_promises",
    "contact_model",
    "controller",
    "description",
    "integrator",
    "linearise",
    "load",
    "mechanics",
    "patterns",
    "plot",
    "prescriber",
    "read_sensors",
    "robots",
    "scenes",
    "simulate",
    "simulate_batch",
    "sweep",
    "view",
]

MODULES = ("description", "patterns", "plot", "robots", "scenes")
LATER = {  # what few programs need
    "Range": "stiction.sweeps.points",
    "Sample": "stiction.sweeps.points",
    "SweepTable": "stiction.sweeps.table",
    "sweep": "stiction.sweeps.sweep",
    "view": "stiction.viewer.live",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import stiction` is quick."""
    if name == "__version__":
        from importlib.metadata import version  # slow to import

        return version("stiction")
    if name not in __all__:
        raise AttributeError(f"module 'stiction' has no attribute '{name}'")
    if name in MODULES:
        return import_module(f"stiction.{name}")
    value = getattr(import_module(LATER.get(name, "stiction.public")), name)
    globals()[name] = value  # Python finds it there from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
