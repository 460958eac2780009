# OpenCallKit. `make help` lists what there is; demo and test do all their own set-up.

SWIFT ?= swift
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
DEBUG := .build/debug
RELEASE := .build/release
# What is released is optimized across modules: the way of a call leads through most of them.
RELEASED := -c release -Xswiftc -cross-module-optimization

# How long `make test` and `make nightly` simulate, and from which seed on; the same seed leads to the same inputs.
STEPS ?= 1000000
SEED ?= 1
NIGHTLY_SECONDS ?= 1800
FUZZ_SECONDS ?= 60
SIMULATOR := $(RELEASE)/simulator

.PHONY: help setup build fuzz demo test simulator simulate cells nightly torture coverage mutants check fmt docs bench install uninstall

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  \1	/' | expand -t 14

setup: ## install what is missing, with apt
	@sh Scripts/setup.sh

build: setup ## build everything (debug) and bundle the plugins
	@echo "build: swift build"
	@$(SWIFT) build
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins

demo: build ## the main job, headless: one call is held because another is answered
	@$(PYTHON) Demo/demo.py $(DEBUG) .build/plugins

test: build simulate ## all tests, on private buses
	@$(SWIFT) test --skip DaemonTests
	@echo "test: every scenario with the real daemon, in real time"
	@$(SWIFT) test --skip-build --filter DaemonTests >.build/three-ways.txt 2>&1 || { cat .build/three-ways.txt; false; }
	@grep "three ways" .build/three-ways.txt
	@echo "test: end to end, from outside: Python, gdbus, busctl, callctl"
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd
	@sh Scripts/check-units.sh

simulator: setup
	@$(SWIFT) build -c release --product simulator --quiet

simulate: cells ## the same, and that two runs of a seed are the same
	@$(SIMULATOR) play --seed $(SEED) >.build/once && $(SIMULATOR) play --seed $(SEED) >.build/again
	@cmp .build/once .build/again
	@for run in once again; do \
		$(SIMULATOR) cells --steps 20000 --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells-$$run >/dev/null || exit 1; \
	done
	@diff -r .build/cells-once .build/cells-again && echo "simulation: two runs of a seed are the same, byte by byte"

cells: simulator ## simulate a million steps (STEPS, SEED): no promise is broken; a scenario per case reached, in .build/cells
	@$(SIMULATOR) cells --steps $(STEPS) --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells

nightly: simulator ## the same for half an hour (NIGHTLY_SECONDS), from a seed of the day's date
	@$(SIMULATOR) run --steps 1000000000 --seconds $(NIGHTLY_SECONDS) --seed $$(date +%Y%m%d)000000

torture: build ## a thousand kills of the daemon, and each system call of the store failing with each error
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_KILLS=1000 \
		OPENCALLKIT_TORTURE=1 $(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k Kills -k EverySystem

coverage: cells ## how much of the core the scenarios reach; all of the arbiter, or it fails
	@$(PYTHON) Scripts/coverage.py

mutants: cells ## plant 35 faults in the core, one at a time: scenarios and simulation find at least 33
	@$(PYTHON) Tests/Simulation/Mutants/mutants.py

fuzz: setup ## the readers of compiled directories, lists and vCards, FUZZ_SECONDS each, under the address sanitizer
	@sh Scripts/fuzz.sh $(FUZZ_SECONDS) .build/fuzz

check: ## formatting and lint
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

fmt: ## format the Swift sources
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

docs: build ## the SDK's reference and articles, as a site in .build/docs
	@sh Scripts/docs.sh $(DEBUG) .build/docs

bench: setup ## measure the daemon against C floors, in one run
	@echo "bench: swift build $(RELEASED)"
	@$(SWIFT) build $(RELEASED)
	@sh Plugins/bundle.sh $(RELEASE) .build/plugins-release
	@$(PYTHON) Benchmarks/bench.py $(RELEASE) .build/plugins-release
	@echo "bench: a million recents"
	@$(PYTHON) Benchmarks/recents.py $(RELEASE)
	@echo "bench: ten million numbers of a call directory"
	@$(PYTHON) Benchmarks/directory.py $(RELEASE) $(RELEASE)/directory-bench

install: setup ## build for release and install below PREFIX
	@$(SWIFT) build $(RELEASED)
	@sh Scripts/install.sh $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what install put there
	@sh Scripts/install.sh --remove "$(DESTDIR)" "$(PREFIX)"
