# Each target sets up what it needs in .venv, with pinned versions, and then does its job.
PYTHON ?= python3
PIP = .venv/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt
SOURCES = pyproject.toml constraints.txt

.PHONY: demo test check docs bench slow wheel clean
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

# Style, types, and that links, commands and examples of the documentation are right; `make docs` runs its cells as well.
check: .venv/full
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/pyright
	.venv/bin/python -m pytest tests/test_docs.py tests/test_doctests.py

docs: .venv/docs
	.venv/bin/sphinx-build --fail-on-warning --keep-going --fresh-env --builder html docs docs/_build/html

bench: .venv/peers
	.venv/bin/python -m benchmarks engine

# Builds what is uploaded, and runs the wheel in an environment that has nothing but its dependencies: no torch, no sources.
wheel: .venv/base
	rm -rf dist build/wheel
	.venv/bin/python -m hatchling build --directory dist
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	! build/wheel/bin/pip show --quiet torch 2>/dev/null
	build/wheel/bin/graphfsa --help
	cd build/wheel && for program in networkx_graphs own_task; do bin/python -I ../../examples/$$program.py || exit 1; done

clean:
	rm -rf .venv build demo dist docs/_build
