"""The pipeline: the opportunities that a workspace pursues, and their stages."""
