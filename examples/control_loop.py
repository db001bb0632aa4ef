"""A control loop in Python: swing a knee up by torque, then go back in time and let it fall."""

import numpy as np

import stiction as st

world = st.World(st.robots.biped10(), ground=None)
simulation = st.Simulation(world, dt=0.001)
knee = world.tree.v_index[world.joint("left_knee")]
torque = np.zeros(world.nv)
begin = simulation.save_state()
for lift in (2.0, 0.0):
    simulation.restore_state(begin)
    while simulation.time < 0.2:
        angle = simulation.state.q[world.tree.dof_q[knee]]
        torque[knee] = lift * (1.5 - angle)
        simulation.step(torque)
    print(f"gain {lift}: the knee is at {simulation.state.q[world.tree.dof_q[knee]]:.4f} rad")
