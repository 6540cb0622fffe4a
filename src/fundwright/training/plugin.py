"""What training registers through the plug-in seam."""
