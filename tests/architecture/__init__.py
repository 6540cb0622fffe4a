"""The rules of the code base that no linter has."""
