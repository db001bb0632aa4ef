"""Sugihara & Nakamura, "Balanced Micro/Macro Contact Model for Forward Dynamics of Rigid ..."."""
