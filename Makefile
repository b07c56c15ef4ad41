# Everything a person or a CI run types. `make` alone lists the targets.
#
# Each set-up step leaves a stamp, so that a second run goes straight to the work. The order of the
# steps is: python (an environment with torch), extension (setup.py, built in place), cpp (the core
# and the C++ tests, by CMake).

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # the steps use the cores themselves

CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
JOBS ?= $(CORES)

ifeq ($(origin CXX),default)
CXX := $(firstword $(foreach name,c++ g++ clang++,$(if $(shell command -v $(name)),$(name))) c++)
endif
export CXX

ifeq ($(origin PYTHON),undefined)
own_environment := yes
PYTHON := .venv/bin/python
scripts_dir := $(CURDIR)/.venv/bin
else
scripts_dir := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("scripts"))')
endif
# cmake, ninja, ruff ... of the environment come first.
export PATH := $(scripts_dir):$(PATH)

stamps := build/stamps
core_sources := $(wildcard csrc/hptp/*.cpp csrc/hptp/*.h csrc/hptp/kernels/*.cpp \
                  csrc/hptp/kernels/*.h)
extension_sources := $(core_sources) $(wildcard csrc/bindings/*.cpp csrc/bindings/*.h) \
                     $(wildcard csrc/entry/*.cpp) setup.py pyproject.toml

##@ Use
.PHONY: demo
demo: extension ## Permute a photo and attention heads, check them, write a PNG (IMAGE=photo.jpg)
	@echo "==> running the demo"
	@$(PYTHON) -m torch_hptp demo $(if $(IMAGE),--image "$(IMAGE)")

.PHONY: bench
bench: extension ## Measure every row of the board (ARGS="--small --threads 1")
	@echo "==> running the board"
	@$(PYTHON) -m benchmarks.board $(ARGS)

##@ Test
.PHONY: test
test: extension cpp ## Run the Python tests, the C++ tests and the LibTorch test
	@echo "==> running the Python tests"
	@$(PYTHON) -m pytest -q -m "not slow" tests
	@echo "==> running the C++ tests"
	@ctest --test-dir build/cpp --output-on-failure -LE slow

.PHONY: test-all
test-all: extension cpp ## Besides, run the tests that are slow or take much memory
	@echo "==> running all Python tests"
	@$(PYTHON) -m pytest -q tests
	@echo "==> running all C++ tests"
	@ctest --test-dir build/cpp --output-on-failure

.PHONY: sanitize
sanitize: python ## Run the core's C++ tests under ASan + UBSan and TSan (COMPILERS="g++ clang++")
	@JOBS=$(JOBS) scripts/sanitize.sh $(COMPILERS)

.PHONY: test-aarch64
test-aarch64: python ## Cross-compile the core and its C++ tests for ARM and run them under qemu
	@JOBS=$(JOBS) scripts/test_aarch64.sh

.PHONY: lint
lint: requirements += scripts/requirements-lint.txt
lint: python ## Check style and types: ruff, mypy, clang-format
	@echo "==> ruff"
	@ruff check . && ruff format --check .
	@echo "==> mypy --strict"
	@mypy --strict torch_hptp benchmarks scripts
	@echo "==> clang-format"
	@clang-format --dry-run -Werror $$(git ls-files '*.cpp' '*.h')

##@ Set up
.PHONY: python
requirements := scripts/requirements.txt
python: ## Make .venv with torch and all that the build needs (PYTHON=... uses yours instead)
ifdef own_environment
	@scripts/make_venv.sh $(requirements)
else
	@command -v $(PYTHON) > /dev/null || { echo "==> There is no Python at $(PYTHON)" >&2; exit 1; }
	@$(PYTHON) scripts/check_python.py $(requirements)
endif

.PHONY: compiler
compiler:
	@scripts/check_compiler.sh "$(CXX)"

# What the builds depend on besides the text of the sources; it is touched only when it changes.
$(stamps)/identity: compiler python
	@mkdir -p $(stamps)
	@{ command -v $(PYTHON); echo $(CXX); $(CXX) --version; echo $(extension_sources); \
	   $(PYTHON) -c 'from importlib import metadata; print(metadata.version("torch"))'; \
	 } > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

.PHONY: extension
extension: $(stamps)/extension ## Build the PyTorch extension in place
$(stamps)/extension: $(stamps)/identity $(extension_sources) \
                     $(if $(wildcard torch_hptp/*.so),,python)
	@echo "==> building the extension (log: build/extension.log)"
	@MAX_JOBS=$(JOBS) $(PYTHON) setup.py build_ext --inplace > build/extension.log 2>&1 || { \
	  tail -n 40 build/extension.log; \
	  echo "==> The extension could not be built: see build/extension.log" >&2; exit 1; }
	@touch $@

.PHONY: cpp
cpp: $(stamps)/cpp-configured ## Build the core and the C++ tests
	@echo "==> building the C++ tests"
	@cmake --build build/cpp --parallel $(JOBS) -- --quiet
$(stamps)/cpp-configured: $(stamps)/identity
	@echo "==> configuring the C++ tests"
	@rm -rf build/cpp/CMakeCache.txt build/cpp/CMakeFiles # they would hold on to another compiler
	@cmake -S . -B build/cpp -G Ninja -DCMAKE_MESSAGE_LOG_LEVEL=NOTICE -DHPTP_INSTALL_CATCH2=ON -DHPTP_LIBTORCH_TEST=ON \
	  -DHPTP_PYTHON="$$(command -v $(PYTHON))"
	@touch $@

.PHONY: clean
clean: ## Remove what was built; .venv stays
	rm -rf build dist *.egg-info torch_hptp/*.so
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
