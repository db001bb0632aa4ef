# A newcomer types `make demo` and `make test`; both make their own .venv and install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# A crashed worker ends the run; xdist would start another one and, with loadfile, may wait forever.
PYTEST_OPTIONS := --durations 20 -n $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0
SOME_TESTS := tests/test_public.py tests/test_cli.py $(addprefix tests/,description files motion robot sweeps world)
SYSTEM_PACKAGES := chromium libegl1 libgl1-mesa-dri

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo docs pictures transcript test test-all test-python lint format bench interpreted coverage
.PHONY: fuzz mutants some-tests package release-check peers system-deps clean
.NOTPARALLEL:

help:
	@echo "make demo          a small humanoid walks under every contact model and in MuJoCo: table, page, motions;"
	@echo "                   OPTIONS='--contact Coulomb --steps 2' is shorter (stiction demo --help)"
	@echo "make docs          the documentation site, in build/site; a warning fails"
	@echo "make pictures      the pictures of examples, tutorials and contact models, again; takes a while"
	@echo "make transcript    the tutorials, followed from the docs alone in a fresh environment; takes a while"
	@echo "make test          lint and the compiled tests, less the slow reproductions"
	@echo "make test-all      lint and all tests"
	@echo "make lint          ruff, mypy, import-linter"
	@echo "make format        let ruff lay out the code"
	@echo "make bench         microseconds a step, against MuJoCo"
	@echo "make interpreted   the tests without the compiler, as plain Python"
	@echo "make coverage      the same, and what they reach; takes twice as long"
	@echo "make fuzz          spoilt files for each reader, FOR=60 seconds; READER=mjcf, urdf, vrml, osim, checks;"
	@echo "                   KIND=scene, motion, robot, recorded, mesh, paths, policy, table, journal"
	@echo "make mutants       deliberate faults in the code, each of which a test must catch; takes a while"
	@echo "make test-python   a part of the tests under another Python: PYTHON=python3.13"
	@echo "make package       the sdist and the wheel in dist/, checked; URL=https://... for links to a host"
	@echo "make release-check the same, and the wheel in an environment of its own: its size, its times, the example"
	@echo "make peers         other engines, for the tests that compare with them (PyBullet, Drake, DART)"
	@echo "make system-deps   Debian packages of the browser and rendering tests ($(SYSTEM_PACKAGES))"
	@echo "make clean         remove what the targets above made, except .venv"

demo: $(VENV)/.installed
	$(BIN)/stiction demo $(OPTIONS)

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: $(VENV)/.installed
	$(BIN)/python docs/tools/pictures.py

transcript: $(VENV)/.installed
	$(BIN)/python docs/tools/transcript.py docs/tutorials/transcript.txt

test: lint
	$(BIN)/python -m pytest $(PYTEST_OPTIONS) -m "not slow and (jit or not interpreted)"

test-all: lint
	$(BIN)/python -m pytest $(PYTEST_OPTIONS)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# In an environment of its own; compiled, only what the second line names.
test-python:
	$(MAKE) some-tests VENV=build/$(shell $(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')

some-tests: $(VENV)/.installed-test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(PYTEST_OPTIONS) -m "not jit and not slow" $(SOME_TESTS)
	$(BIN)/python -m pytest $(PYTEST_OPTIONS) tests/test_public.py

package: $(VENV)/.installed-test
	$(BIN)/python tools/package.py --url "$(URL)"

release-check: $(VENV)/.installed-test
	$(BIN)/python tools/package.py --url "$(URL)" --fresh

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(VENV)/.installed
	$(BIN)/stiction bench dynamics $(OPTIONS)

# A kernel must be right as plain Python too, and what only one test would compile is tested here.
interpreted: $(VENV)/.installed-test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(PYTEST_OPTIONS) -m "not jit and not plain and not slow"

# Compiled code is invisible to coverage, so the tests run here as plain Python.
coverage: $(VENV)/.installed-test
	rm -f .coverage .coverage.*
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(PYTEST_OPTIONS) -m "not jit and not slow"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Keeps what it finds in fuzz/findings; SEED= repeats a run.
fuzz: $(VENV)/.installed-test
	$(if $(KIND),,$(BIN)/python fuzz/fuzz_readers.py --for $(or $(FOR),60) \
	    $(if $(READER),--reader $(READER)) $(if $(SEED),--seed $(SEED)) $(if $(ENGINE),--engine $(ENGINE)))
	$(if $(READER),,$(BIN)/python fuzz/fuzz_files.py --for $(or $(FOR),60) \
	    $(if $(KIND),--kind $(KIND)) $(if $(SEED),--seed $(SEED)))

# Deliberate faults in a copy of the package: a test must catch each. WORD= chooses those of a name.
mutants: $(VENV)/.installed-test
	$(BIN)/python fuzz/mutants.py $(WORD)

# The stamps are older than pyproject.toml when its dependencies may have changed. Python compiles what
# it imports by itself; doing it for all of every package would take as long as the installation.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[test]"
	touch $(VENV)/.installed $@

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[docs]"
	touch $@

peers: $(VENV)/.installed-peers

$(VENV)/.installed-peers: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[test,peers]"
	touch $(VENV)/.installed $(VENV)/.installed-test $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

system-deps:
	@missing=""; \
	for package in $(SYSTEM_PACKAGES); do \
	    dpkg -s $$package 2>/dev/null | grep -q '^Status: install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -z "$$missing" ]; then echo "system-deps: nothing is missing"; exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	    echo "system-deps: no apt-get here; install yourself what Debian calls:$$missing" >&2; exit 1; fi; \
	if [ "$$(id -u)" = 0 ]; then as_root=""; \
	elif command -v sudo >/dev/null; then as_root="sudo"; \
	else echo "system-deps: needs root or sudo to install:$$missing" >&2; exit 1; fi; \
	set -ex; \
	$$as_root apt-get update --quiet; \
	$$as_root env DEBIAN_FRONTEND=noninteractive \
	    apt-get install --quiet --yes --no-install-recommends $$missing

clean:
	rm -rf build dist *.egg-info htmlcov demo reproduce .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find stiction tests -name __pycache__ -type d -prune -exec rm -rf {} +
