"""Rules for the code base that no linter checks."""
