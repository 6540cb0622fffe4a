"""Quality of the results, each figure beside a baseline from the same run: `make eval`. docs/quality.md describes what is measured."""
