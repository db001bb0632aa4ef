"""Fig. 6: hoap1 is dropped from 5 cm; where Eq. (13) throws it up and Eq. (14) does not.

Besides the drops of the paper: the rebound of a lump over k dt^2/m and c dt/m, and a search over
feet, servos, dampers and attitudes for the contrast that the paper shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.drops import (
    DAMPERS,
    LAWS,
    LEAPS,
    LONG,
    PRINTED,
    Case,
    contrasts,
    drop,
    leap_of,
    search,
)
from stiction.papers.balanced.lump import EQ13, EQ14, Landing, Law, grid, land
from stiction.papers.balanced.measured import clearance, leap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = {"1ms": 0.001, "2.5ms": LONG}
STABLE = (4 / 3, 2.0)  # largest k dt^2/m and c dt/m of the map for which shares are counted
FINE = 1e-4  # a step at which both laws agree [s]
RATIOS = np.geomspace(0.1, 100.0, 61)  # c / (k dt)
HEAVIER = (2.0, 4.0)  # mass of a foot over ours
WEAK = 28.2  # a tenth of the printed damper, with which the contrast comes out [N s/m]
GIVEN_BACK = LEAPS / 0.05  # energy of a leap over that of the drop
ALPHA, BETA = np.geomspace(3e-4, 4.0, 91), np.geomspace(1e-2, 30.0, 91)
LUMPS = {  # mass [kg], colour in the map
    "robot on 8 vertices": (5.0 / 8, "k"),
    "robot on 1 vertex": (5.0, "k"),
    "a foot alone on 4": (0.2 / 4, "w"),
}
NEEDED = 4.0  # c / (k dt) below which Eq. (14) halves a rebound, see `largest_ratio`


def data() -> dict[str, Any]:
    """The four drops, the map of a lump, and the search."""
    found: dict[str, Any] = {
        f"{law}, {name}": drop(law, PRINTED, dt) for law in LAWS for name, dt in STEPS.items()
    }
    found |= {f"{law}, weak": drop(law, PRINTED._replace(damping=WEAK), LONG) for law in LAWS}
    found["undamped"] = [leap_of(law, PRINTED._replace(damping=0.0), LONG) for law in LAWS]
    found["peaks"] = {
        (law, vertices): peak_force(drop(law, Case(vertices), STEPS["1ms"]))
        for law in LAWS
        for vertices in (4, 16)
    }
    found["map"] = {law: land(law, *grid(ALPHA, BETA)) for law in (EQ13, EQ14, Law(False, True))}
    found["shares"] = shares()
    found["ray"] = ray()
    found["ratios"] = {law: largest_ratio(law) for law in (EQ13, Law(False, True))}
    found["natural"] = {
        damping: leap_of("Eq. (13)", PRINTED._replace(damping=damping), FINE) for damping in DAMPERS
    }
    found["heavier"] = {
        feet: [leap_of(law, Case(feet=feet), LONG) for law in LAWS] for feet in HEAVIER
    }
    found["search"] = search()
    return found


def peak_force(motion: st.Motion) -> float:
    """Largest upward force of the floor [N]."""
    return float(motion.total_force()[:-1, 2].max())


def shares() -> dict[str, float]:
    """Shares of the map on which a lump sinks less, and rebounds less, with Eq. (14) [%].

    Whole map, and the part in which the damping of Eq. (14) does not reverse a lump in one step.
    """
    alpha, beta = grid(*((np.arange(60) + 0.5) / 60 * most for most in STABLE))
    usual, proposed = (land(law, alpha, beta) for law in (EQ13, EQ14))
    slow = alpha + beta < 1
    less, weaker = proposed.depth < usual.depth, proposed.energy < usual.energy
    return {
        "share_less_deep": 100 * float(less.mean()),
        "share_weaker_rebound": 100 * float(weaker.mean()),
        "share_less_deep_if_not_reversed": 100 * float(less[slow].mean()),
        "share_weaker_rebound_if_not_reversed": 100 * float(weaker[slow].mean()),
    }


def ray() -> tuple[np.ndarray, Landing, Landing]:
    """Lumps of any mass with the printed k and c at 2.5 ms: alpha, and their landings."""
    ratio = PRINTED.damping / (PRINTED.stiffness * LONG)  # beta / alpha
    alpha = np.geomspace(1e-4, STABLE[0], 400)
    usual, proposed = (land(law, alpha, ratio * alpha) for law in (EQ13, EQ14))
    return alpha, usual, proposed


def largest_ratio(usual: Law) -> float:
    """Largest c / (k dt) at which Eq. (14) halves the rebound of a lump that leaps, of any mass."""
    alpha = np.geomspace(1e-3, 4.0, 200)
    for ratio in RATIOS[::-1]:
        one, other = (land(law, alpha, ratio * alpha) for law in (usual, usual.made_implicit()))
        if np.any((one.energy >= GIVEN_BACK) & (2 * other.energy <= one.energy)):
            return float(ratio)
    return 0.0


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Leaps in mm, peak forces, shares of the map in %, and how often the contrast comes out."""
    found: dict[str, float] = {}
    for name in STEPS:
        for law, short in zip(LAWS, ("eq13", "eq14"), strict=True):
            found[f"leap_{short}_{name}"] = 1e3 * leap(data[f"{law}, {name}"])
    found["leap_ratio_2.5ms"] = found["leap_eq14_2.5ms"] / found["leap_eq13_2.5ms"]
    usual, proposed = data["undamped"]
    found |= {"leap_undamped_eq13": 1e3 * usual, "leap_undamped_eq14": 1e3 * proposed}
    found["leap_ratio_2.5ms_undamped"] = proposed / usual
    for law, name in zip(LAWS, ("burst", "burst_eq14"), strict=True):
        found[name] = data["peaks"][law, 16] / data["peaks"][law, 4]
    found |= data["shares"]
    _, one, other = data["ray"]
    thrown = one.energy >= GIVEN_BACK
    found["best_contrast_at_printed_ratio"] = float(
        np.max(one.energy[thrown] / np.maximum(other.energy[thrown], 1e-12), initial=0.0)
    )
    symplectic, explicit = data["ratios"].values()
    found |= {
        "printed_c_over_k_dt": PRINTED.damping / (PRINTED.stiffness * LONG),
        "largest_c_over_k_dt": symplectic,
        "largest_c_over_k_dt_explicit": explicit,
    }
    found |= {f"leap_at_0.1ms_c_{c:g}": 1e3 * value for c, value in data["natural"].items()}
    for feet, (usual, proposed) in data["heavier"].items():
        found |= {f"leap_eq13_feet_x{feet:g}": 1e3 * usual}
        found |= {f"leap_eq14_feet_x{feet:g}": 1e3 * proposed}
    return found | searched(data["search"])


