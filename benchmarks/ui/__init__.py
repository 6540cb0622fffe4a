"""Compares the user interface with those of other Python frameworks: the same page and the same script in one run."""
