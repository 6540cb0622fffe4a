"""Benchmarks for the performance goals. `make bench` runs every module here and prints one report."""
