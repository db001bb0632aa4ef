"""Push a standing robot in many directions at once, and draw which pushes it survives.

python survival_map.py [robot file [cpu or cuda]] : all pushes are worlds of one batch, 4096 of them
on a GPU; robots saved by `Robot.save` need no reader there.
"""

import sys
import time

import matplotlib
import numpy as np

import stiction as st

matplotlib.use("Agg")
import matplotlib.pyplot as plt

robot = st.load(sys.argv[1]) if len(sys.argv) > 1 else st.robots.biped10()
world = st.World(robot)
hold = st.PDTracking(st.Reference([0.0, 1.0], [world.home().q] * 2), stiffness=500.0, damping=20.0)
floor = st.GaussSeidel(mu_static=0.8, mu_kinetic=0.6)
rest = st.simulate(world, floor, duration=1.0, state=world.standing(), controller=hold).state()

device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
side = 64 if device == "cuda" else 8
weight = robot.total_mass * 9.81
reach = np.linspace(-0.6, 0.6, side) * weight  # [N], for 0.1 s
base = robot.link_name[0]
pushes = [
    [st.Push(base, (0.0, 0.0, 0.1), (x, y, 0.0), rest.time, rest.time + 0.1)]
    for y in reach
    for x in reach
]
begun = time.perf_counter()
motion = st.simulate_batch(
    world,
    side * side,
    floor,
    states=rest,
    forces=pushes,
    controls=hold,
    duration=2.0,
    dt=0.001,
    device=device,
    precision="float32" if device == "cuda" else "float64",
)
standing = motion.well & (motion.q[:, 2] > 0.8 * rest.q[2])
seconds = time.perf_counter() - begun
print(f"{standing.sum()} of {len(standing)} pushes survived, on {device} in {seconds:.1f} s")

edge = reach[-1] / weight
plt.imshow(standing.reshape(side, side), origin="lower", extent=(-edge, edge, -edge, edge))
plt.xlabel("push forwards / weight")
plt.ylabel("push to the left / weight")
plt.title(f"{robot.name}\nyellow: stands after a push of 0.1 s")
plt.savefig("survival_map.png", dpi=60)
