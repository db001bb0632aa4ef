"""The picture of the data flow: python docs/tools/data_flow.py writes the SVG.

Plain SVG, so that the page needs no script and the text in the picture can be found and selected.
"""

from html import escape
from pathlib import Path

FILE = Path(__file__).parents[1] / "pictures" / "data_flow.svg"
SIZE = (1000, 500)
LOOP = "the compiled loop: one world on a core, many on all cores or on a GPU, from one source"
GREY, BLUE, ORANGE, GREEN = "#eceff1", "#d6e4f5", "#fbe0d3", "#dcefdc"
# kind of box: left, top, width, height, colour, name, lines below it
BEFORE = (
    (20, 30, 190, 76, GREY, "model file", ("MJCF, URDF, VRML,", "OpenSim; st.robots")),
    (270, 30, 190, 76, GREY, "Description", ("checked: masses,", "axes, names, shapes")),
    (520, 30, 190, 76, GREY, "Robot", ("flat arrays,", "saved as one file")),
    (770, 30, 210, 76, GREY, "World", ("robots, ground, scenery,", "materials: one forest")),
)
PASSED = (
    (210, 152, 130, 34, ORANGE, "controller", ()),
    (520, 152, 130, 34, ORANGE, "contact model", ()),
    (825, 152, 130, 34, ORANGE, "integrator", ()),
)
STEP = (
    (45, 238, 130, 84, BLUE, "move links", ("poses and twists", "of q and v")),
    (210, 238, 130, 84, BLUE, "sum forces", ("gravity, pushes,", "servos, control u")),
    (365, 238, 130, 84, BLUE, "detect contacts", ("points, normals,", "depths, velocities")),
    (520, 238, 130, 84, BLUE, "find forces", ("forces or impulses", "f at the points")),
    (670, 238, 135, 84, BLUE, "find motion", ("H a + b = u + K f,", "joint modes")),
    (825, 238, 130, 84, BLUE, "advance", ("q and v; remove", "penetration")),
)
AFTER = (
    (45, 416, 190, 66, GREEN, "Motion", ("arrays over time,", "one HDF5 file")),
    (300, 416, 150, 66, GREEN, "measures", ("forces, phases,", "energy, criteria")),
    (470, 416, 150, 66, GREEN, "pictures", ("plots, videos,", "browser")),
    (640, 416, 150, 66, GREEN, "tables", ("pandas, xarray,", "CSV")),
    (810, 416, 170, 66, GREEN, "comparisons", ("papers, recordings,", "other engines")),
)


def text(x: float, y: float, words: str, size: int, more: str = "") -> str:
    """A line of text, centred at x."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {more}>{escape(words)}</text>'


def box(left: int, top: int, width: int, height: int, colour: str, name: str, lines: tuple) -> str:
    """A box with its name and the lines below it."""
    middle = left + width / 2
    first = top + height / 2 + 5 - 9 * len(lines)
    shapes = [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6" fill="{colour}"'
        ' stroke="#546e7a"/>',
        text(middle, first, name, 14, 'font-weight="bold"'),
    ]
    shapes += [text(middle, first + 19 * (k + 1), line, 13) for k, line in enumerate(lines)]
    return "\n".join(shapes)


def arrow(*points: tuple[float, float], both: bool = False) -> str:
    """An arrow through points; both: with a head at each end."""
    way = " ".join(f"{x:g},{y:g}" for x, y in points)
    start = ' marker-start="url(#head)"' if both else ""
    return (
        f'<polyline points="{way}" fill="none" stroke="#37474f" stroke-width="1.6"'
        f'{start} marker-end="url(#head)"/>'
    )


def arrows() -> list[str]:
    """All arrows of the picture."""
    shown = [
        arrow((a[0] + a[2] + 3, 68), (b[0] - 5, 68))
        for a, b in zip(BEFORE, BEFORE[1:], strict=False)
    ]
    shown += [
        arrow((a[0] + a[2] + 2, 280), (b[0] - 3, 280), both=a[5] == "find forces")
        for a, b in zip(STEP, STEP[1:], strict=False)
    ]
    shown += [arrow((p[0] + p[2] / 2, 186), (p[0] + p[2] / 2, 234)) for p in PASSED]
    shown.append(arrow((875, 106), (875, 128), (110, 128), (110, 234)))  # the world into the step
    shown.append(arrow((890, 322), (890, 348), (110, 348), (110, 326)))  # the next step
    shown.append(arrow((140, 374), (140, 412)))  # recorded
    shown += [  # what reads the motion
        arrow((237, 449), (262, 449), (262, 396), (a[0] + a[2] / 2, 396), (a[0] + a[2] / 2, 412))
        for a in AFTER[1:]
    ]
    return shown


def picture() -> str:
    """The whole picture."""
    width, height = SIZE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" text-anchor="middle" fill="#263238">',
            "<title>Data flow: from a model file over a world and its steps to a motion</title>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
            ' markerHeight="8" orient="auto-start-reverse">'
            '<path d="M0,0 L8,4 L0,8 z" fill="#37474f"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            '<rect x="20" y="204" width="960" height="170" rx="8" fill="#f7f9fb"'
            ' stroke="#90a4ae" stroke-dasharray="5 4"/>',
            text(500, 366, LOOP, 13),
            text(500, 341, "next step", 13),
            text(740, 174, "values that you pass", 13, 'font-style="italic"'),
            *arrows(),
            *(box(*each) for each in (*BEFORE, *PASSED, *STEP, *AFTER)),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(picture())
