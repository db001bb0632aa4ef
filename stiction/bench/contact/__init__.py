"""Speed with ground contact, compared with MuJoCo: cases, contact models, contenders, race."""
