"""Setup, checks, and generators behind the Makefile."""
