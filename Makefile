# Everything happens in a virtual environment of the project's own; Python >= 3.11 and make suffice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

SEEDS ?= 2000
RESUME ?=
NAMES ?=
KILLS ?= 500
SECONDS ?= 60
# Stories and kills of a record begin at a number that the commit gives, so that each has its own.
FROM_COMMIT = $(shell printf '%d' 0x$$(git log -1 --format=%h --abbrev=7 -- rmsd agents client tests))
PYTEST_OPTIONS ?=
# Tests start hundreds of Python processes, which would compile the same files again and again.
export PYTHONDONTWRITEBYTECODE :=
# Live tests wait more than they compute.
WORKERS ?= $(shell echo $$((2 * $$(nproc))))
# Tests of a module stay together as far as they can, so that its daemon or report is made once.
SPREAD = -n $(WORKERS) --dist worksteal
# The tests of this file are long, and what it imports takes each worker two seconds.
WITHOUT_SCHEMATHESIS = --ignore tests/fuzz/test_api.py -p no:schemathesis

.PHONY: help demo test test-long test-all clients pbs-clients slurm-diff deb docs check bench fidelity soak kills fuzz fuzz-system records format clean wheel test-compiled

help:
	@echo "make demo    set up, then show the whole system at work (under a minute)"
	@echo "make test    set up, then run the quick tests"
	@echo "make test-long  run the others: stories, kills, hostile parties, most live runs"
	@echo "make test-all  run all tests"
	@echo "make test-compiled  build a wheel, and run tests on its compiled core"
	@echo "make wheel   build a wheel for this machine, with a compiled core, into dist/"
	@echo "make clients  CLIENTS=DIR run real programs that use Slurm, in environments kept there"
	@echo "make pbs-clients  CLIENTS=DIR likewise, of PBS"
	@echo "make slurm-diff  compare with a real Slurm (needs Debian's slurm-wlm), and record what it says"
	@echo "make deb     a Debian package of rmsd and its libraries, in dist/"
	@echo "make docs    the documents as a site, in build/site"
	@echo "make check   lint and type checks"
	@echo "make bench   measure, and print figures"
	@echo "make fidelity  a table of live against simulated for every preset: some hours"
	@echo "make soak    SEEDS=N stories of faults, on virtual time, and a record of them"
	@echo "make kills   KILLS=N kill -9 of real processes under load, and other faults, with a record"
	@echo "make fuzz    SECONDS=N of hostile input for each reader of what comes from outside"
	@echo "make fuzz-system  SECONDS=N of hostile parties around a whole system (needs root)"
	@echo "make records all four records of docs/ anew, on this commit: some hours"
	@echo "make format  format the code"
	@echo "make clean   remove what make has made"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "rmsd needs Python >= 3.11; say make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q rmsd agents client  # also where bytecode is not cached by itself
	@touch $@

demo: $(READY)
	$(BIN)/rmsd demo

test: $(READY)
	$(BIN)/python -m pytest $(SPREAD) -m "not long and not slow" $(WITHOUT_SCHEMATHESIS) $(PYTEST_OPTIONS)

test-long: $(READY)
	$(BIN)/python -m pytest $(SPREAD) -m "long or slow" $(PYTEST_OPTIONS)

test-all: test test-long

test-compiled: $(READY)
	$(BIN)/python -m tests.compiled $(SPREAD) $(PYTEST_OPTIONS)

wheel: $(READY)
	RMSD_COMPILE=1 $(BIN)/python -m pip wheel --disable-pip-version-check --no-deps --wheel-dir dist .

clients: $(READY)
	$(BIN)/python -m tests.slurm_clients $(NAMES)

pbs-clients: $(READY)
	$(BIN)/python -m tests.pbs_clients $(NAMES)

slurm-diff: $(READY)
	$(BIN)/python -m tests.slurm_diff

deb: $(READY)
	$(BIN)/python deploy/package/build_deb.py $(if $(shell command -v lintian),--lintian)

docs: $(READY)
	$(BIN)/python deploy/site/build_site.py

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m tests.bench

fidelity: $(READY)
	$(BIN)/python -m tests.fidelity --write

soak: $(READY)
	$(BIN)/python -m tests.world --seeds $(SEEDS) --first $(FROM_COMMIT) --record docs/soak.json $(RESUME)

kills: $(READY)
	$(BIN)/python -m tests.soak kills=$(KILLS) stops cut full-disk tails restores recovery \
		--seed $(FROM_COMMIT) --record docs/kills.json

fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --record docs/fuzz.json

fuzz-system: $(READY)
	$(BIN)/python -m tests.fuzz_system --seconds $(SECONDS) --record docs/fuzz-system.json

records:
	$(MAKE) soak SEEDS=20000
	$(MAKE) kills KILLS=500
	$(MAKE) fuzz SECONDS=3600
	$(MAKE) fuzz-system SECONDS=3600
	$(BIN)/python -m tests.recorded

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
