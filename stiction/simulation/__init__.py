"""Run a world: whole motions or step by step, with warnings where a result is not to be trusted."""
