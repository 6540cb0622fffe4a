"""The blog and feedback."""
