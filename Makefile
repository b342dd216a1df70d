# One command, the same everywhere. `make` alone prints this list.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup check format test test-fast demo bench accept bless docs wheel clean

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.ferrule-setup
# The first interpreter that is new enough; PYTHON=... overrides.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
PYTEST := $(PY) -m pytest -q -n $(JOBS)

help: ## this list
	@echo "make TARGET, with TARGET one of:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

$(STAMP): pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed (Debian, Ubuntu: apt-get install python3 python3-venv)"; exit 1; fi
	@if [ ! -x $(PY) ]; then $(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment (Debian, Ubuntu: apt-get install python3-venv)"; exit 1; }; fi
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(STAMP) ## build .venv with Ferrule and its tools (quick when nothing changed)

check: $(STAMP) ## format, lint, types, laws of the house
	$(BIN)/ruff format --check src tests
	$(BIN)/ruff check src tests
	$(BIN)/mypy
	$(PY) -m pytest -q tests/laws

format: $(STAMP) ## write the format that `check` asks for
	$(BIN)/ruff format src tests
	$(BIN)/ruff check --fix src tests

test: $(STAMP) ## all tests
	$(PYTEST)

test-fast: $(STAMP) ## the tests of a coffee sip (below 90 s)
	$(PYTEST) -m "not slow"

demo: $(STAMP) ## a U-Net from file to verified C, with a picture
	$(BIN)/ferrule demo

bench: $(STAMP) ## Ferrule beside its peers, in the same run
	$(PY) -m benchmarks

accept: $(STAMP) ## the promises, row by row, measured
	$(PY) -m tests.accept

bless: $(STAMP) ## rewrite golden texts after you have read the difference
	FERRULE_BLESS=1 $(PYTEST)
	@git --no-pager diff --stat

docs: $(STAMP) ## generate the pages that come from the code
	$(PY) -m ferrule.docs

wheel: $(STAMP) ## dist/ferrule-*.whl
	$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .

clean: ## remove what was built, .venv too
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
