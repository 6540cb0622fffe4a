"""What generation registers through the plug-in seam."""
