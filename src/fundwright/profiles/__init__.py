"""The profile of the organization that a workspace writes for."""
