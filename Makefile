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
NOTEBOOKS := .venv-notebooks
DOCS := .venv-docs
BENCH := .venv-bench
BENCH_INSTALLED := $(BENCH)/.installed
LAB := .venv-experiments
LAB_INSTALLED := $(LAB)/.installed
# Tests run side by side: each worker begins with its half of the files, in order, so that tests of one file share what
# they prepare, and takes over some of the other's when it has done them. So neither is idle at the end.
WORKERS ?= 2
SIDE_BY_SIDE := -n $(WORKERS) --dist worksteal

.PHONY: demo test test-slow test-lowest test-newest test-processors test-kills test-notebooks notebooks test-extras dist release-check
.PHONY: lint clean web docs docs-clean environment
.PHONY: bench bench-quick bench-cluster bench-publish bench-clean figures figures-quick figures-clean
.NOTPARALLEL:  # two installations into one environment at once would spoil it

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py demo

test: $(VENV)/.test $(VENV)/.peers $(VENV)/.browser
	mkdir -p build
	$(BIN)/python -m pytest -m "not slow" $(SIDE_BY_SIDE) --junitxml=build/tests.xml
	$(BIN)/python .ci/times.py build/tests.xml

# Claims on real data, and what takes long; FEATMAP_DATA names the folder with the data sets.
test-slow: $(VENV)/.test $(VENV)/.peers $(VENV)/.scanpy
	$(BIN)/python -m pytest -m slow -s --ignore tests/test_dask_kills.py

# What takes too long for every change: the page of CONTRIBUTING says which changes need it. FEATMAP_DATA as above.
release-check: test-processors test-kills test-notebooks test-extras docs figures-quick dist

# The tests with the bits of other processors: maps differ in their last bits by the kernels of OpenBLAS and by what numba
# compiles for. Each has kernels of its own. SkylakeX needs a processor with AVX-512.
PROCESSORS ?= Haswell:host SkylakeX:host Haswell:generic
test-processors: $(VENV)/.test $(VENV)/.peers $(VENV)/.browser
	for kind in $(PROCESSORS); do \
	  blas=$${kind%:*}; name=$${kind#*:}; echo "OpenBLAS for $$blas, numba for $$name"; \
	  [ $$name = host ] && unset NUMBA_CPU_NAME || export NUMBA_CPU_NAME=$$name; \
	  OPENBLAS_CORETYPE=$$blas NUMBA_CACHE_DIR=$(abspath build)/kernels-$$name \
	    $(BIN)/python -m pytest -m "not slow" -q $(SIDE_BY_SIDE) || exit 1; \
	done

# Fits on a cluster whose workers are killed at random times, and one of data larger than the memory of a worker. It
# prints each kill and each fit.
test-kills: $(VENV)/.test
	$(BIN)/python -m pytest -m slow -s tests/test_dask_kills.py

# The explorer's widget in real notebooks. They bring many packages, so they have an environment of their own.
test-notebooks: $(NOTEBOOKS)/.installed
	$(NOTEBOOKS)/bin/python -m pytest -m slow tests/test_explorer_notebooks.py

# The notebooks of the examples run again, with their outputs.
notebooks: $(NOTEBOOKS)/.installed
	$(NOTEBOOKS)/bin/python .ci/notebooks.py

$(NOTEBOOKS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(NOTEBOOKS)
	$(NOTEBOOKS)/bin/python -m pip install --quiet --upgrade pip
	$(NOTEBOOKS)/bin/python -m pip install --quiet --editable ".[notebooks]"
	touch $@

lint: $(VENV)/.lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python .ci/docstrings.py

# The explorer's page, which is committed with the library. A test builds it again and compares the bytes.
web: web/node_modules/.installed
	cd web && npm run --silent check && npm run --silent build

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

# On a busy machine the threads of a classifier or of t-SNE wait for each other.
ONE_BLAS_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The site of the documentation, into build/docs. It runs every example and draws every picture anew.
docs: $(DOCS)/.installed docs-clean
	$(ONE_BLAS_THREAD) $(DOCS)/bin/python docs/computed.py
	$(ONE_BLAS_THREAD) $(DOCS)/bin/python -m sphinx -W --keep-going --quiet docs build/docs

docs-clean:
	rm -rf build/docs docs/generated

$(DOCS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --editable ".[docs]"
	touch $@

# What other versions of the dependencies or another processor could change: kernels, files, input, each surface once.
VERSIONS := -m versions -x -q $(SIDE_BY_SIDE)

# The floors of pyproject.toml, all together. Releases of that age call what later releases of their own dependencies
# deprecate (matplotlib 3.9 does so with pyparsing 3.3): that is not an error here, as it is elsewhere. Another numba of
# the same Python would replace the compiled kernels beside the sources, so this one keeps its own.
test-lowest: $(LOWEST)/.installed
	NUMBA_CACHE_DIR=$(abspath $(LOWEST))/kernels $(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning $(VERSIONS) tests

# The newest releases, in an environment that each run makes anew. The package is built from the source distribution and
# its tests run there, so that a file which is missing from the distribution or the wheel is noticed.
test-newest:
	$(NEWEST_PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --upgrade pip build
	rm -rf $(SDIST)
	$(NEWEST)/bin/python -m build --sdist --outdir $(SDIST) . > /dev/null
	tar -xzf $(SDIST)/*.tar.gz -C $(SDIST) --strip-components 1
	$(NEWEST)/bin/python -m pip install --quiet "./$(SDIST)[test]"
	cd $(SDIST) && $(abspath $(NEWEST))/bin/python -m pytest $(VERSIONS) tests

# What a release uploads, of the last commit: two builds must have the same bytes, and an index must be able to show the
# README.
dist: $(VENV)/.dist
	$(BIN)/python .ci/dist.py
	$(BIN)/twine check --strict dist/*

# Each extra alone in a fresh environment, from the wheel: what needs it works with it, and names it without it. EXTRAS
# chooses some of them.
test-extras:
	$(PYTHON) .ci/extras.py $(EXTRAS)

# featMAP beside its peers; FEATMAP_DATA names the folder with mnist.npz, else MNIST is downloaded. The quick form needs
# no data.
bench: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.bench

bench-quick: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.bench --quick

# A local cluster of two worker processes beside the local fit, and UMAP on a sample; see benchmarks/cluster.py.
bench-cluster: $(BENCH_INSTALLED)
	$(BENCH)/bin/python -m benchmarks.cluster

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

# What lint, demo and test need of .venv.
environment: $(VENV)/.lint $(VENV)/.demo $(VENV)/.test $(VENV)/.peers $(VENV)/.browser

clean: docs-clean
	rm -rf web/node_modules $(VENV) $(LOWEST) $(NEWEST) $(NOTEBOOKS) $(DOCS) $(BENCH) $(LAB) demo build .pytest_cache .mypy_cache .ruff_cache

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
