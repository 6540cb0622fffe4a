"""The layout around the screens of each area."""
