"""The frame around the screens of each area."""
