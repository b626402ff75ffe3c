# Two commands matter: `make demo` and `make test`. Both set up .venv by themselves and reuse it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint figures clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $(STAMP)

demo: $(STAMP)
	$(BIN)/tapete demo

test: $(STAMP)
	$(BIN)/python -m pytest tests/rules --cov=rules --cov-branch
	$(BIN)/python tests/branch_coverage.py
	$(BIN)/python -m pytest --ignore=tests/rules

# The README's table of what is recognised, measured again; needs the labelled pictures beside the project, or DATA=DIR.
figures: $(STAMP)
	$(BIN)/tapete bench accuracy --readme README.md $(if $(DATA),--data $(DATA))

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --recursive rules vision service datasets --severity-level medium

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
