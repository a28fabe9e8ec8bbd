# make book    the book, in _build/html          make format  lay out the code
# make test    all checks, most tests            make bench   speed against Numba's simulator and NumPy
# make lab     the labs, in JupyterLab           make labs    student copies of the labs from instructor/
# make serve   the book at a local address       make lock    requirements.txt from the ranges in pyproject.toml
# make lint    only the static checks            make coverage  tests, with the lines they miss
#
# Needs Python 3.11 or newer: `make book PYTHON=python3.12` picks one.

PYTHON ?= python3
PORT ?= 8000

VENV := .venv/bin
REQUIREMENTS := .venv/requirements.installed
PACKAGE := .venv/package.installed

.PHONY: book test lint lab labs serve bench format lock coverage clean
.DEFAULT_GOAL := book

$(REQUIREMENTS): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"$(PYTHON) is {sys.version.split()[0]}; name a newer one: make PYTHON=python3.11")'
	@echo "Installing the course's environment into .venv; the first time this takes a few minutes."
	$(PYTHON) -m venv --clear .venv
	$(VENV)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

$(PACKAGE): $(REQUIREMENTS) pyproject.toml
	$(VENV)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

book: $(PACKAGE)
	$(VENV)/jupyter-book build . -W -n --keep-going
	@$(VENV)/python -c 'import pathlib; print("Open the book:", pathlib.Path("_build/html/index.html").resolve().as_uri())'

lint: $(PACKAGE)
	$(VENV)/ruff check
	$(VENV)/ruff format --check
	$(VENV)/mypy
	$(VENV)/lint-imports

# one process for each core, at most eight; a group of tests (tests/conftest.py) stays in one of them
SHARED_OUT := -n logical --maxprocesses 8

# of many like cases a part; `make test TESTS=--hypothesis-profile=all` takes all, as CI does
test: lint
	$(VENV)/python -m pytest $(SHARED_OUT) $(TESTS)

coverage: $(PACKAGE)
	$(VENV)/python -m pytest $(SHARED_OUT) --cov

lab: export PATH := $(CURDIR)/$(VENV):$(PATH)
lab: $(PACKAGE)
	cd labs && ../$(VENV)/jupyter lab

labs: $(PACKAGE)
	$(VENV)/python labs/release.py

serve: book
	@echo "Open the book: http://127.0.0.1:$(PORT)/ (Ctrl+C ends)"
	$(VENV)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

bench: $(PACKAGE)
	$(VENV)/python -m tests.benchmarks

format: $(PACKAGE)
	$(VENV)/ruff check --fix
	$(VENV)/ruff format

lock: $(PACKAGE)
	$(VENV)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-emit-package gpusim --upgrade --output-file requirements.txt --custom-compile-command "make lock"

clean:
	rm -rf _build .venv
