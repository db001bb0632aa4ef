"""A rod falls on its end and tumbles; friction and impacts take energy, and nothing adds any."""

import numpy as np

import stiction as st

world = st.World(st.robots.rod())
state = world.standing(above=0.3)
state.q[3:7] = np.cos(0.4), 0.0, np.sin(0.4), 0.0
state.v[0] = 1.0
floor = st.Coulomb(mu_static=0.4, mu_kinetic=0.4, restitution=0.7)
motion = st.simulate(world, floor, state=state, duration=1.5, dt=0.001)
energy = motion.energy().total
gained = (energy - np.minimum.accumulate(energy)).max() / energy[0]
print(f"energy {energy[0]:.3f} J -> {energy[-1]:.3f} J; largest gain {gained:.0e} of the first")
motion.plot("energy", "base height").savefig("tumbling_rod.png", dpi=60)
