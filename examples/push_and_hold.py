"""A biped that holds its joints is pushed in flight: compare integrators on the same push."""

import matplotlib.pyplot as plt

import stiction as st

world = st.World(st.robots.biped10(), ground=None, gravity=(0.0, 0.0, 0.0))
pose = st.Reference([0.0, 1.0], [world.home().q] * 2)
push = st.Push("trunk", point=(0.0, 0.0, 0.2), force=(50.0, 0.0, 0.0), start=0.1, stop=0.15)
for integrator in (st.SemiImplicitEuler(), st.Leapfrog(), st.RungeKutta4()):
    motion = st.simulate(
        world,
        duration=0.5,
        dt=0.002,
        controller=st.PDTracking(pose, stiffness=80.0, damping=3.0),
        forces=[push],
        integrator=integrator,
    )
    momentum = motion.momentum().linear[-1, 0]
    print(f"{type(integrator).__name__:18} momentum {momentum:.6f} N s, impulse 2.5 N s")
    plt.plot(motion.time, motion.momentum().linear[:, 0], label=type(integrator).__name__)
plt.gca().set(xlabel="time [s]", ylabel="momentum [N s]")
plt.legend()
plt.savefig("push_and_hold.png", dpi=60)
