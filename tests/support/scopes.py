"""The scope of tests."""

from fundwright.core.scopes import installation

INSTALLATION = installation("unused files")
"""Tests themselves see all workspaces, as the removal of unused files does."""
