"""Calls of the public API with good arguments, and wrong values for each of them."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from mechanisms import pendulum
from stiction.scenes import Body, Control, Scene, rough

HUGE = 10**400
WRONG: dict[str, Any] = {
    "None": None,
    "text": "text",
    "empty text": "",
    "bytes": b"x",
    "true": True,
    "an object": object(),
    "a function": max,
    "a class": int,
    "a dictionary": {"a": 1},
    "nothing": [],
    "ragged": [1.0, [2.0, 3.0]],
    "texts": ["a", "b", "c"],
    "nones": [None, None, None],
    "a cube": np.zeros((2, 2, 2)),
    "complex": 1j,
    "NaN": float("nan"),
    "NaNs": [float("nan")] * 3,
    "infinity": float("inf"),
    "infinities": [float("inf")] * 3,
    "zero": 0,
    "minus one": -1,
    "a half": 0.5,
    "1e308": 1e308,
    "-1e308": -1e308,
    "1e308s": [1e308] * 3,
    "1e-320": 1e-320,
    "1e-320s": [1e-320] * 3,
    "1e9": 1_000_000_000,
    "10^400": HUGE,
    "10^400s": [HUGE] * 3,
}


class Call(NamedTuple):
    """A call, and its arguments."""

    run: Callable[..., Any]
    good: dict[str, Any]


@cache
def ball() -> st.Robot:
    return st.robots.ball().at((0.0, 0.0, 0.06))


@cache
def walker() -> st.Robot:
    return st.robots.hoap1()


@cache
def world() -> st.World:
    return st.World(ball())


@cache
def arm() -> st.World:
    return st.World(pendulum(), ground=None)


def run(**options: Any) -> st.Motion:
    """Two steps of a ball."""
    return st.simulate(**{"world": world(), "duration": 0.002, **options})


def swing(**options: Any) -> st.Motion:
    """Two steps of a pendulum."""
    return st.simulate(arm(), contact=None, duration=0.002, **options)


def on(kind: Any) -> Callable[..., Any]:
    """A ball for two steps on a ground of a kind."""
    return lambda **given: st.simulate(st.World(ball(), ground=kind(**given)), duration=0.002)


def standing(make: Callable[..., st.Robot]) -> Callable[..., Any]:
    """A built-in robot in free fall for one step."""

    def made(**given: Any) -> Any:
        scenery = make in (st.robots.plate, st.robots.room, st.robots.stairs)
        robot = make(**given)
        placed = st.World(ball(), scenery=[robot]) if scenery else st.World(robot)
        return st.simulate(placed, contact=None, duration=0.001)

    return made


def of_methods() -> dict[str, Call]:
    """Calls of methods of robots, worlds, simulations and motions."""

    def made(method: str, what: Callable[[], Any]) -> Callable[..., Any]:
        return lambda **given: getattr(what(), method)(**given)

    def simulation() -> st.Simulation:
        return st.Simulation(world(), contact=None)

    @cache
    def motion() -> st.Motion:
        return run()

    def stepped(**given: Any) -> Any:
        stepping = simulation()
        stepping.step(**given)
        return stepping

    tiny = {"n": 3}
    return {
        "Robot.at": Call(made("at", ball), {"position": (0.0, 0.0, 1.0), "turn": 0.1}),
        "Robot.named": Call(made("named", ball), {"name": "egg"}),
        "Robot.with_joints": Call(made("with_joints", walker), {"friction": 0.1, "lower": -1.0}),
        "Robot.with_home": Call(
            made("with_home", walker),
            {"joints": {"left_knee_pitch": 0.5}, "height": 0.3, "turn": (1.0, 0.0, 0.0, 0.0)},
        ),
        "Robot.with_home of": Call(
            lambda position: walker().with_home({"left_knee_pitch": position}), {"position": 0.5}
        ),
        "Robot.with_material": Call(
            lambda name, part: walker().with_material(name, part),
            {"name": "rubber", "part": "left_foot"},
        ),
        "Robot.with_sole_points": Call(
            made("with_sole_points", walker), {"name": "left_foot", "along": 2, "across": 2}
        ),
        "Robot.keyframe": Call(made("keyframe", ball), {"name": "home"}),
        "Robot.save": Call(made("save", ball), {"path": "/nowhere/a"}),
        "Robot.load": Call(st.Robot.load, {"path": "/nowhere/a"}),
        "Motion.load": Call(st.Motion.load, {"path": "/nowhere/a"}),
        "Motion.save": Call(made("save", motion), {"path": "/nowhere/a"}),
        "Motion.save_gltf": Call(
            made("save_gltf", motion), {"path": "/nowhere/a.glb", "fps": 30.0}
        ),
        "Motion.save_rerun": Call(
            made("save_rerun", motion), {"path": "/nowhere/a.rrd", "fps": 60.0}
        ),
        "Motion.save_sto": Call(made("save_sto", motion), {"path": "/nowhere/a.sto"}),
        "World.standing": Call(made("standing", world), {"above": 0.1}),
        "World.place": Call(made("place", world), {"name": "ball"}),
        "Simulation.step": Call(stepped, {"torque": np.zeros(6), **tiny}),
        "Simulation": Call(
            lambda record: st.Simulation(world(), contact=None, record=record), {"record": True}
        ),
        "Simulation.run": Call(made("run", simulation), {"duration": 0.003}),
        "Simulation.torque": Call(
            lambda torque: setattr(simulation(), "torque", torque), {"torque": np.zeros(6)}
        ),
        "Simulation.state": Call(
            lambda state: setattr(simulation(), "state", state), {"state": world().home()}
        ),
        "Simulation.reset": Call(made("reset", simulation), {"state": world().home(), "seed": 1}),
        "PythonController": Call(
            lambda **given: st.Simulation(
                world(), contact=None, controller=st.PythonController(lambda _: None, **given)
            ).step(),
            {"rate": 100.0, "delay": 0.001},
        ),
        "PythonController.function": Call(
            lambda answer: st.Simulation(
                world(), contact=None, controller=st.PythonController(lambda simulation: answer)
            ).step(),
            {"answer": np.zeros(6)},
        ),
        "Simulation.restore_state": Call(
            lambda saved: simulation().restore_state(saved), {"saved": simulation().save_state()}
        ),
        "Motion.state": Call(made("state", motion), {"k": 0}),
        "Motion.joint": Call(made("joint", lambda: swing()), {"name": "joint"}),
        "Motion.foot_force": Call(made("foot_force", motion), {"foot": "ball"}),
        "Motion.foot_wrench": Call(
            made("foot_wrench", motion), {"foot": "ball", "about": (0.0, 0.0, 0.0)}
        ),
        "Motion.centre_of_pressure": Call(made("centre_of_pressure", motion), {"foot": "ball"}),
        "Motion.zmp": Call(made("zmp", motion), {"definition": "forces", "robot": "ball"}),
        "Motion.contact_phases": Call(made("contact_phases", motion), {"foot": "ball"}),
        "Motion.criteria": Call(made("criteria", motion), {"mu": 0.5}),
        "Motion.cone_violation": Call(made("cone_violation", motion), {"mu": 0.5}),
        "Motion.creep": Call(made("creep", motion), {"margin": 1e-3}),
        "Motion.force_spread": Call(made("force_spread", motion), {"foot": "ball"}),
        "Motion.force_between": Call(
            made("force_between", motion), {"first": "ball", "second": "ball"}
        ),
        "Motion.energy_balance": Call(made("energy_balance", motion), {"forces": []}),
        "ForcePlate": Call(
            lambda **given: motion().force_plate(st.ForcePlate(**given)),
            {"name": "p", "centre": (0.0, 0.0), "size": (1.0, 1.0), "heading": 0.0, "height": 0.0},
        ),
    }


def of_controllers() -> dict[str, Call]:
    """Calls with controllers, references and forces."""
    time, table = [0.0, 1.0], [[0.1], [0.2]]

    def tracked(**given: Any) -> Any:
        return swing(controller=st.PDTracking(st.Reference(time, table), **given))

    def referred(**given: Any) -> Any:
        return swing(controller=st.PDTracking(st.Reference(**given), 1.0, 1.0))

    def balanced(**given: Any) -> Any:
        return st.simulate(
            st.World(walker()), contact=None, duration=0.001, controller=st.BalanceFeedback(**given)
        )

    names = [str(name) for name in walker().joint_name[1:13]]
    legs = (tuple(names[:6]), tuple(names[6:]))
    of_balance = {"time": time, "centre": [[0.0, 0.0]] * 2, "share": [[0.5, 0.5]] * 2}
    of_balance |= {"up": [[0.0, 0.0]] * 2, "legs": legs, "height": 0.3, "gain": 1.0, "reach": 0.03}
    of_balance |= {"stiffness": 0.0, "damping": 0.0}
    pushed = {"body": "ball", "point": (0.0, 0.0, 0.0), "force": (1.0, 0.0, 0.0)}
    return {
        "Torques": Call(
            lambda **given: swing(controller=st.Torques(**given)),
            {"torque": table, "time": time},
        ),
        "PDTracking": Call(
            tracked,
            {
                "stiffness": 1.0,
                "damping": 1.0,
                "joints": ("joint",),
                "feedforward": None,
                "limits": 1.0,
            },
        ),
        "Reference": Call(referred, {"time": time, "q": table, "v": table, "joints": ("joint",)}),
        "Prescribed": Call(
            lambda **given: swing(
                controller=st.Prescribed(st.Reference(time, table, joints=("joint",)), **given)
            ),
            {"joints": ("joint",), "base": "free"},
        ),
        "BalanceFeedback": Call(balanced, of_balance),
        "Push": Call(
            lambda **given: run(forces=[st.Push(**given)]), {**pushed, "start": 0.0, "stop": 1.0}
        ),
        "TabulatedForce": Call(
            lambda **given: run(forces=[st.TabulatedForce(**given)]),
            {
                "body": "ball",
                "point": (0.0, 0.0, 0.0),
                "time": time,
                "force": [[0.0] * 3] * 2,
                "moment": [[0.0] * 3] * 2,
            },
        ),
    }


def of_worlds() -> dict[str, Call]:
    """Calls with worlds, grounds and simulations."""

    def states(**given: Any) -> Any:
        return run(state=st.State(**given))

    home = world().home()
    batch = {"world": world(), "worlds": 2, "contact": None, "dt": 0.001, "states": None}
    batch |= {"parameters": None, "controls": None, "forces": (), "torque": None, "threads": 1}
    batch |= {"device": "cpu", "precision": "float64", "duration": 0.002}
    simulated = {"world": world(), "contact": None, "duration": 0.002, "dt": 0.001, "state": home}
    simulated |= {"controller": None, "forces": (), "integrator": st.Midpoint()}
    simulated |= {"record": st.Recording(1), "method": st.JointSpace()}
    differentiated = {"world": world(), "state": home, "contact": None, "dt": 0.001, "forces": ()}
    differentiated |= {"controller": None, "torque": None, "integrator": st.Midpoint()}
    differentiated |= {"wrt": ("torque",), "method": "implicit"}
    of_world = {"ground": st.Plane(), "scenery": (), "materials": {("a", "b"): {"mu_static": 1.0}}}
    of_world |= {"gravity": (0.0, 0.0, -9.81), "self_collision": False}
    return {
        "simulate": Call(lambda **given: st.simulate(**given), simulated),
        "simulate_batch": Call(lambda **given: st.simulate_batch(**given), batch),
        "linearise": Call(lambda **given: st.linearise(**given), differentiated),
        "Recording": Call(lambda every: run(record=st.Recording(every)), {"every": 1}),
        "State": Call(states, {"q": home.q, "v": home.v, "time": 0.0}),
        "World": Call(
            lambda **given: st.simulate(st.World(ball(), **given), duration=0.002), of_world
        ),
        "World of": Call(lambda robot: st.World(robot), {"robot": ball()}),
        "materials": Call(
            lambda mu: run(
                world=st.World(ball(), materials={("default", "ground"): {"mu_static": mu}})
            ),
            {"mu": 1.0},
        ),
        "Plane": Call(
            on(st.Plane),
            {"height": 0.0, "velocity": (0.0,) * 3, "material": "ground", "time": ()},
        ),
        "Plane over time": Call(
            on(st.Plane), {"velocity": ((0.0,) * 3, (1.0, 0.0, 0.0)), "time": (0.0, 1.0)}
        ),
        "Slope": Call(
            on(st.Slope),
            {
                "angle": 0.1,
                "heading": 0.0,
                "velocity": (0.0,) * 3,
                "material": "ground",
                "height": 0.0,
            },
        ),
        "Steps": Call(
            on(st.Steps),
            {
                "rise": 0.1,
                "run": 0.3,
                "count": 3,
                "start": 0.5,
                "heading": 0.0,
                "height": 0.0,
                "material": "ground",
            },
        ),
        "HeightField": Call(
            on(st.HeightField),
            {
                "heights": np.zeros((3, 3)),
                "spacing": 0.5,
                "origin": (0.0, 0.0),
                "material": "ground",
                "materials": None,
            },
        ),
        "rough": Call(
            on(rough),
            {
                "amplitude": 0.01,
                "spacing": 0.5,
                "size": (2.0, 2.0),
                "level": 0.1,
                "seed": 1,
                "material": "ground",
            },
        ),
    }


def of_mechanics() -> dict[str, Call]:
    """Calls of the functions of `mechanics`."""
    import inspect

    found, q, v = {}, world().home().q, np.zeros(6)
    values = {"world": world(), "q": q, "v": v, "a": v, "torque": v, "force": v, "body": "ball"}
    values |= {"point": (0.0, 0.0, 0.0), "state": world().home(), "robot": "ball"}
    for name, function in vars(st.mechanics).items():
        if inspect.isfunction(function) and function.__module__ == st.mechanics.__name__:
            parameters = inspect.signature(function).parameters
            if not name.startswith("_") and {*parameters} <= {*values}:
                found[f"mechanics.{name}"] = Call(
                    function, {key: values[key] for key in parameters}
                )
    return found


def of_models() -> dict[str, Call]:
    """Calls with each parameter of three models, one of every family that does not iterate."""
    found = {}
    for kind in (st.Coulomb, st.HuntCrossley, st.Balanced):
        found[kind.__name__] = Call(
            lambda kind=kind, **given: run(contact=kind(**given)), kind()._asdict()
        )
    return found


def of_robots() -> dict[str, Call]:
    """Calls of the functions that make robots."""
    import inspect

    found = {}
    for name in st.robots.__all__:
        function = getattr(st.robots, name)
        parameters = inspect.signature(function).parameters
        found[f"robots.{name}"] = Call(
            standing(function), {key: one.default for key, one in parameters.items()}
        )
    return found


def of_descriptions() -> dict[str, Call]:
    """Calls with each field of every part of a description."""
    d = st.description
    parts: dict[str, Any] = {
        "links": d.Link("a", 1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)),
        "joints": d.Joint("j", "revolute", d.WORLD, "a"),
        "shapes": d.Shape("s", "a", "box", (0.1, 0.1, 0.1), material="m"),
        "frames": d.Frame("f", "a"),
        "actuators": d.Actuator("u", "j"),
        "sensors": d.Sensor("x", "jointpos", "j", "joint"),
        "materials": d.Material("m", 0.5, 0.4),
        "keyframes": d.Keyframe("k", (0.0,), (0.0,)),
    }

    def made(name: str = "n", source: str = "code", **given: Any) -> st.Robot:
        whole = {key: (part,) for key, part in parts.items()} | given
        return st.Robot.from_description(d.Description(name, source, **whole))

    def of_part(key: str) -> Call:
        part = parts[key]
        return Call(lambda **given: made(**{key: (replace(part, **given),)}), vars(part))

    found = {f"description.{key}": of_part(key) for key in parts}
    whole = {key: (part,) for key, part in parts.items()} | {"loops": (), "contact_pairs": ()}
    whole |= {"friction_pairs": (), "contact_excludes": (), "visuals": (), "notes": ()}
    return found | {"description": Call(made, {"name": "n", "source": "code"} | whole)}


def of_patterns() -> dict[str, Call]:
    """Calls of the functions that plan motions."""
    short = {"robot": walker(), "time": 0.2, "height": None, "feet": None}
    return {
        "patterns.walk": Call(
            st.patterns.walk,
            {
                "robot": walker(),
                "steps": 2,
                "step_length": None,
                "step_time": None,
                "double_support": 0.2,
                "foot_lift": None,
                "height": None,
                "width": None,
                "turn": 0.0,
                "feet": None,
            },
        ),
        "patterns.squat": Call(st.patterns.squat, {**short, "depth": None}),
        "patterns.jump": Call(st.patterns.jump, {**short, "rise": None, "depth": None}),
        "patterns.lean": Call(st.patterns.lean, {**short, "distance": None}),
        "patterns.sway": Call(st.patterns.sway, {**short, "distance": None, "cycles": 1}),
        "patterns.reach": Call(
            st.patterns.reach, {**short, "hand": "left_hand", "by": (0.02, 0.0, 0.0)}
        ),
        "patterns.stance": Call(st.patterns.stance, {"robot": walker()}),
        "patterns.read_opensim": Call(
            st.patterns.read_opensim, {"path": "/nowhere/a.mot", "cutoff": 6.0}
        ),
        "patterns.read_openhrp": Call(
            st.patterns.read_openhrp, {"path": "/nowhere/a.npz", "motion": None, "cutoff": None}
        ),
    }


def of_scenes() -> dict[str, Call]:
    """Calls with scenes made in code."""

    def of_body(**given: Any) -> Any:
        return Scene("a", "b", (Body(**given),), contact=None, duration=0.001).simulate()

    def of_scene(**given: Any) -> Any:
        return Scene(**given).simulate()

    body = {"model": "ball", "options": {}, "file": None, "data": None, "base": None}
    body |= {"name": None, "position": (0.0, 0.0, 1.0), "heading": 0.0, "turn": None, "above": 0.0}
    body |= {"fixed": False, "velocity": (0.0,) * 3, "turning": (0.0,) * 3, "keyframe": None}
    body |= {"joints": {}, "colliding": (), "self_collision": False, "material": None}
    scene = {"name": "a", "shows": "b", "robots": (Body("ball"),), "objects": (), "ground": None}
    scene |= {"materials": {}, "contact": None, "controls": (), "controllers": ()}
    scene |= {"integrator": st.Midpoint(), "forces": (), "duration": 0.001, "dt": 0.001}
    scene |= {"dt_force_law": 1e-4, "gravity": (0.0, 0.0, -9.81), "expect": None}
    return {
        "Body": Call(of_body, body),
        "Scene": Call(of_scene, scene),
        "Control": Call(
            lambda **given: Scene(
                "a",
                "b",
                (Body("ball"),),
                contact=None,
                duration=0.001,
                controls=(Control(**given),),
            ).simulate(),
            {"kind": "hold", "parameters": {}, "robot": 0},
        ),
        "scenes.scene": Call(st.scenes.scene, {"name": "/nowhere/a.toml", "roots": ()}),
        "scenes.scene_text": Call(st.scenes.scene_text, {"name": "stand"}),
        "load": Call(
            st.load,
            {
                "path": "/nowhere/a.xml",
                "base": None,
                "roots": (),
                "mimic": None,
                "inertia": "strict",
                "hull_points": 64,
                "unsimulated": "refused",
            },
        ),
    }


@cache
def calls() -> dict[str, Call]:
    """All calls by name."""
    made = (of_worlds, of_controllers, of_methods, of_mechanics, of_models, of_robots)
    found: dict[str, Call] = {}
    for make in (*made, of_scenes, of_patterns, of_descriptions):
        found |= make()
    return found


def outcome(call: Call, argument: str, value: Any) -> BaseException | None:
    """What a call raises with one wrong value; None if it returns."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call.run(**{**call.good, argument: value})
        except Exception as error:
            return error
    return None
