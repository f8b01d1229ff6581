# SPDX-License-Identifier: Apache-2.0
# A thin front of the CMake presets; `make help` lists the targets.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export DUCKDB_ROOT CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

configure = cmake $(if $(DUCKDB_ROOT),-DDUCKDB_ROOT=$(abspath $(DUCKDB_ROOT))) >/dev/null --preset
build = cmake --build --preset
run_tests = ctest -j $(JOBS) --progress --preset

.PHONY: all
all: ## install what is missing and build the optimised program, build/tacet
	@scripts/bootstrap
	@$(configure) release
	@$(build) release

.PHONY: demo
demo: all ## build, and show what Tacet does
	@build/tacet demo

.PHONY: test
test: ## all tests: as shipped, under address and undefined sanitizers, and with planted faults
	@scripts/bootstrap --for test
	@$(configure) release
	@$(build) release --target all tests
	@$(run_tests) release
	@$(configure) asan
	@$(build) asan
	@$(run_tests) asan
	@$(build) release --target mutants
	@python3 tests/mutants.py --jobs $(JOBS) build/release/mutants
	@echo "make test: passed as shipped, under address and undefined sanitizers; every planted fault was caught"

.PHONY: bench
bench: ## the speed of noise, choosing and accounting beside their peers where they are installed, of SQL beside plain DuckDB, and of the ledger beside its disk
	@scripts/bootstrap --for bench
	@$(configure) release
	@$(build) release --target all benches
	@bench/noise
	@bench/choosing
	@bench/local
	@bench/accounting
	@bench/accuracy
	@bench/sql
	@bench/ledger

.PHONY: soak
soak: ## what takes longer than a test may; writes docs/soak.md
	@scripts/bootstrap --for soak
	@JOBS=$(JOBS) scripts/soak

.PHONY: install
install: all ## install into PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$(abspath $(PREFIX))"

.PHONY: format
format: ## lay out the sources with clang-format
	@find $(wildcard tacet tests examples bench) -name '*.h' -o -name '*.cc' | xargs clang-format -i

.PHONY: clean
clean: ## remove everything that was built
	@rm -rf build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16
