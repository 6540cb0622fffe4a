"""Saved searches: the words, filters, and order of a list of opportunities under a name."""