def searched(found: list[tuple[Case, float, float]]) -> dict[str, float]:
    """How many cases of each damper show the contrast, of how many."""
    good = contrasts(found)
    counted = {"cases": float(len(found)), "cases_with_contrast": float(len(good))}
    for damping in dict.fromkeys(case.damping for case, *_ in found):
        counted[f"contrasts_at_c_{damping:g}"] = float(
            sum(case.damping == damping for case in good)
        )
    return counted


def draw(data: dict[str, Any]) -> Figure:
    """Strips of snapshots as in the paper, clearances, the maps, and the search."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 11), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=[1.0, 1.5])
    top, bottom = halves
    times = np.linspace(0.05, 0.95, 10)
    parts = top.subfigures(2, 1)
    for part, label, law in zip(parts, "AB", LAWS, strict=True):
        st.plot.draw_snapshots(part, data[f"{law}, 2.5ms"], times)
        part.suptitle(f"({label}) dt = 2.5 ms, {law}", x=0.01, ha="left", fontsize="medium")
    panels = bottom.subplots(2, 3)
    draw_clearance(panels[0, 0], data)
    draw_search(panels[1, 0], data["search"])
    titles = ("Eq. (13)", "Eq. (14)", "Eq. (13), explicit Euler")
    spots = (panels[0, 1], panels[0, 2], panels[1, 1])
    for panel, title, landing in zip(spots, titles, data["map"].values(), strict=True):
        drawn = draw_map(panel, title, landing)
    bottom.colorbar(drawn, ax=spots[1], label="energy of the rebound / of the landing")
    draw_ray(panels[1, 2], data["ray"])
    return figure


def draw_clearance(panel: Any, data: dict[str, Any]) -> None:
    """Clearance over time of the four drops, and of those with a weak damper."""
    styles = {"1ms": ":", "2.5ms": "-", "weak": "--"}
    words = {"1ms": "1 ms", "2.5ms": "2.5 ms", "weak": f"2.5 ms, c = {WEAK:g}"}
    for law, colour in zip(LAWS, ("C3", "C0"), strict=True):
        for name, style in styles.items():
            motion = data[f"{law}, {name}"]
            label = f"{law.removeprefix('Eq. ')} {words[name]}"
            panel.plot(motion.time, 1e3 * clearance(motion), style, color=colour, label=label)
    panel.set(xlabel="t [s]", ylabel="lowest point above the floor [mm]", ylim=(-12, 78))
    panel.legend(fontsize="x-small", ncols=2, loc="upper right")


def draw_map(panel: Any, title: str, landing: Landing) -> Any:
    """Energy of the rebound over alpha and beta, with the lumps of the printed floor."""
    from matplotlib.colors import LogNorm

    energy = np.clip(landing.energy, 1e-3, 10.0)
    drawn = panel.pcolormesh(
        ALPHA,
        BETA,
        energy,
        norm=LogNorm(1e-3, 10.0),
        cmap="RdBu_r",
        shading="nearest",
        rasterized=True,
    )
    panel.contour(ALPHA, BETA, energy, levels=[GIVEN_BACK, 1.0], colors="k", linewidths=[0.8, 1.6])
    panel.plot(ALPHA, NEEDED * ALPHA, "--", color="k", lw=0.8)
    panel.annotate(
        f"c = {NEEDED:g} k dt",
        (4e-3, NEEDED * 4e-3),
        fontsize="x-small",
        xytext=(4, -8),
        textcoords="offset points",
    )
    for name, (mass, colour) in LUMPS.items():
        at = [
            (PRINTED.stiffness * dt**2 / mass, PRINTED.damping * dt / mass) for dt in STEPS.values()
        ]
        panel.plot(*np.transpose(at), "o-", color=colour, ms=3, lw=0.8)
        panel.annotate(
            name,
            at[0],
            xytext=(3, -8),
            textcoords="offset points",
            color=colour,
            fontsize="x-small",
        )
    panel.set(
        xscale="log",
        yscale="log",
        xlabel="k dt²/m",
        ylabel="c dt/m",
        title=title,
        xlim=ALPHA[[0, -1]],
        ylim=BETA[[0, -1]],
    )
    return drawn


def draw_search(panel: Any, found: list[tuple[Case, float, float]]) -> None:
    """Leap of Eq. (14) against that of Eq. (13) for all cases, by damper."""
    for damping in dict.fromkeys(case.damping for case, *_ in found):
        leaps = np.array([row[1:] for row in found if row[0].damping == damping])
        panel.loglog(*np.clip(1e3 * leaps, 0.01, 1e3).T, "o", ms=3.5, label=f"c = {damping:g}")
    panel.plot([0.01, 1e3], [0.01, 1e3], color="0.6", lw=0.8)
    panel.fill_between([1e3 * LEAPS, 1e3], [5.0, 500.0], 0.01, color="C2", alpha=0.15, lw=0)
    panel.set(
        xlabel="leap with Eq. (13), 2.5 ms [mm]",
        ylabel="leap with Eq. (14) [mm]",
        xlim=(0.008, 1.2e3),
        ylim=(0.008, 1.2e3),
        title="feet, servos, dampers, attitudes",
    )
    panel.legend(fontsize="small", title="N s/m", title_fontsize="small")


def draw_ray(panel: Any, found: tuple[np.ndarray, Landing, Landing]) -> None:
    """Energy of the rebound of lumps of any mass with the printed k and c."""
    alpha, *landings = found
    mass = PRINTED.stiffness * LONG**2 / alpha
    for law, colour, landing in zip(LAWS, ("C3", "C0"), landings, strict=True):
        panel.loglog(mass, np.maximum(landing.energy, 1e-4), color=colour, label=law)
    panel.axhline(1.0, color="0.6", lw=0.8)
    panel.set(
        xlabel="mass of a lump on one vertex [kg]",
        ylabel="energy of the rebound / of the landing",
        title="printed k and c, 2.5 ms",
        ylim=(1e-4, 1e3),
    )
    panel.legend(fontsize="small")


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The two drops of Fig. 6."""
    names = ("usual spring", "implicit spring")
    return {name: data[f"{law}, 2.5ms"] for name, law in zip(names, LAWS, strict=True)}
