"""The tasks of a workspace."""
