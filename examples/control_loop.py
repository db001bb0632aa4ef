"""A control loop in Python: swing a knee up by torque, then go back in time and let it fall."""

import matplotlib.pyplot as plt
import numpy as np

import stiction as st

world = st.World(st.robots.biped10(), ground=None)
simulation = st.Simulation(world, dt=0.001)
knee = world.tree.v_index[world.joint("left_knee")]
torque = np.zeros(world.nv)
begin = simulation.save_state()
for lift in (2.0, 0.0):
    simulation.restore_state(begin)
    angles = []
    while simulation.time < 0.2:
        angle = simulation.state.q[world.tree.dof_q[knee]]
        angles.append(angle)
        torque[knee] = lift * (1.5 - angle)
        simulation.step(torque)
    print(f"gain {lift}: the knee is at {simulation.state.q[world.tree.dof_q[knee]]:.4f} rad")
    plt.plot(angles, label=f"gain {lift}")
plt.gca().set(xlabel="time [ms]", ylabel="knee [rad]")
plt.legend()
plt.savefig("control_loop.png", dpi=60)
