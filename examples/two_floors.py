"""The same walk under two solvers: same motion, different loads on the corners of a foot."""

import matplotlib.pyplot as plt
import numpy as np

import stiction as st

walk = st.patterns.walk(st.robots.hoap1(), steps=4)
world = st.World(walk.robot)
figure, axes = plt.subplots(2, sharex=True, sharey=True)
for panel, kind in zip(axes, (st.Coulomb, st.GaussSeidel), strict=True):
    motion = st.simulate(
        world,
        kind(mu_static=0.8, mu_kinetic=0.6),
        state=walk.state,
        controller=walk.tracking(),
        duration=walk.duration,
    )
    spread = np.nanmean(motion.force_spread("left_foot"))
    print(f"{kind.__name__}: ends at {motion.q[-1, 0]:.4f} m, force spread {spread:.3f}")
    panel.plot(motion.time, motion.force[:, :4, 2])
    panel.set(title=kind.__name__, ylabel="force of a corner [N]")
axes[1].set_xlabel("time [s]")
figure.savefig("two_floors.png", dpi=60)
