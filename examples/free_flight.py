"""A biped thrown into the air: momentum is kept, energy goes only where joints brake."""

import stiction as st

world = st.World(st.robots.biped10(), ground=None)
state = world.home()
state.v[:6] = [0.5, 0.0, 3.0, 0.0, 2.0, 0.5]  # base: velocity [m/s], angular velocity [rad/s]
motion = st.simulate(world, state=state, duration=1.0, dt=0.001, integrator=st.RungeKutta4())

energy, momentum = motion.energy(), motion.momentum()
print(f"energy {energy.total[0]:.4f} J -> {energy.total[-1]:.4f} J")
print(f"angular momentum {momentum.angular[0]} -> {momentum.angular[-1]} N m s")
motion.plot().savefig("free_flight.png", dpi=60)
