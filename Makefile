# The one door. Every target makes what it needs, the environment in .venv too: a fresh clone needs
# python3 (3.11 or newer), make, a C++20 compiler and PyPI, and nothing else.
#
#   make demo       watch a tree learn (options: make demo ARGS="--rows 100000")
#   make test       everything that must hold before a change lands
#   make test-long  the tests that take minutes, and the core under sanitizers
#   make fuzz       load a million damaged model files (options: make fuzz ARGS="--cases 10000")
#   make mutate     change the code in 200 places, and see which changes no test notices
#   make faults     300 runs with signals, full disks and the like at random moments
#   make soak       half an hour of rows, without and with a limit of memory
#   make audit      known holes of the locked requirements (make lock: lock them anew)
#   make check      style, types and layers only (part of `make test`)
#   make format     let the tools fix the style
#   make bench      compare with the peers (options: make bench ARGS="...")
#   make gallery    the pictures in docs/gallery anew, from real data where it is at hand
#   make reproduce  the paper's experiments (options: make reproduce ARGS="...")
#   make reproduce-smoke  a small part of them, in under three minutes
#   make docs       the documentation site, in build/docs
#   make wheel      a wheel, in dist (sdist: the source distribution)
#   make clean      remove what was built (distclean: .venv too)

PYTHON ?= python3
JOBS ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
EXPERIMENTS := $(VENV)/.experiments
DOCS := $(VENV)/.docs
SLIPPED_CORE := build/slipped-variance/.built
export PATH := $(CURDIR)/$(BIN):$(PATH)

CPP := $(shell find core bindings -name '*.cpp' -o -name '*.hpp' -o -name '*.h' 2>/dev/null)
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(filter-out core/tests/%,$(CPP))

