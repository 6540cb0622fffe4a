"""What opportunities registers through the plug-in seam."""
