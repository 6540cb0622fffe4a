"""The trash: what a person deletes can be restored for 30 days."""