# Side by side, to the end even where one fails, each one's output in one piece (where make knows
# how; macOS's does not).
SIDE_BY_SIDE := $(MAKE) --no-print-directory --keep-going -j$(JOBS) \
	$(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv demo test test-long test-core test-sanitized test-python test-wheel test-sdist \
	fuzz fuzz-core fuzz-sanitized test-threads test-optimised audit lock mutate faults soak check format bench gallery docs reproduce reproduce-smoke wheel sdist \
	clean distclean check-ruff check-format check-clang-format check-mypy check-layers

help:
	@sed -n 's/^#   //p' Makefile

# ---------------------------------------------------------------------------
# The environment
# ---------------------------------------------------------------------------

venv: $(READY)

PIP := $(BIN)/python -m pip --disable-pip-version-check

# The library and what the demonstration draws with. The package is installed editable: a change in
# Python is live at once; a change in C++ makes this stamp old, and only what it touches is compiled
# again, because build/python stays. That needs the build tools in .venv itself (no build
# isolation), so they come first; what it runs with is fetched while it is compiled. Modules are
# compiled to bytecode when they are first imported: most of them never are.
define REQUIREMENTS
import tomllib
table = tomllib.load(open("pyproject.toml", "rb"))
project = table["project"]
lists = {
    "build-requires": table["build-system"]["requires"],
    "requires": project["dependencies"] + project["optional-dependencies"]["plot"],
}
for name, lines in lists.items():
    open(f"$(VENV)/{name}.txt", "w").write("\n".join(lines) + "\n")
endef
export REQUIREMENTS
BUILD := --no-build-isolation --config-settings=build-dir=build/python
$(INSTALLED): $(BUILD_INPUTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	@test -x $(BIN)/python || { echo "== creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "== compiling sgtrees and installing it into $(VENV)"
	@$(BIN)/python -c "$$REQUIREMENTS"
	@$(PIP) install -qq --no-compile -r $(VENV)/build-requires.txt cmake ninja
	@$(PIP) install -qq --no-compile --no-deps $(BUILD) -e . & compiled=$$!; \
	  $(PIP) install -qq --no-compile -r $(VENV)/requires.txt; fetched=$$?; \
	  wait $$compiled && exit $$fetched
	@touch $@

# What the tests and checks need besides. Nothing is compiled for it: the library is there.
$(READY): $(INSTALLED)
	@echo "== installing the developers' tools into $(VENV)"
	@$(PIP) install -qq 'sgtrees[dev]'
	@touch $@

# The paper's experiments, with what they need besides.
$(EXPERIMENTS): $(READY) experiments/pyproject.toml
	@echo "== installing sgtrees-experiments into $(VENV)"
	@$(PIP) install -qq --no-build-isolation -e experiments
	@touch $@

# What makes the documentation site.
$(DOCS): $(READY)
	@echo "== installing Sphinx into $(VENV)"
	@$(PIP) install -qq 'sgtrees[docs]'
	@touch $@

# A second build of the core for one of their ablations.
$(SLIPPED_CORE): $(READY)
	@echo "== the core with the slip of the paper's programs"
	@cmake --preset slipped-variance --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset slipped-variance -j $(JOBS) -- --quiet
	@touch $@

# ---------------------------------------------------------------------------
# Use
# ---------------------------------------------------------------------------

demo: $(INSTALLED)
	@mkdir -p build
	@$(BIN)/sgtrees demo --png build/demo.png $(ARGS)

bench: $(EXPERIMENTS)
	@$(BIN)/python benchmarks/run.py $(ARGS)
	@$(if $(ARGS),,$(BIN)/python -m benchmarks.ensembles)

GALLERY := $(filter-out docs/gallery/figure_style.py docs/gallery/script_options.py,$(wildcard docs/gallery/*.py))

gallery: $(READY)
	@for script in $(GALLERY); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# An interrupted run continues where it stopped; only whole runs write the page in docs/.
reproduce: $(EXPERIMENTS) $(SLIPPED_CORE)
	@$(BIN)/sgtrees reproduce --out build/paper $(if $(ARGS),$(ARGS),--markdown docs/paper.md)
	@$(if $(ARGS),,$(BIN)/python -m benchmarks.ensembles --peers && $(BIN)/python -m benchmarks.ensembles)

reproduce-smoke: $(EXPERIMENTS) $(SLIPPED_CORE)
	@$(BIN)/sgtrees reproduce --out build/paper-smoke --fresh --rows 3000 --runs 2 \
	  --datasets higgs,covtype,aws,airline_nyc,atoms,musk1 $(ARGS)

# Warnings are errors, and every link within the site must lead somewhere.
docs: $(DOCS)
	@$(BIN)/python docs/site/build.py --out build/docs
	@echo "== build/docs/index.html"

# Of the objects that are compiled already.
wheel: $(INSTALLED)
	@rm -rf dist/*.whl
	@$(PIP) wheel -qq $(BUILD) --no-deps --wheel-dir dist .
	@ls -l dist/*.whl

sdist: $(INSTALLED)
	@rm -rf dist/*.tar.gz
	@$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")' > /dev/null
	@ls -l dist/*.tar.gz

# ---------------------------------------------------------------------------
# Tests
# ---------------------------------------------------------------------------

test: $(EXPERIMENTS)
	@$(SIDE_BY_SIDE) check test-core
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory test-wheel
	@echo "== all tests passed"

test-long: $(EXPERIMENTS) $(SLIPPED_CORE)
	@$(MAKE) --no-print-directory test-sdist
	@$(MAKE) --no-print-directory test-sanitized
	@$(MAKE) --no-print-directory test-threads
	@$(MAKE) --no-print-directory test-optimised
	@$(MAKE) --no-print-directory fuzz-core ARGS=
	@$(MAKE) --no-print-directory fuzz-sanitized ARGS="--cases 30000"
	@echo "== pytest, the long tests too"
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m '' $(ARGS)

test-python: $(EXPERIMENTS)
	@echo "== pytest: unit, oracle, property, conformance, e2e, doctests"
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

test-core: $(READY)
	@echo "== the core's own tests"
	@cmake --preset core --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset core -j $(JOBS) -- --quiet
	@ctest --preset core

test-sanitized: $(READY)
	@echo "== the core's own tests, under the address and undefined-behaviour sanitizers"
	@cmake --preset asan-ubsan --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset asan-ubsan -j $(JOBS) -- --quiet
	@ctest --preset asan-ubsan

# Into an environment of its own, away from the sources. That of the sdist compiles the core anew.
# What the library needs comes from PyPI again: where that cannot be reached any more there is nothing
# to check.
CLEAN = build/clean/$@
CLEAN_PIP = $(CLEAN)/venv/bin/python -m pip --disable-pip-version-check
define check_installation
	@rm -rf $(CLEAN) && $(PYTHON) -m venv $(CLEAN)/venv
	@if $(CLEAN_PIP) download -qq --no-deps --retries 1 --timeout 20 -d $(CLEAN)/probe narwhals 2> /dev/null; then \
	  $(CLEAN_PIP) install -qq --no-compile $(1) && \
	  cp tests/installation/check_installed.py $(CLEAN) && \
	  cd $(CLEAN) && PATH=$(CURDIR)/$(CLEAN)/venv/bin:$$PATH venv/bin/python -I check_installed.py; \
	else \
	  echo "== skipped: $@ needs PyPI, which cannot be reached"; \
	fi
endef

test-wheel: wheel
	@echo "== the wheel in a clean environment"
	$(call check_installation,dist/*.whl)

test-sdist: sdist
	@echo "== the source distribution in a clean environment"
	$(call check_installation,dist/*.tar.gz)

# Known holes of what the locks name. It needs the network, and uv and pip-audit (requirements/tools.txt).
audit:
	@echo "== pip-audit"
	@pip-audit --strict --disable-pip --require-hashes -r requirements/dev.txt
	@pip-audit --strict --disable-pip --require-hashes -r requirements/tools.txt

lock:
	@uv pip compile -q --no-header --universal --python-version 3.11 --generate-hashes --upgrade \
	  pyproject.toml --extra dev -o requirements/dev.txt
	@uv pip compile -q --no-header --universal --python-version 3.11 --generate-hashes --upgrade \
	  requirements/tools.in -o requirements/tools.txt

test-threads: $(READY)
	@echo "== threads that learn, predict, save and inspect, under the thread sanitizer"
	@cmake --preset tsan --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset tsan -j $(JOBS) --target test_threads test_parallel test_ensemble test_stages -- --quiet
	@ctest --preset tsan -R 'test_threads|test_parallel|test_ensemble|test_stages'

test-optimised: $(READY)
	@echo "== the core's own tests at -O2, with the checks of the standard library"
	@cmake --preset optimised --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset optimised -j $(JOBS) -- --quiet
	@ctest --preset optimised

# libFuzzer finds its own way through archives and partial statistics; what it learns is kept in build/corpus, and what
# has gone wrong once in core/fuzz/corpus.
fuzz-core: $(READY)
	@command -v clang++ > /dev/null || { echo "== skipped: fuzz-core needs clang++"; exit 0; }; \
	cmake --preset fuzz --log-level=WARNING && \
	MAKEFLAGS= cmake --build --preset fuzz -j $(JOBS) -- --quiet && \
	for target in archive partial; do \
	  mkdir -p build/corpus/$$target; \
	  build/fuzz/fuzz_$$target build/corpus/$$target core/fuzz/corpus/$$target -runs=100000 -max_len=60 -len_control=0 -rss_limit_mb=4096 \
	    -artifact_prefix=build/corpus/ $(ARGS) || exit 1; \
	done

fuzz: $(READY)
	@$(BIN)/python -m tests.fuzz.model_files $(ARGS)

# As root every other run is one of a user without rights, and disks become full or read-only.
faults: $(EXPERIMENTS)
	@$(BIN)/python -m tests.faults.run $(ARGS)

soak: $(READY)
	@$(BIN)/python -m tests.soak $(ARGS)

# Changes of the code that no test notices: half of them in the core, which is built once with all of them.
mutate: $(READY)
	@$(BIN)/python -m tests.mutation.run --jobs $(JOBS) $(if $(ARGS),$(ARGS),--page docs/reliability.md)

# The package with a core under sanitizers stands beside the sources; -S keeps the installed one out.
# The sanitizers must be loaded before Python is, and Python itself forgets some memory at its end.
SANITIZED := build/asan-ubsan-python
PACKAGES = $(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
fuzz-sanitized: $(READY)
	@echo "== damaged model files, under the address and undefined-behaviour sanitizers"
	@cmake --preset asan-ubsan-python --log-level=WARNING
	@MAKEFLAGS= cmake --build --preset asan-ubsan-python -j $(JOBS) -- --quiet
	@rm -rf $(SANITIZED)/site
	@mkdir -p $(SANITIZED)/site && cp -R src/sgtrees $(SANITIZED)/site/
	@cmake --install $(SANITIZED) --prefix $(SANITIZED)/site > /dev/null
	@LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  PYTHONPATH=$(SANITIZED)/site:$(PACKAGES):. \
	  $(BIN)/python -S -m tests.fuzz.model_files --any-memory --jobs $(JOBS) $(ARGS)

# ---------------------------------------------------------------------------
# Style, types, layers
# ---------------------------------------------------------------------------

check: check-ruff check-format check-clang-format check-mypy check-layers

check-ruff: $(READY)
	@echo "== ruff"
	@$(BIN)/ruff check

check-format: $(READY)
	@echo "== ruff format"
	@$(BIN)/ruff format --check

check-clang-format: $(READY)
	@echo "== clang-format"
	@$(BIN)/clang-format --dry-run -Werror $(CPP)

check-mypy: $(READY)
	@echo "== mypy"
	@$(BIN)/mypy --strict

check-layers: $(EXPERIMENTS)
	@echo "== import-linter"
	@$(BIN)/lint-imports --no-logo

format: $(READY)
	@$(BIN)/ruff check --fix --exit-zero
	@$(BIN)/ruff format
	@$(BIN)/clang-format -i $(CPP)

# ---------------------------------------------------------------------------
# Tidying
# ---------------------------------------------------------------------------

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks experiments -name __pycache__ -type d -not -path '*/.peers-venv/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
