"""Contact models against measurements: tossed cubes, a walking human."""
