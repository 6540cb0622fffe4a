# The main targets are `make run` and `make test`. Both install what they need. The logic is in scripts/.

PYTHON ?= python3
BIN = .venv/bin
export PYTHONUTF8 = 1

.PHONY: help setup run check test pictures eval bench bench-auth bench-journeys bench-ui security pains mutants sbom lint fix lock dev clean soak
.SILENT:

help: ## List the targets
	awk -F '[a-z -]*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: python ## Install everything; can be repeated at any time
	$(PYTHON) scripts/setup.py all

run: python ## Serve on http://127.0.0.1:8000, or on PORT=...
	$(PYTHON) scripts/setup.py app
	exec $(BIN)/fundwright serve $(if $(PORT),--port $(PORT))

check: setup ## Check style and types, and run the tests that need neither PostgreSQL nor a browser
	exec $(BIN)/python -m scripts.check --units

test: python ## Run all checks that a change needs before it lands: style, types, architecture, unit, and browser tests
	$(PYTHON) scripts/setup.py test
	exec $(BIN)/python -m scripts.check

eval: setup ## Measure the quality of results; ONLY="retrieval relevance" measures only these, KEEP=1 adds the tables to docs/quality.md
	exec $(BIN)/python -m benchmarks.eval $(ONLY) $(if $(KEEP),--keep)

bench: setup ## Measure performance against the goals; PARTS="opportunities" measures only this part
	exec $(BIN)/python -m benchmarks $(PARTS)

bench-auth: setup ## Measure sign-in under load
	exec $(BIN)/python -m benchmarks auth

bench-journeys: setup ## Measure everyday interactions in a browser, with and without 50 ms latency; KEEP=1 adds the table to docs/performance.md
	exec $(BIN)/python -m benchmarks.journeys $(if $(KEEP),--keep)

bench-ui: setup ## Compare the user interface with other Python frameworks, which are installed in var/; PARTS="peers lists" runs only these
	exec $(BIN)/python -m benchmarks.ui $(PARTS)

soak: setup ## Run the slow tests, simulate 100 people for 30 minutes (SOAK_MINUTES=...) while processes are killed, attack for 10 minutes (SOAK_HOSTILE_MINUTES=...), read 5,000 hostile documents of each format (SOAK_FILES=...), then fuzz for 30 minutes (SOAK_FUZZING_MINUTES=...)
	exec $(BIN)/python -m tests.soak

pictures: setup ## Take the pictures of all screens in docs/images/screens again
	UPDATE_PICTURES=1 exec $(BIN)/python -m pytest -q -m slow e2e/journeys/screens/test_pictures.py

security: setup ## Run the tests of the security checklist
	exec $(BIN)/python -m scripts.checklists security

pains: setup ## Run the tests for known problems of server-driven interfaces, then reintroduce each to check that a test fails
	$(BIN)/python -m scripts.checklists pains
	exec $(BIN)/python -m scripts.mutants pains

mutants: setup ## Break each promise on purpose and check that a test fails; ONLY="security/16 pains/05" breaks only these, KEEP=1 notes the tests
	exec $(BIN)/python -m scripts.mutants $(ONLY) $(if $(KEEP),--keep)

sbom: setup ## List all locked Python and npm packages in var/sbom, as CycloneDX files for vulnerability scanners
	exec $(BIN)/python -m scripts.sbom

lint: setup ## Check style and types only
	exec $(BIN)/python -m scripts.check --style

fix: setup ## Format the code, apply automatic fixes, and regenerate generated files
	exec $(BIN)/python -m scripts.fix

lock: python ## Lock the dependencies of pyproject.toml and package.json; UPGRADE=1 upgrades to the newest versions
	$(PYTHON) scripts/setup.py lock
	$(BIN)/uv pip compile pyproject.toml --all-extras --group build --group model --group dev --group weights --group weights-fallback --group recognition \
		--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --quiet -o requirements.lock $(if $(UPGRADE),--upgrade)
	npm $(if $(UPGRADE),update,install) --package-lock-only --no-audit --no-fund

dev: setup ## Serve, and restart whenever a source file or a file in WATCH=... changes
	exec $(BIN)/python -m scripts.dev $(if $(PORT),--port $(PORT)) $(if $(WATCH),--watch $(WATCH))

clean: ## Remove everything that setup created, but never your data
	rm -rf .venv node_modules web/dist var src/fundwright/core/locales/stamp src/fundwright/core/locales/*/*/*.mo .pytest_cache .ruff_cache .import_linter_cache test-results

.PHONY: python
python:
	command -v $(PYTHON) >/dev/null || { echo "Fundwright needs Python 3.11 or newer. Install it (Debian: apt-get install python3 python3-venv; macOS: brew install python) and run this again." >&2; exit 1; }
