# Each target sets up what it needs in .venv, with pinned versions, and then does its job.
PYTHON ?= python3
PIP = .venv/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt
SOURCES = pyproject.toml constraints.txt

.PHONY: demo test check docs bench slow clean
.DEFAULT_GOAL := demo

.venv/base: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(PIP) hatchling editables
	$(PIP) --no-build-isolation --editable .
	touch $@

.venv/full: .venv/base
	$(PIP) --no-build-isolation --editable '.[dev,train,pyg]'
	touch $@

.venv/peers: .venv/full
	$(PIP) python-lifelib
	touch $@

.venv/docs: .venv/base
	$(PIP) --no-build-isolation --editable '.[docs,train]'
	touch $@

demo: .venv/base
	.venv/bin/graphfsa demo --out demo

test: .venv/full
	.venv/bin/python -m pytest

slow: .venv/full
	.venv/bin/python -m pytest -m slow

check: .venv/full
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/pyright

docs: .venv/docs
	.venv/bin/sphinx-build --fail-on-warning --keep-going --fresh-env --builder html docs docs/_build/html

bench: .venv/peers
	.venv/bin/graphfsa bench engine

clean:
	rm -rf .venv demo docs/_build
