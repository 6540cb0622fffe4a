"""What people did in a workspace."""
