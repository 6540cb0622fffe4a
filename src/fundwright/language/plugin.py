"""What language registers through the plug-in seam."""
