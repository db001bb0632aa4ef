"""Links that hit the ground with random inertias, for the methods of the contact solvers."""

import numpy as np

from stiction.contact.scratch import allocate_scratch
from stiction.contact.solvers.friction_cases import FrictionCases
from stiction.kernels.response import NONE, allocate_response
from stiction.kernels.touching_links import allocate_links
from stiction.kernels.touching_pairs import compliances
from stiction.world.contact_points import allocate_contact


def response_of(contact, L):
    """Response of links on the ground, all of one robot and centred at O, with the inertia L^-1."""
    count = contact.touching_count[0]
    links = allocate_links(np.array([0, *count * [1]]), np.arange(1, count + 1), count, 6, True)
    links.count[0], links.end[:], links.pairs[:] = count, count, 1
    links.inverse_inertia[:] = L.reshape(6 * count, count, 6)
    response = allocate_response(count, links, True, True)
    response.first[:], response.second[:] = np.arange(count), NONE
    response.inverse_inertia[:] = links.inverse_inertia
    compliances(contact, response, 1.0)
    return response


def random_problem(rng, links, points, spread=1.0, rough=0.3):
    """Links that hit the ground at about 1 m/s with so many points each; and P and L.

    spread: decades between the inertias that a link has in different directions; rough: how much
    normals differ.
    """
    n = links * points
    contact = allocate_contact(n, links, np.zeros((1, 1)))
    contact.count[0], contact.touching_count[0] = n, links
    contact.touching[:] = np.repeat(np.arange(links), points)
    contact.arm[:] = rng.uniform(-1, 1, (n, 3)) * [0.1, 0.05, 0.01]
    normal = rough * rng.normal(size=(n, 3)) + [0, 0, 1]
    contact.normal[:] = normal / np.linalg.norm(normal, axis=1)[:, None]
    turn = np.linalg.qr(rng.normal(size=(6 * links, 6 * links)))[0]
    L = (turn * 10 ** rng.uniform(-spread, 0, 6 * links)) @ turn.T
    size = np.tile([1, 1, 1, 8, 8, 8], links)  # links some 0.1 m in size turn easily
    L = size[:, None] * L * size
    response = response_of(contact, L)
    response.links.free[:] = rng.normal(size=(links, 6)) * [0.5, 0.5, 0.5, 2, 2, 2] - [
        0,
        0,
        1,
        0,
        0,
        0,
    ]
    cases = allocate_scratch(FrictionCases, n, links)
    cases.mu[:] = rng.uniform(0.2, 1.0)
    P = np.zeros((3 * n, 6 * links))
    for i, (r, link) in enumerate(zip(contact.arm, contact.touching, strict=True)):
        skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        P[3 * i : 3 * i + 3, 6 * link : 6 * link + 6] = np.hstack((np.eye(3), -skew))
    return contact, response, cases, P, L
