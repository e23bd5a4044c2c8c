# Each target sets up what it needs in .venv, from files whose hashes are in requirements/, and then does its job.
PYTHON ?= python3
# Nothing comes in by itself: no dependency that is not listed, and no tool to build one with.
INSTALL = pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation
HASHED = $(INSTALL) --require-hashes
# torch without CUDA, if an index has it; otherwise the registry's, which does not start on Linux without CUDA's libraries.
CPU = .venv/bin/$(HASHED) -r requirements/cpu.txt 2>/dev/null || echo "No CPU build of torch here; the registry's follows."
CUDA = if .venv/bin/pip check | grep '^torch '; then .venv/bin/$(HASHED) -r requirements/cuda.txt; fi
SOURCES = pyproject.toml $(wildcard requirements/*.txt)

MINUTES ?= 10

.PHONY: demo cluster test check fuzz torture soundness docs bench slow wheel sbom lock clean
.DEFAULT_GOAL := demo

.venv/base: $(SOURCES)
	$(PYTHON) -m venv .venv
	.venv/bin/$(HASHED) -r requirements/build.txt
	.venv/bin/$(HASHED) -r requirements/base.txt
	.venv/bin/$(INSTALL) --editable .
	touch $@

.venv/full: .venv/base
	$(CPU)
	.venv/bin/$(HASHED) -r requirements/train.txt -r requirements/pyg.txt -r requirements/notebook.txt -r requirements/server.txt \
		-r requirements/cluster.txt -r requirements/dev.txt
	$(CUDA)
	touch $@

.venv/peers: .venv/full
	.venv/bin/$(HASHED) -r requirements/peers.txt
	touch $@

.venv/docs: .venv/base
	$(CPU)
	.venv/bin/$(HASHED) -r requirements/train.txt -r requirements/docs.txt
	$(CUDA)
	touch $@

demo: .venv/base
	.venv/bin/graphfsa demo --out demo

test: .venv/full
	.venv/bin/python -m pytest

slow: .venv/full
	.venv/bin/python -m pytest -m slow

# Those that end a cluster in the middle of its work, too.
cluster: .venv/full
	.venv/bin/python -m pytest -n 1 -m "slow or not slow" tests/engine/cluster

# Style, types, and that links, commands and examples of the documentation are right; `make docs` runs its cells as well.
check: .venv/full
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/pyright
	.venv/bin/python -m pytest tests/test_docs.py tests/test_doctests.py

# Fresh randomness each time. The seed is printed, and a failure says how to run its block again.
fuzz: .venv/full
	.venv/bin/python -m stress fuzz --minutes $(MINUTES)

torture: .venv/full
	.venv/bin/python -m stress torture

soundness: .venv/full
	.venv/bin/python -m stress soundness --cases 10000

docs: .venv/docs
	.venv/bin/sphinx-build --fail-on-warning --keep-going --fresh-env --builder html docs docs/_build/html

bench: .venv/peers
	.venv/bin/python -m benchmarks engine

# Builds what is uploaded, and runs the wheel in an environment that has nothing but its dependencies: no torch, no sources.
wheel: .venv/base
	rm -rf dist build/wheel
	.venv/bin/python -m hatchling build --directory dist
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/$(HASHED) -r requirements/base.txt
	build/wheel/bin/$(INSTALL) dist/*.whl
	! build/wheel/bin/pip show --quiet torch 2>/dev/null
	build/wheel/bin/graphfsa --help
	cd build/wheel && for program in networkx_graphs own_task; do bin/python -I ../../examples/$$program.py || exit 1; done

# What a release is made of, for those who check it: a CycloneDX file beside the wheel.
sbom: .venv/base
	.venv/bin/python -m tools.sbom

# Writes requirements/ and docs/licences.md anew, after a change of pyproject.toml.
lock: .venv/base
	.venv/bin/python -m tools.lock

clean:
	rm -rf .venv build demo dist docs/_build
