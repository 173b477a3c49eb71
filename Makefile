# SPDX-License-Identifier: Apache-2.0
# The front door: one command per intention. Building itself is CMake's (CMakePresets.json).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
SECONDS ?= 200
# CAPTURES=FOLDER: tests and measurements that need captures of real boards read them there; without it they are left out.
ifdef CAPTURES
export NVMLAB_CAPTURES := $(abspath $(CAPTURES))
endif
RELEASE := build/release
# What users run: the command, the drop-in libraries, and the YAML compiler that it opens on demand.
PRODUCT := nvmlab nvidia-ml nvidia-ml-drivers nvmlab-cuda nvmlab-cuda-drivers nvmlab-cudart nvmlab-kernels nvmlab-compiler
# What `cmake --install` installs.
PACKAGE := $(PRODUCT) nvmlab_machines nvmlab_manual nvmlab-record nvml-conformance nvmlab_nvml nvmlab_machine nvmlab_testing
BENCH = $(RELEASE)/bin/nvmlab-bench --benchmark_repetitions=15 --benchmark_enable_random_interleaving=true \
  --benchmark_min_time=0.05 --benchmark_out_format=json
# Hand-written sources; what nvmlgen writes it formats itself.
SOURCES = $(shell git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.h' | grep -v '/generated/')

.PHONY: help demo test test-busy soak approve golden profiles house bench package check check-all format docs clean
.NOTPARALLEL:

help: ## Show this list
	@grep -hE '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z -]+):[^#]*## /\1\t/' | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-13s %s\n' "$$name" "$$text"; done

demo: ## Set everything up and show the real nvidia-smi on eight simulated H100s
	@scripts/demo

test: ## Set everything up, build everything and pass all tests (CAPTURES=FOLDER: those on captures too)
	@scripts/test

check: ## Are generated code, formatting, names and English as they should be?
	@scripts/check-all --again generated format names style

check-all: ## What takes hours: clang-tidy, all sanitizers, clang, fuzzers (scripts/check-all --help)
	@scripts/check-all

$(addprefix check-,generated format names style tidy asan tsan clang dev thorough cross compilers fuzz):
	@scripts/check-all --again $(@:check-%=%)

format: ## Format the hand-written sources
	@scripts/setup build develop
	@clang-format-14 -i $(SOURCES)

test-busy: ## Run the tests three times beside 8 busy loops and compare them with a quiet run (build/results/test-busy.json)
	@scripts/setup build test
	@cmake --preset release --log-level=WARNING
	@scripts/build $(RELEASE) everything
	@scripts/test-busy

soak: ## Kill, stop and fork the clients of a shared machine for 200 s (SECONDS=N: for N)
	@scripts/setup build test
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target cli_soak_test
	@NVMLAB_SOAK_SECONDS=$(SECONDS) ctest --test-dir $(RELEASE) -R '^cli_soak_test$$' --verbose

approve: ## Run the scenarios and write what they print into tests/scenarios/*.test, for review
	@scripts/setup build test
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target tests_scenarios
	@NVMLAB_APPROVE=1 $(RELEASE)/tests/scenario-runner tests/scenarios/*.test
	@git --no-pager diff --stat -- tests/scenarios

golden: ## Import the captures in CAPTURES=FOLDER and hold the real nvidia-smi on the result against them
	@scripts/setup build test
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target $(PRODUCT) golden_test
	@scripts/fetch-clients nvidia-smi-535 nvidia-smi-550 || echo "nvmlab: without nvidia-smi there is nothing to compare"
	@ctest --test-dir $(RELEASE) -R '^golden_test$$' --verbose

profiles: ## Write the page on the shipped profiles and their evidence (CAPTURES=FOLDER: measured there)
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target profile-evidence
	@$(RELEASE)/bin/profile-evidence .

house: ## Measure the structure of the sources and write docs/house.md
	@scripts/house

bench: ## Measure the simulated driver and write docs/benchmarks.md (BEFORE=FOLDER/lib: beside an older build)
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target $(PRODUCT) nvmlab_machines nvmlab-bench nvmlab-bench-exports nvmlab-bench-events nvmlab-bench-report nvmlab-bench-kernels
	@scripts/fetch-clients nvidia-smi-550 pynvml-13 || echo "nvmlab: rows of a client that is not here are left out"
	@$(BENCH) --benchmark_out=$(RELEASE)/benchmarks.json && $(RELEASE)/bin/nvmlab-bench-exports $(RELEASE)/exports.json
	@scripts/fetch-clients pynvml-13 go-waiter > /dev/null || echo 'nvmlab: not all waiters can be had here; those are left out'
	@$(RELEASE)/bin/nvmlab-bench-events $(RELEASE)/events.json
	@[ -z "$(BEFORE)" ] || { export BENCH_LIBRARIES="$(BEFORE)"; $(BENCH) --benchmark_out=$(RELEASE)/before.json && \
	  $(RELEASE)/bin/nvmlab-bench-exports $(RELEASE)/exports-before.json; }
	@$(RELEASE)/bin/nvmlab-bench-report docs/benchmarks.md $(RELEASE)/benchmarks.json $(RELEASE)/exports.json $(RELEASE)/events.json \
	  $(if $(BEFORE),$(RELEASE)/before.json $(RELEASE)/exports-before.json)
	@$(RELEASE)/bin/nvmlab-bench-kernels docs/benchmarks-kernels.md
	@echo "nvmlab: docs/benchmarks.md and docs/benchmarks-kernels.md are written"

client-suites: ## The tests that CUDA clients bring, on a simulated node: hours; writes docs/reference/cuda-suites.md
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@cmake --build $(RELEASE) --parallel $(JOBS) --target $(PRODUCT)
	@scripts/fetch-clients numba-cuda tinygrad taichi triton torch pytest pycuda
	@scripts/client-suites --build $(RELEASE)

package: ## A tarball that runs where it is unpacked: build/package/nvmlab-VERSION-linux-ARCH.tar.gz
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@scripts/build $(RELEASE) "what is installed" $(PACKAGE)
	@scripts/package

docs: ## The reference of the C++ libraries, into build/docs/html
	@scripts/setup build test
	@mkdir -p build/docs
	@doxygen docs/api/Doxyfile
	@echo "nvmlab: build/docs/html/index.html is written"

clean: ## Remove what was built (fetched clients stay)
	@rm -rf build/release build/dev build/asan build/tsan build/tidy build/clang build/fuzz build/cross
