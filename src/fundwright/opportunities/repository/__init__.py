"""Every query of opportunities, by what it is for."""
