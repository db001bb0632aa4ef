"""A small humanoid without servos is balanced by a gain that comes from the derivatives of a step.

The feet may open and slip, but near rest they stick: then a step is linear in state and torques.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import orth, solve_discrete_are

import stiction as st

world, floor = st.World(st.robots.hoap1()), st.Coulomb(mu_static=0.8, mu_kinetic=0.6)
state, nv = world.standing(), world.nv
joints = slice(6, nv)  # the base has no motor

# torques with which the robot does not begin to move: the step is linear in them
falls = st.linearise(world, state, floor, wrt=("torque",), method="implicit")
hold = np.zeros(nv)
hold[joints] = -np.linalg.pinv(falls.B[nv:, joints], rcond=1e-6) @ falls.next_state.v

step = st.linearise(world, state, floor, torque=hold, wrt=("state", "torque"), method="implicit")
A, B = step.A, step.B[:, joints]
print(f"smallest margin to a change of case {step.margin:.2g} m/s: {step.nearest}")

# what torques can reach: not the feet, which stick
reached = orth(np.hstack([B, A @ B]), rcond=1e-6)
A, B = reached.T @ A @ reached, reached.T @ B
weight = reached.T @ np.diag([100.0] * nv + [1.0] * nv) @ reached
cost = solve_discrete_are(A, B, weight, np.eye(B.shape[1]))
gain = np.linalg.solve(np.eye(B.shape[1]) + B.T @ cost @ B, B.T @ cost @ A) @ reached.T

for feedback in (0.0, 1.0):
    push = st.Push("trunk", point=(0.0, 0.0, 0.1), force=(2.0, 1.0, 0.0), start=0.1, stop=0.2)
    simulation = st.Simulation(world, floor, state=state, forces=[push])
    heights = []
    while simulation.time < 1.0:
        heights.append(simulation.q[2])
        torque = hold.copy()
        torque[joints] -= feedback * gain @ step.deviation(simulation.state)
        simulation.step(torque)
    height = simulation.state.q[2] / state.q[2]
    print(f"feedback {feedback:.0f}: after 1 s the base is at {100 * height:.1f} % of its height")
    plt.plot(heights, label=f"feedback {feedback:.0f}")
plt.gca().set(xlabel="time [ms]", ylabel="height of the base [m]")
plt.legend()
plt.savefig("linearise_balance.png", dpi=60)
