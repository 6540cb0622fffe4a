"""The screens of workspaces."""
