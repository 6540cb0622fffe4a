"""Set-up, checks and generators behind the Makefile."""
