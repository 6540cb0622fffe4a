"""The notes that a workspace keeps on opportunities."""
