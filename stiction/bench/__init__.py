"""Benchmarks and demonstrations; they use the public API only."""
