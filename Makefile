# The two that matter: `make run` and `make test`. Both install what they need. The logic is in scripts/.

PYTHON ?= python3
BIN = .venv/bin
export PYTHONUTF8 = 1

.PHONY: help setup run check test eval bench bench-auth bench-journeys bench-ui security pains mutants sbom lint fix lock dev clean soak
.SILENT:

help: ## Say what each target does
	awk -F '[a-z -]*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: python ## Install everything; again at any time
	$(PYTHON) scripts/setup.py all

run: python ## Serve on http://127.0.0.1:8000, or on PORT=...
	$(PYTHON) scripts/setup.py app
	exec $(BIN)/fundwright serve $(if $(PORT),--port $(PORT))

check: setup ## Check style, types, and what needs neither PostgreSQL nor a browser
	exec $(BIN)/python -m scripts.check --units

test: python ## Check all that a change needs before it lands: style, types, architecture, units, journeys in a browser
	$(PYTHON) scripts/setup.py test
	exec $(BIN)/python -m scripts.check

eval: setup ## Measure how good the results are, each figure beside a floor; ONLY="retrieval relevance" measures only these, KEEP=1 adds them to docs/quality.md
	exec $(BIN)/python -m benchmarks.eval $(ONLY) $(if $(KEEP),--keep)

bench: setup ## Measure what the goals are about; PARTS="opportunities" measures only this
	exec $(BIN)/python -m benchmarks $(PARTS)

bench-auth: setup ## Measure signing in under load
	exec $(BIN)/python -m benchmarks auth

bench-journeys: setup ## Measure what people do all day in a browser, near the server and 50 ms away; KEEP=1 adds it to docs/performance.md
	exec $(BIN)/python -m benchmarks.journeys $(if $(KEEP),--keep)

bench-ui: setup ## Compare the interface with that of other Python frameworks, which it installs in var/; PARTS="peers lists" runs only these
	exec $(BIN)/python -m benchmarks.ui $(PARTS)

soak: setup ## Run the slow tests, let 100 people work for 30 minutes (SOAK_MINUTES=...) while processes are killed, then fuzz for 30 minutes (SOAK_FUZZING_MINUTES=...)
	exec $(BIN)/python -m tests.soak

security: setup ## Run the tests of the security checklist
	exec $(BIN)/python -m scripts.checklists security

pains: setup ## Run the tests for known problems of server-driven interfaces, then reintroduce each to check that a test fails
	$(BIN)/python -m scripts.checklists pains
	exec $(BIN)/python -m scripts.mutants pains

mutants: setup ## Break each promise on purpose and check that a test fails; ONLY="security/16 pains/05" breaks only these
	exec $(BIN)/python -m scripts.mutants $(ONLY)

sbom: setup ## List all locked Python and npm packages in var/sbom, as CycloneDX files for vulnerability scanners
	exec $(BIN)/python -m scripts.sbom

lint: setup ## Check style and types only
	exec $(BIN)/python -m scripts.check --style

fix: setup ## Format, repair what can be repaired, write generated files anew
	exec $(BIN)/python -m scripts.fix

lock: python ## Lock the dependencies of pyproject.toml and package.json; UPGRADE=1 takes the newest
	$(PYTHON) scripts/setup.py lock
	$(BIN)/uv pip compile pyproject.toml --all-extras --group build --group model --group dev --group weights --group weights-fallback \
		--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --quiet -o requirements.lock $(if $(UPGRADE),--upgrade)
	npm $(if $(UPGRADE),update,install) --package-lock-only --no-audit --no-fund

dev: setup ## Serve, and start anew whenever a source file changes, or one in WATCH=...
	exec $(BIN)/python -m scripts.dev $(if $(PORT),--port $(PORT)) $(if $(WATCH),--watch $(WATCH))

clean: ## Remove everything that set-up made; never your data
	rm -rf .venv node_modules web/dist var src/fundwright/core/locales/stamp src/fundwright/core/locales/*/*/*.mo .pytest_cache .ruff_cache .import_linter_cache test-results

.PHONY: python
python:
	command -v $(PYTHON) >/dev/null || { echo "Fundwright needs Python 3.11 or newer. Install it (Debian: apt-get install python3 python3-venv; macOS: brew install python) and run this again." >&2; exit 1; }
