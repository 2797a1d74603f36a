# Each target makes its own virtual environment when there is none.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BENCH := .venv-bench
BENCH_INSTALLED := $(BENCH)/.installed
LAB := .venv-experiments
LAB_INSTALLED := $(LAB)/.installed

.PHONY: demo test test-slow lint bench bench-quick bench-publish bench-clean figures figures-quick figures-clean clean

demo: $(INSTALLED)
	$(BIN)/python examples/digits.py demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow"

# Claims on real data, and what takes long; FEATMAP_DATA names the folder with the data sets.
test-slow: $(INSTALLED)
	$(BIN)/python -m pytest -m slow -s

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# featMAP beside its peers; FEATMAP_DATA names the folder with mnist.npz, else MNIST is downloaded. The quick form needs
# no data.
bench: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.bench

bench-quick: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.bench --quick

# The results of the full form into benchmarks/README.md and docs/images.
bench-publish: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.publish

bench-clean:
	rm -rf benchmarks/results

# The paper's experiments on the real data; continues where it stopped. The quick form takes parts of the data.
figures: $(LAB_INSTALLED)
	$(LAB)/bin/python -m experiments.figures

figures-quick: $(LAB_INSTALLED)
	$(LAB)/bin/python -m experiments.figures --quick

# Forget the maps made so far, as after a change of the method.
figures-clean:
	rm -rf experiments/cache experiments/quick

$(LAB_INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(LAB)
	$(LAB)/bin/python -m pip install --quiet --upgrade pip
	$(LAB)/bin/python -m pip install --quiet --editable ".[experiments]"
	touch $@

$(BENCH_INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet --editable ".[bench]"
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) $(LAB) demo build .pytest_cache .mypy_cache .ruff_cache

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[plot,test,lint]"
	touch $@
