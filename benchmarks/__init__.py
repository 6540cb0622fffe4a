"""Measurements of what the goals are about. `make bench` runs every module here and prints one report."""
