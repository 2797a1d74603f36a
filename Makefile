# Each target makes the environment that it needs when there is none. .venv gets an extra of pyproject.toml when a target
# first asks for it, so that the demo does not wait for linters and peers.
PYTHON ?= python3
# The ends of the range of versions that pyproject.toml promises.
OLDEST_PYTHON ?= python3.11
NEWEST_PYTHON ?= python3.13
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
NEWEST := .venv-newest
SDIST := build/sdist
BENCH := .venv-bench
BENCH_INSTALLED := $(BENCH)/.installed
LAB := .venv-experiments
LAB_INSTALLED := $(LAB)/.installed

.PHONY: demo test test-slow test-lowest test-newest lint clean
.PHONY: bench bench-quick bench-publish bench-clean figures figures-quick figures-clean
.NOTPARALLEL:  # two installations into one environment at once would spoil it

demo: $(VENV)/.plot
	$(BIN)/python examples/demo.py demo

test: $(VENV)/.test $(VENV)/.peers
	$(BIN)/python -m pytest -m "not slow"

# Claims on real data, and what takes long; FEATMAP_DATA names the folder with the data sets.
test-slow: $(VENV)/.test $(VENV)/.peers
	$(BIN)/python -m pytest -m slow -s

lint: $(VENV)/.lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python .ci/docstrings.py

# The library's own tests. Benchmarks and experiments need peers, which need versions of their own: they say nothing
# about the floors. Single tests beside a peer skip where there is none.
LIBRARY_TESTS := -m "not slow" -x -q --ignore-glob="*/test_bench*" --ignore-glob="*/test_experiment*"

# The floors of pyproject.toml, all together. Releases of that age call what later releases of their own dependencies
# deprecate (matplotlib 3.9 does so with pyparsing 3.3): that is not an error here, as it is elsewhere.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning $(LIBRARY_TESTS)

# The newest releases, in an environment that each run makes anew. The package is built from the source distribution and
# its tests run there, so that a file which is missing from the distribution or the wheel is noticed.
test-newest:
	$(NEWEST_PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --upgrade pip build
	rm -rf $(SDIST)
	$(NEWEST)/bin/python -m build --sdist --outdir $(SDIST) . > /dev/null
	tar -xzf $(SDIST)/*.tar.gz -C $(SDIST) --strip-components 1
	$(NEWEST)/bin/python -m pip install --quiet "./$(SDIST)[test]"
	cd $(SDIST) && $(abspath $(NEWEST))/bin/python -m pytest $(LIBRARY_TESTS) tests

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
	rm -rf $(VENV) $(LOWEST) $(NEWEST) $(BENCH) $(LAB) demo build .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(LOWEST)/.installed: pyproject.toml .ci/lowest.py
	$(OLDEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade pip
	$(LOWEST)/bin/python .ci/lowest.py test > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --only-binary :all: --constraint $(LOWEST)/constraints.txt --editable ".[test]"
	touch $@
