"""Workspaces, their members, and invitations to them."""
