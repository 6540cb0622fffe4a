"""Everyday interactions, measured in a browser."""
