"""The screens and sidebar entries Fundwright registers through the plug-in seam."""
