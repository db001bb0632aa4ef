"""Robots with legs of three collections, by the names that `st.load` takes.

A robot has legs if its collection says so: the biped, quadruped, humanoid and biomechanical models
in the README of mujoco_menagerie, and the tags biped, quadruped and humanoid of robot_descriptions
3.3. example-robot-data says nothing; its list was made by hand. One file of each
folder of mujoco_menagerie counts, the one that scene.xml includes.
"""

from __future__ import annotations

from typing import NamedTuple

TWO_FEET = {
    "mujoco_menagerie": """
        agility_cassie apptronik_apollo berkeley_humanoid booster_t1 fourier_n1 ms_human_700
        pal_talos/talos_position pndbotics_adam_lite robotis_op3 toddlerbot_2xc toddlerbot_2xm
        unitree_g1 unitree_h1
    """,
    "example-robot-data": """
        alexander_v1.lowerBodyOnly bolt g1_29dof_rev_1_0 g1_29dof_with_hand_rev_1_0 human icub
        icub_reduced romeo romeo_laas_small romeo_small simple_humanoid simple_humanoid_classical
        talos_full_v2 talos_full_v2_box talos_reduced talos_reduced_box talos_reduced_corrected
    """,
    "robot_descriptions": """
        adam_lite_mj apollo_mj atlas_drc atlas_v4 berkeley_humanoid bolt booster_t1 booster_t1_mj
        cassie cassie_mj cookie draco3 elf2 elf2_mj ergocub g1 g1_mj gene01 gr1 h1 h1_2 h1_2_mj
        h1_mj icub jaxon jvrc jvrc_mj luna luna_mj mujoco_humanoid_mj n1 n1_mj oli oli_mj op3_mj r2
        rhea romeo sigmaban simple_humanoid spryped talos talos_mj toddlerbot toddlerbot_2xc_mj
        toddlerbot_2xm_mj tron1_pf_tron1a_mj tron1_pf_tron1b_mj tron1_sf_tron1a_mj
        tron1_sf_tron1b_mj tron1_wf_tron1a_mj tron1_wf_tron1b_mj tron2_dach_tron2a_mj
        tron2_sf_tron2a_mj tron2_sfyg_tron2a_mj tron2_wf_tron2a_mj tron2_wfyg_tron2a_mj upkie
        valkyrie
    """,
}
MORE_FEET = {
    "mujoco_menagerie": """
        anybotics_anymal_b anybotics_anymal_c boston_dynamics_spot flybody google_barkour_v0
        google_barkour_vb unitree_a1 unitree_go1 unitree_go2
    """,
    "example-robot-data": """
        a1 anymal-kinova anymal_b_simple_description/anymal anymal_c_simple_description/anymal b1
        b1-z1 centauro go1 go2 hyq_no_sensors laikago quadruped solo solo12
    """,
    "robot_descriptions": """
        a1 a1_mj aliengo aliengo_mj anymal_b anymal_b_mj anymal_c anymal_c_mj anymal_d b1 b2 go1
        go1_mj go2 go2_mj hyq laikago mini_cheetah minitaur solo spot_mj wl_p311d wl_p311e
    """,
}


class Legged(NamedTuple):
    """A robot of a collection, and whether it has two feet."""

    collection: str
    name: str
    two_feet: bool

    @property
    def full_name(self) -> str:
        """What `st.load` takes."""
        return f"{self.collection}:{self.name}"


def legged() -> list[Legged]:
    """All of them, by collection and name."""
    found = []
    for lists, two_feet in ((TWO_FEET, True), (MORE_FEET, False)):
        for collection, names in lists.items():
            end = "_description" if collection == "robot_descriptions" else ""
            found += [Legged(collection, name + end, two_feet) for name in names.split()]
    return sorted(found, key=lambda one: (list(TWO_FEET).index(one.collection), one.name))
