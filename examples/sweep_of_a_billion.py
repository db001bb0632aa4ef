"""What limits a sweep of a billion runs: the scheduler of `st.sweep`, simulated."""

from stiction.sweeps.scheduler import Load, forecast

RUNS, CORES, MEAN = 10**9, 10_000, 0.1  # a run of 0.1 s: 2.8 hours on 10,000 cores
# runs in a portion, drivers, and the share that is simulated: a driver that is never idle takes
# as many times longer for as many times more runs
CASES = ((1, 1, 1e-4), (100, 1, 0.1), (10_000, 1, 1.0), (100, 100, 0.2), (10_000, 100, 1.0))

print("portion  drivers  hours  efficiency  driver busy  tail [s]")
for portion, drivers, share in CASES:
    found = forecast(Load(round(share * RUNS), CORES, MEAN, portion=portion, drivers=drivers))
    seconds = found.seconds / share
    efficiency = RUNS * MEAN / (CORES * seconds)
    print(
        f"{portion:7d} {drivers:8d} {seconds / 3600:6.1f} {100 * efficiency:9.1f} % "
        f"{100 * found.driver:10.1f} % {found.tail:9.1f}"
    )
