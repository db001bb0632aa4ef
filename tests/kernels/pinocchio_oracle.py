"""Pinocchio's numbers in our coordinates, for the same forest of robots.

A free flyer of Pinocchio has q = (position, quaternion x y z w) and moves with linear and angular
velocity both in body axes; our linear velocity is in world axes. With T = blkdiag(R', 1) for every
free joint, and the order of joints put right in the same matrix,

    v_pin = T v    a_pin = T a + T_dot v    H = T' H_pin T    b = T' (b_pin + H_pin T_dot v)

T is orthogonal, so that forces change like velocities.
"""

from pathlib import Path

import numpy as np
import pinocchio as pin

from stiction.kernels.tree import FREE, SPHERICAL, V_SIZE
from stiction.world.world import World

WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def read_model(*paths: Path) -> pin.Model:
    """The robots of MJCF files, read by Pinocchio's own reader, in one model."""
    parts = [pin.buildModelFromMJCF(str(path)) for path in paths]
    model = parts[0]
    for part in parts[1:]:
        model = pin.appendModel(model, part, 0, pin.SE3.Identity())
    for part in parts:  # appendModel of Pinocchio 4.1 forgets the armature
        for name in list(part.names)[1:]:
            one, all_ = part.joints[part.getJointId(name)], model.joints[model.getJointId(name)]
            own = part.armature[one.idx_v : one.idx_v + one.nv]
            model.armature[all_.idx_v : all_.idx_v + all_.nv] = own
    return model


class Oracle:
    """What Pinocchio computes for the states of a world."""

    def __init__(self, model: pin.Model, world: World) -> None:
        assert (model.nq, model.nv) == (world.nq, world.nv)
        self.model, self.data, self.world = model, model.createData(), world
        self.links = self._matching_joints()  # (link, first in Pinocchio's q, in its v)

    def _matching_joints(self) -> list[tuple[int, int, int]]:
        """Joints of the two by name; a joint without a name is the one that carries its link."""
        found, world, model = [], self.world, self.model
        link, links = 1, len(world.tree.parent)
        while link < links:
            name, body = (
                names[link].split("/")[-1] for names in (world.joint_names, world.link_names)
            )
            if model.existJointName(name):
                joint = model.joints[model.getJointId(name)]
            elif model.existJointName(f"Composite_{name}"):  # several joints on one body
                joint = model.joints[model.getJointId(f"Composite_{name}")]
            else:
                joint = model.joints[model.frames[model.getFrameId(body)].parentJoint]
            done = 0
            while done < joint.nv:
                found.append((link, joint.idx_q + done, joint.idx_v + done))
                done += V_SIZE[world.tree.joint_type[link]]
                link += 1
            assert done == joint.nv
        assert len({v for _, _, v in found}) == links - 1
        return found

    def q(self, q: np.ndarray) -> np.ndarray:
        """Our positions as Pinocchio's."""
        theirs, tree = np.full(self.model.nq, np.nan), self.world.tree
        for link, to, _ in self.links:
            k = tree.q_index[link]
            if tree.joint_type[link] == FREE:
                theirs[to : to + 7] = q[[k, k + 1, k + 2, k + 4, k + 5, k + 6, k + 3]]
            elif tree.joint_type[link] == SPHERICAL:
                theirs[to : to + 4] = q[[k + 1, k + 2, k + 3, k]]
            else:
                theirs[to] = q[k]
        return theirs

    def T(self, q: np.ndarray) -> np.ndarray:
        """v_pin = T v."""
        T, tree, q_pin = np.zeros((self.model.nv,) * 2), self.world.tree, self.q(q)
        for link, q_to, to in self.links:
            d, size = tree.v_index[link], V_SIZE[tree.joint_type[link]]
            T[to : to + size, d : d + size] = np.eye(size)
            if size == 6:
                R = pin.Quaternion(q_pin[q_to + 3 : q_to + 7]).toRotationMatrix()
                T[to : to + 3, d : d + 3] = R.T
        return T

    def T_dot_v(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rate of change of T, times v: -w x R' v of the free joints."""
        change, tree, v_pin = np.zeros(self.model.nv), self.world.tree, self.T(q) @ v
        for link, _, to in self.links:
            if tree.joint_type[link] == FREE:
                change[to : to + 3] = -np.cross(v_pin[to + 3 : to + 6], v_pin[to : to + 3])
        return change

    def _H(self, q: np.ndarray) -> np.ndarray:
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return upper + np.triu(upper, 1).T

    def inertia(self, q: np.ndarray) -> np.ndarray:
        T = self.T(q)
        return T.T @ self._H(q) @ T

    def bias_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        T = self.T(q)
        b = pin.nonLinearEffects(self.model, self.data, self.q(q), T @ v)
        return T.T @ (b + self._H(q) @ self.T_dot_v(q, v))

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        T = self.T(q)
        a = pin.aba(self.model, self.data, self.q(q), T @ v, T @ u)
        return T.T @ (a - self.T_dot_v(q, v))

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        T = self.T(q)
        a_pin = T @ a + self.T_dot_v(q, v)
        return T.T @ pin.rnea(self.model, self.data, self.q(q), T @ v, a_pin)

    def jacobian(self, q: np.ndarray, name: str) -> np.ndarray:
        frame = self._frame(name)
        return pin.computeFrameJacobian(
            self.model, self.data, self.q(q), frame, WORLD_AXES
        ) @ self.T(q)

    def drift(self, q: np.ndarray, v: np.ndarray, name: str) -> np.ndarray:
        a = self.T_dot_v(q, v)  # no acceleration of ours
        pin.forwardKinematics(self.model, self.data, self.q(q), self.T(q) @ v, a)
        pin.updateFramePlacements(self.model, self.data)
        return pin.getFrameClassicalAcceleration(
            self.model, self.data, self._frame(name), WORLD_AXES
        ).vector

    def centre_of_mass(self, q: np.ndarray) -> np.ndarray:
        return pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Linear momentum, then angular momentum about the centre of mass."""
        pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.T(q) @ v)
        return self.data.hg.vector

    def inverse_inertia(self, q: np.ndarray, names: list[str]) -> np.ndarray:
        """J H^-1 J' of frames, from the inverse of H."""
        J = np.vstack([self.jacobian(q, name) for name in names])
        return J @ np.linalg.inv(self.inertia(q)) @ J.T

    def _frame(self, name: str) -> int:
        assert self.model.existFrame(name), name
        return self.model.getFrameId(name)
