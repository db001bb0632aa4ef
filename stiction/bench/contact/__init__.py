"""Speed on the ground, ours beside MuJoCo's: cases, contact models, contenders and the race."""
