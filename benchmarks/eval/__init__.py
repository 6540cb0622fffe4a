"""How good the results are, each figure beside a floor from the same run: `make eval`. docs/quality.md says what is measured."""
