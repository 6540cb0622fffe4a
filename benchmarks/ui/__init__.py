"""The user interface beside others written in Python: the same page, the same script, one run."""
