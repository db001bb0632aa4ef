"""The scenes of Le Lidec et al. 2023: contact criteria, and self-consistency against the step."""
