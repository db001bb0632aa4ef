"""Types of the parameters of contact models: each with a unit and bounds that `simulate` checks."""

from typing import Annotated

from stiction.contact.contact_model import FRICTION, RESTITUTION, Parameter

Stiffness = Annotated[float, Parameter("N/m", low=0)]
Damping = Annotated[float, Parameter("N s/m", low=0)]
Friction = Annotated[float, Parameter("", low=0, role=FRICTION)]  # coefficient, of any kind
Restitution = Annotated[float, Parameter("", low=0, high=1, role=RESTITUTION)]
Speed = Annotated[float, Parameter("m/s", low=0)]
Duration = Annotated[float, Parameter("s", low=0)]
Mass = Annotated[float, Parameter("kg", low=0)]
Exponent = Annotated[float, Parameter("", low=0, high=10)]
Fraction = Annotated[float, Parameter("", low=0, high=1)]
Switch = Annotated[float, Parameter("0 or 1", low=0, high=1)]

# Settings of a solver: one value for all pairs of materials.
Option = Annotated[float, Parameter("0 or 1", low=0, high=1, per_pair=False)]
Tolerance = Annotated[float, Parameter("", low=1e-15, high=0.1, per_pair=False)]  # relative
RankTolerance = Annotated[float, Parameter("", low=0, high=1, per_pair=False)]  # singular values
