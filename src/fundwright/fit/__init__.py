"""How well an opportunity fits a workspace: a score from 0 to 100, with its parts and their reasons."""
