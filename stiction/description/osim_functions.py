"""Functions of a coordinate in OpenSim models, and polynomials in their place.

A joint of an OpenSim model moves along and about up to six axes, each by a function of a
coordinate. Constants, lines and polynomials are exact here. A spline, such as the translation of a
knee, is evaluated as OpenSim does, and can be replaced by a constant or a polynomial, with a known
error.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from stiction.description.osim_text import Element
from stiction.errors import ModelFileError

KNOWN = (
    *("Constant", "LinearFunction", "PolynomialFunction", "MultiplierFunction"),
    *("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction"),
)
SPLINES = KNOWN[4:]
DEGREE = 8  # highest power of a polynomial that replaces a spline
MOST_POWERS = 20  # of a polynomial in a file
SAMPLES = 400  # of the range over which it is fitted


@dataclass(frozen=True, eq=False)
class Function:
    """A polynomial, lowest power first, or a spline through points."""

    coefficients: tuple[float, ...] = ()
    kind: str = ""  # one of SPLINES, or "" for a polynomial
    x: np.ndarray = field(default_factory=lambda: np.zeros(0))
    y: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def is_constant(self) -> bool:
        """Whether the coordinate does not matter."""
        return not self.kind and not any(self.coefficients[1:])

    @property
    def is_line(self) -> bool:
        """Whether it is a polynomial of first degree."""
        return not self.kind and not self.is_constant and not any(self.coefficients[2:])

    def scaled(self, factor: float) -> Function:
        """The function times a factor."""
        scaled = tuple(factor * c for c in self.coefficients)
        return Function(scaled, self.kind, self.x, factor * self.y)

    def at(self, q: float | np.ndarray) -> np.ndarray:
        """Values at coordinates."""
        q = np.asarray(q, float)
        if not self.kind:
            return np.polyval(self.coefficients[::-1], q) + 0.0 * q
        if self.kind == "PiecewiseLinearFunction" or len(self.x) == 2:
            return _straight(self.x, self.y, q)
        return _cubic(self.x, self.y, _bends(self.x, self.y, self.kind == "SimmSpline"), q)

    def polynomial(self, low: float, high: float) -> tuple[Function, float]:
        """The nearest polynomial over a range, and its largest error."""
        if not self.kind:
            return self, 0.0
        q = np.linspace(low, high, SAMPLES)
        fitted = np.polynomial.Polynomial.fit(q, self.at(q), DEGREE).convert()
        found = Function(tuple(fitted.coef.tolist()))
        return found, float(np.abs(found.at(q) - self.at(q)).max())


def function_of(element: Element, otherwise: Function) -> Function:
    """The function that an element holds, directly or in <function>; or another one if none."""
    inner = [one for one in element.children if one.name == "function" or one.tag in KNOWN]
    wrapped = element.one("function")
    if not inner and wrapped is not None:
        inner = wrapped.children
    if not inner:
        return otherwise
    if len(inner) != 1 or inner[0].tag not in KNOWN:
        found = ", ".join(f"<{one.tag}>" for one in inner)
        raise ModelFileError(
            f"{element.where} has the function {found}; this reader knows {', '.join(KNOWN)}"
        )
    return _made(inner[0])


def _made(element: Element) -> Function:
    if element.tag == "Constant":
        return Function((element.optional("value", (0.0,))[0],))
    if element.tag == "MultiplierFunction":
        inner = element.required("function")
        if len(inner.children) != 1 or inner.children[0].tag not in KNOWN[:3] + SPLINES:
            raise ModelFileError(f"{element.where} multiplies no single function; give it one")
        return _made(inner.children[0]).scaled(element.optional("scale", (1.0,))[0])
    if element.tag in ("LinearFunction", "PolynomialFunction"):
        powers = element.numbers("coefficients")[::-1]
        if element.tag == "LinearFunction" and len(powers) != 2:
            found = f"has {len(powers)} coefficients, for {len(powers) - 1} coordinates"
            raise ModelFileError(f"{element.where} {found}; expected slope and intercept")
        if len(powers) > MOST_POWERS:
            raise ModelFileError(
                f"{element.where} has {len(powers)} coefficients; the maximum is {MOST_POWERS}"
            )
        return Function(tuple(powers))
    x, y = np.array(element.numbers("x")), np.array(element.numbers("y"))
    if len(x) != len(y) or len(x) < 2 or not (np.diff(x) > 0).all():
        found = f"has {len(x)} x and {len(y)} y"
        raise ModelFileError(f"{element.where} {found}; expected as many, x rising, at least 2")
    if np.ptp(y) == 0:
        return Function((float(y[0]),))
    return Function((), element.tag, x, y)


def _straight(x: np.ndarray, y: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Straight lines through the points, and beyond them."""
    k = np.clip(np.searchsorted(x, q, side="right") - 1, 0, len(x) - 2)
    return y[k] + (y[k + 1] - y[k]) / (x[k + 1] - x[k]) * (q - x[k])


def _bends(x: np.ndarray, y: np.ndarray, simm: bool) -> np.ndarray:
    """Second derivatives at the points of a cubic spline.

    A natural spline has none at its ends. SimmSpline, that of Forsythe, Malcolm and Moler, has in
    its first and last piece the third derivative of the cubic through the outer four points (zero
    if there are only three).
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    rows, b = np.eye(n), np.zeros(n)
    for i in range(1, n - 1):
        rows[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * (slope[i] - slope[i - 1])
    if simm:
        rows[0, :2], rows[-1, -2:] = (-1.0, 1.0), (-1.0, 1.0)
        if n > 3:
            b[0], b[-1] = 6 * h[0] * _third(x[:4], y[:4]), 6 * h[-1] * _third(x[-4:], y[-4:])
    return np.linalg.solve(rows, b)


def _third(x: np.ndarray, y: np.ndarray) -> float:
    """Divided difference of four points: the leading coefficient of the cubic through them."""
    first = np.diff(y) / np.diff(x)
    second = np.diff(first) / (x[2:] - x[:-2])
    return float((second[1] - second[0]) / (x[3] - x[0]))


def _cubic(x: np.ndarray, y: np.ndarray, bend: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The cubic spline at q; straight beyond its ends."""
    k = np.clip(np.searchsorted(x, q, side="right") - 1, 0, len(x) - 2)
    h, inside = x[k + 1] - x[k], np.clip(q, x[0], x[-1])
    a, b = (x[k + 1] - inside) / h, (inside - x[k]) / h
    value = a * y[k] + b * y[k + 1] + h**2 / 6 * ((a**3 - a) * bend[k] + (b**3 - b) * bend[k + 1])
    bent = (3 * b**2 - 1) * bend[k + 1] - (3 * a**2 - 1) * bend[k]
    slope = (y[k + 1] - y[k]) / h + h / 6 * bent
    return value + slope * (q - inside)
