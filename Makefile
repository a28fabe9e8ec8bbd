# make book    the book, in _build/html          make format  lay out the code
# make test    all checks, most tests            make bench   speed against Numba's simulator and NumPy
# make lab     the labs, in JupyterLab           make labs    student copies of the labs from instructor/, or of LAB=name
# make live    the book with pages that run, in _build/live; WHEELS=folder has NumPy for Pyodide
# make lite    the labs in JupyterLite, in _build/lite; WHEELS as above (make live has them beside the book)
# make course  the labs for a class; then make collect FROM=folder-or-zip, make grade, make mark, make feedback,
#              make grades, make alike: the page "Teaching with the labs" walks through them
# make try     what a lab's own solution gets, or FROM=notebook, or STARTER=1 what is untouched: LAB=name;
#              UNSAFE=1 where nothing makes a box
# make image   the image of the boxes that podman or docker make; BY=docker, PART=hub for a JupyterHub,
#              PART=grader for Kubernetes
# make serve   the book at a local address       make lock    requirements.txt from the ranges in pyproject.toml
# make lint    only the static checks            make coverage  tests, with the lines they miss
#
# Needs Python 3.11 or newer: `make book PYTHON=python3.12` picks one.

PYTHON ?= python3
PORT ?= 8000

VENV := .venv/bin
REQUIREMENTS := .venv/requirements.installed
PACKAGE := .venv/package.installed

.PHONY: book test lint layout types tests lab labs course collect grade mark feedback grades alike try image wheels-named live lite \
  test-browser-python serve bench format lock coverage clean
.DEFAULT_GOAL := book

$(REQUIREMENTS): requirements.txt
	@test ! -L .venv || { echo ".venv is a link, and installing would empty what it leads to: remove the link, or install there"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"$(PYTHON) is {sys.version.split()[0]}; name a newer one: make PYTHON=python3.11")'
	@echo "Installing the course's environment into .venv; the first time this takes a few minutes."
	$(PYTHON) -m venv --clear .venv
	$(VENV)/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements.txt
	@touch $@

$(PACKAGE): $(REQUIREMENTS) pyproject.toml
	$(VENV)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	-@$(VENV)/python -m compileall -qq -j 0 .venv gpusim book labs # once, by all cores, and not in each of hundreds of processes
	@touch $@

book: $(PACKAGE)
	$(VENV)/jupyter-book build . -W -n --keep-going
	@$(VENV)/python -c 'import pathlib; print("Open the book:", pathlib.Path("_build/html/index.html").resolve().as_uri())'

lint: layout types

layout: $(PACKAGE)
	$(VENV)/ruff check
	$(VENV)/ruff format --check
	$(VENV)/lint-imports

types: $(PACKAGE)
	$(VENV)/mypy

# a process more than there are cores, as browsers are waited for, at most eight; a group of tests
# (tests/conftest.py) stays in one of them
SHARED_OUT = -n $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() + 1, 8))')

# of many like cases a part; `make test TESTS=--hypothesis-profile=all` takes all
test: layout
	@$(MAKE) --no-print-directory --jobs 2 types tests

tests: $(PACKAGE)
	$(VENV)/python -m pytest $(SHARED_OUT) $(TESTS)

coverage: $(PACKAGE)
	$(VENV)/python -m pytest $(SHARED_OUT) --cov

lab: export PATH := $(CURDIR)/$(VENV):$(PATH)
lab: $(PACKAGE)
	cd labs && ../$(VENV)/jupyter lab

labs: $(PACKAGE)
	$(VENV)/python labs/release.py $(if $(LAB),"$(LAB)")

# of a class: COURSE is its folder. collect: REPLACE=1 takes what is older, too; WHEN=times.csv, a time or `files` says when
# it was handed in. grade: LAB=name and STUDENT=id grade one,
# AGAIN=1 all anew, JOBS=4 so many at once, UNSAFE=1 without isolation, SCHEDULER=tcp://host:8786 on the workers of a Dask
# scheduler. mark: NO_BROWSER=1 and PORT=8899 say where it opens
COURSE ?= my-course

course collect grade mark feedback grades alike try: export PYTHONPATH := $(CURDIR)/labs
course collect grade mark feedback grades alike try: export PATH := $(CURDIR)/$(VENV):$(PATH)
course collect grade mark feedback grades alike try: $(PACKAGE)
	@$(VENV)/python -m classroom $@ --course "$(COURSE)" $(if $(FROM),--from "$(FROM)") $(if $(LAB),--lab "$(LAB)") $(if $(STUDENT),--student "$(STUDENT)") \
	  $(if $(REPLACE),--replace) $(if $(WHEN),--when "$(WHEN)") $(if $(NO_BROWSER),--no-browser) $(if $(filter command environment,$(word 1,$(origin PORT))),--port $(PORT)) \
	  $(if $(JOBS),--jobs $(JOBS)) $(if $(SCHEDULER),--scheduler "$(SCHEDULER)") $(if $(AGAIN),--again) $(if $(UNSAFE),--unsafe) $(if $(UNMARKED),--unmarked) $(if $(STARTER),--starter)

# BY is podman or docker, BASE another image with Python 3.11; PART is box, hub or grader
BY ?= podman
PART ?= box
IMAGE ?= gpusim-$(PART:box=course)

image:
	$(BY) build --target $(PART) --tag $(IMAGE) $(if $(BASE),--build-arg BASE=$(BASE)) $(OPTIONS) --file labs/container/Dockerfile .

LIVE := book/live/node_modules/.package-lock.json
WHEELS ?= $(GPUSIM_PYODIDE_WHEELS)

$(LIVE): book/live/package-lock.json
	npm ci --prefix book/live --silent --no-audit --no-fund

wheels-named: $(LIVE)
	@$(PYTHON) book/live/wheels.py "$(WHEELS)"

live: wheels-named book
	$(VENV)/python book/live/build.py "$(WHEELS)"
	$(VENV)/python book/live/lite.py "$(WHEELS)" _build/live/lab _build/live
	@echo "Serve it: $(VENV)/python -m http.server --bind 127.0.0.1 --directory _build/live $(PORT)"

lite: wheels-named $(PACKAGE)
	$(VENV)/python book/live/lite.py "$(WHEELS)"
	@echo "Serve it: $(VENV)/python -m http.server --bind 127.0.0.1 --directory _build/lite $(PORT)"

# the tests that need only NumPy, in the Python of a browser, in node; IN_BROWSER="tests/ir -k spill" takes some
BROWSER_SITE := _build/browser-python
NOT_THERE := tests/benchmarks tests/browser tests/classroom tests/hub tests/labs tests/live tests/mutation tests/release
IN_BROWSER ?= $(filter-out $(NOT_THERE),$(patsubst %/,%,$(wildcard tests/*/))) $(wildcard tests/test_*.py)

$(BROWSER_SITE)/pytest: $(PACKAGE)
	$(VENV)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(BROWSER_SITE) pytest pluggy iniconfig packaging pygments sortedcontainers "hypothesis<6.152" # later ones have compiled parts

test-browser-python: wheels-named $(BROWSER_SITE)/pytest
	node --stack-size=4000 tests/live/in_node.mjs "$(WHEELS)" $(BROWSER_SITE) -q --tb=short $(IN_BROWSER)

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
