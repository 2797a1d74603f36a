# Each target makes its own virtual environment when there is none.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test test-slow lint clean

demo: $(INSTALLED)
	$(BIN)/python examples/digits.py demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow"

# Claims on real data; FEATMAP_DATA names the folder with the data sets.
test-slow: $(INSTALLED)
	$(BIN)/python -m pytest -m slow -s

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) demo build .pytest_cache .mypy_cache .ruff_cache

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[plot,test,lint]"
	touch $@
