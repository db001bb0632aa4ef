"""Distance to the ground along a ray."""

from stiction.collision.terrain import clearance, meet
from stiction.compiler.compiled import kernel
from stiction.kernels.vectors import add, like, scale

FARTHEST = 100.0  # [m]
STRIDE = 0.01  # least step along the ray [m]; what is thinner may be missed
HALVINGS = 60


@kernel
def depth_along(ground, p, direction, t):
    """Depth in the ground of the point at a distance t along a ray from p; negative above it."""
    return meet(ground, add(p, scale(t, direction)), like(t, 0)).depth


@kernel
def distance_to_ground(ground, p, direction):
    """Distance from p to the ground along a unit vector [m]; 0 inside, -1 if none is found.

    The ray is followed in steps that cannot miss the ground, and at least STRIDE long, until it is
    inside; bisection finds where it entered.
    """
    near, far = like(p[0], 0), like(p[0], 0)
    while depth_along(ground, p, direction, far) < 0:
        near = far
        if far > like(far, FARTHEST):
            return like(far, -1)
        free = clearance(ground, add(p, scale(far, direction)))
        far += max(free, like(far, STRIDE))
    for _ in range(HALVINGS):
        middle = like(near, 0.5) * (near + far)
        if depth_along(ground, p, direction, middle) < 0:
            near = middle
        else:
            far = middle
    return far
