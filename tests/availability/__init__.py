"""Nobody can stop anyone: the worst allowed use of everything, and another person's clicks meanwhile."""
