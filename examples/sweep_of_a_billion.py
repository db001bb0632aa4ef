"""What limits a sweep of a billion runs: the scheduler of `st.sweep`, simulated."""

from stiction.sweeps.scheduler import Load, forecast

RUNS, CORES, MEAN = 10**9, 10_000, 0.1  # a run of 0.1 s: 2.8 hours on 10,000 cores
SCALE = 1000  # one of so many drivers or runs is simulated where all are alike

print("runs at a time  drivers      hours  efficiency  driver busy  tail [s]")
for portion, drivers in ((1, 1), (100, 1), (10_000, 1), (100, 100), (10_000, 100)):
    load = Load(RUNS // SCALE, CORES, MEAN, portion=portion, drivers=drivers)
    if portion == 1:
        found = forecast(load)  # the driver is the limit, so that time grows with the runs
        hours, efficiency = SCALE * found.seconds / 3600, found.efficiency
    else:
        load = Load(RUNS // 100, CORES, MEAN, portion=portion, drivers=drivers, failures=1e-7)
        found = forecast(load)
        hours, efficiency = 100 * found.seconds / 3600, found.efficiency
    print(
        f"{portion:14d} {drivers:8d} {hours:10.1f} {100 * efficiency:9.1f} % "
        f"{100 * found.driver:10.1f} % {found.tail:9.1f}"
    )
