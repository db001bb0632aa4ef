"""Learning: tasks for legged robots, many worlds on a GPU, a policy trained and judged."""
