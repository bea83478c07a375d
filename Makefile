# Targets are listed by `make help`. Stamps below .venv make every second run quick.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
JOBS ?= 2
PROGRAMS ?= 5000
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

# Run every program that matches, stop at the first that fails, and fail if there is none.
run_all = for program in $(1); do echo "== $$program"; $(BIN)/python $$program; done

.DEFAULT_GOAL := help
.PHONY: math-exhaustive help demo test test-devices test-addresses test-validation test-mesa22 check fuzz soak bench smoke venv devices generate format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/stamp-demo ## install what is missing and run the examples
	@$(PYTHON) tools/install_devices.py demo
	@. .devices/env-demo.sh; $(call run_all,examples/[a-z]*.py)

test: ## install what is missing and run every test on every device
	@$(MAKE) --no-print-directory test-devices
	@$(MAKE) --no-print-directory test-validation
	@$(MAKE) --no-print-directory test-addresses
	@$(MAKE) --no-print-directory test-mesa22

test-devices: devices
	@. .devices/env.sh; NUMBA_VULKAN_TEST_DEVICES=llvmpipe,swiftshader $(PYTEST) -q -n $(JOBS) $(ARGS)

# Kernels that use memory and loops in every way they can, once more as for GPUs: with loops unrolled and work done in
# pairs, arrays reached by address, as those of many arrays are, and copied through staging buffers.
ADDRESSED := arrays arrival_of_errors atomics barrier_places constant_arrays control_flow_shapes expressions \
    local_arrays loops overlapping_arguments print raising records rounds_of_loops small_arrays sorting_and_stencils \
    streams types uniform_barriers views
test-addresses: devices
	@. .devices/env.sh; NUMBA_VULKAN_LOADS_WAIT=1 NUMBA_VULKAN_ADDRESSES=1 NUMBA_VULKAN_STAGED=1 NUMBA_VULKAN_PAIRS=1 \
	    NUMBA_VULKAN_TEST_DEVICES=llvmpipe,swiftshader $(PYTEST) -q -n $(JOBS) $(ADDRESSED:%=tests/device/test_%.py) $(ARGS)

# A message of the validation layer is a warning, and a warning fails a test. Memory is measured without the layer. Few
# random programs will do: what they can make the layer say, they say soon. Long ones only make it slow. Python overwrites
# what it frees, so that a structure which no longer exists looks wrong to the layer.
test-validation: devices
	@. .devices/env.sh; PYTHONMALLOC=debug NUMBA_VULKAN_DEBUG=2 NUMBA_VULKAN_TEST_DEVICES=llvmpipe \
	    $(PYTEST) -q -n $(JOBS) -k llvmpipe --programs=30 --ignore=tests/differential/test_long_programs.py tests/device tests/differential $(ARGS)

# Only Debian 12 offers this driver; the file that selects it is written there alone.
test-mesa22: devices
	@if [ -e .devices/env-mesa22.sh ]; then . .devices/env-mesa22.sh; \
	    NUMBA_VULKAN_TEST_DEVICES=llvmpipe $(PYTEST) -q -n $(JOBS) -m mesa22 $(ARGS); \
	else echo "llvmpipe of Mesa 22.3 is not available on this system: its tests did not run"; fi

math-exhaustive: .venv/stamp-dev ## errors of the math functions over all float32 numbers, into docs/math.md (hours; resumable)
	$(BIN)/python tools/measure_math.py --exhaustive

check: .venv/stamp-dev ## lint, format, types, import directions and quick unit tests, within a minute
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache
	$(PYTEST) -q -n $(JOBS) -m "not slow" tests/unit

fuzz: devices ## compare PROGRAMS=5000 random programs with pure Python, from a new seed
	@. .devices/env.sh; $(PYTEST) -q -n $(JOBS) --hypothesis-profile=fuzz --programs=$(PROGRAMS) --seed=random \
	    --timeout=0 tests/differential $(ARGS)

soak: devices ## repeat launches, arrays, kernels and devices by the thousand and look for what stays behind
	@. .devices/env.sh; $(PYTEST) -q -s --soak --timeout=0 tests/memory $(ARGS)

bench: devices ## run the benchmarks
	@. .devices/env.sh; $(call run_all,benchmarks/[a-z]*.py)

smoke: devices ## import and run one kernel on Python 3.12 and 3.13, where they are found
	@. .devices/env.sh; $(PYTHON) tools/smoke.py

venv: .venv/stamp-dev ## make the virtual environment of developers

devices: .venv/stamp-dev ## install the Vulkan devices and tools of the tests; `. .devices/env.sh` selects them
	@$(PYTHON) tools/install_devices.py test

generate: devices ## write the generated sources again: the Vulkan binding and the SPIR-V tables
	@$(call run_all,tools/generate_*.py)
	$(BIN)/ruff format src

format: .venv/stamp-dev ## format the sources and apply what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the virtual environments, devices and caches
	rm -rf .venv .smoke .devices .published .pytest_cache .hypothesis .ruff_cache .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A minimal Debian has Python without its venv module.
.venv/stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	    { echo "Python 3.11 to 3.13 is needed; name one with: make PYTHON=python3.x ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	        apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends python3-venv; \
	    else echo "Python's venv module is missing: install python3-venv (Debian, Ubuntu) as root"; exit 1; fi; }
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@touch $@

.venv/stamp-demo: .venv/stamp-venv pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group demo
	@touch $@

.venv/stamp-dev: .venv/stamp-venv pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@ .venv/stamp-demo
