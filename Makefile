# Each target sets up what it needs in .venv, with pinned versions, and then does its job.
PYTHON ?= python3
PIP = .venv/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt
SOURCES = pyproject.toml constraints.txt

.PHONY: demo test check bench slow clean
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

bench: .venv/peers
	.venv/bin/graphfsa bench engine

clean:
	rm -rf .venv demo
