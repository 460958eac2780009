# OpenCallKit. `make help` lists the targets; demo and test install what they need.

SWIFT ?= swift
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
DEBUG := .build/debug
RELEASE := .build/release
# Release builds are optimized across modules, since a call passes through most of them.
RELEASED := -c release -Xswiftc -cross-module-optimization

# The number of steps and the seed of `make simulate` and `make nightly`; the same seed gives the same events.
STEPS ?= 1000000
SEED ?= 1
NIGHTLY_SECONDS ?= 1800
FUZZ_SECONDS ?= 60
SIMULATOR := $(RELEASE)/simulator

.PHONY: help setup setup-tests build fuzz demo demo-mobile demo-sip sip-server try test simulator simulate cells nightly torture coverage mutants check fmt docs bench install install-samples uninstall

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1	/' | expand -t 14

setup: ## install what is missing, with apt
	@sh Scripts/setup.sh

setup-tests: ## install what the tests need too: sound servers, notification servers, a lock screen, address books
	@sh Scripts/setup.sh tests

build: setup ## build everything (debug) and bundle the plugins
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build.log
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins

demo: build ## show one call held because another is answered, without a desktop
	@$(PYTHON) Demo/demo.py $(DEBUG) .build/plugins

demo-mobile: setup-tests build ## show a mobile call that holds a call of Hotline, with ModemManager and a simulated modem
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/mobile.py

demo-sip: setup-tests build ## show a SIP call that is held because a mobile call is answered, with Kamailio, linphone and ModemManager
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/sip.py

try: build ## run the daemon, the desktop agent and the sample plugins on your session bus, without installing, until Ctrl-C
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins-to-try MonkeyCall Hotline SIP
	@sh Scripts/try.sh $(DEBUG) .build/plugins-to-try

sip-server: setup-tests ## run a SIP server with two accounts and a phone that answers, on 127.0.0.1, until Ctrl-C
	@$(PYTHON) Demo/sip_server.py

test: setup-tests build simulate ## run all tests, on private buses
	@$(SWIFT) test --skip DaemonTests
	@echo "test: every scenario against the real daemon, in real time"
	@$(SWIFT) test --skip-build --filter DaemonTests >.build/three-ways.txt 2>&1 || { cat .build/three-ways.txt; false; }
	@grep "three ways" .build/three-ways.txt
	@echo "test: end to end, from outside: Python, gdbus, busctl, callctl"
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins \
		$(PYTHON) Tests/EndToEnd/run.py
	@sh Scripts/check-units.sh

simulator: setup
	@$(SWIFT) build -c release --product simulator --quiet

simulate: cells ## check too that two runs of a seed are the same
	@$(SIMULATOR) play --seed $(SEED) >.build/once && $(SIMULATOR) play --seed $(SEED) >.build/again
	@cmp .build/once .build/again
	@for run in once again; do \
		$(SIMULATOR) cells --steps 20000 --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells-$$run >/dev/null || exit 1; \
	done
	@diff -r .build/cells-once .build/cells-again && echo "simulation: two runs of a seed are the same, byte by byte"

cells: simulator ## play a million random steps (STEPS, SEED) and write a scenario per case to .build/cells
	@$(SIMULATOR) cells --steps $(STEPS) --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells

nightly: simulator ## simulate for half an hour (NIGHTLY_SECONDS), with today's date as the seed
	@$(SIMULATOR) run --steps 1000000000 --seconds $(NIGHTLY_SECONDS) --seed $$(date +%Y%m%d)000000

torture: setup-tests build ## kill the daemon a thousand times and the desktop's parts and those of accounts 200 times each, fail each system call of the store with each error, make a thousand mobile calls and a thousand SIP calls, flood a release build
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_KILLS=1000 \
		OPENCALLKIT_TORTURE=1 $(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k Kills -k EverySystem
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_KILLS=200 \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k test_desktop_kills -k test_accounts_kills
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_MOBILE_CALLS=1000 \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k test_cellular_endurance
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_SIP_CALLS=1000 \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k test_sip_endurance.Endurance
	@$(SWIFT) build $(RELEASED) --product callkitd
	@OPENCALLKIT_BUILD=$(CURDIR)/$(RELEASE) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins OPENCALLKIT_TORTURE=1 \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd -k Flooding

coverage: cells ## measure how much of the core the scenarios reach; fails unless they reach all of the arbiter
	@$(PYTHON) Scripts/coverage.py

mutants: cells ## plant 61 faults in the core, one at a time; fails unless the tests find at least 58
	@$(PYTHON) Tests/Simulation/Mutants/mutants.py

fuzz: setup-tests ## fuzz the readers of compiled directories, lists, vCards and SIP, FUZZ_SECONDS each, with AddressSanitizer
	@sh Scripts/fuzz.sh $(FUZZ_SECONDS) .build/fuzz

check: ## check the format of the Swift sources, and the types for Qt in the bus contract
	@$(PYTHON) Scripts/qt_types.py --check
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

fmt: ## format the Swift sources, and write the types for Qt into the bus contract
	@$(PYTHON) Scripts/qt_types.py
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

docs: setup-tests build ## build the SDK's reference and articles, and the bus reference, as a site in .build/docs
	@PYTHON=$(PYTHON) sh Scripts/docs.sh $(DEBUG) .build/docs

bench: setup-tests ## measure the daemon against equivalent C programs, in one run
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build-release.log $(RELEASED)
	@sh Plugins/bundle.sh $(RELEASE) .build/plugins-release
	@$(PYTHON) Benchmarks/bench.py $(RELEASE) .build/plugins-release
	@echo "bench: a plugin in the sandbox"
	@$(PYTHON) Benchmarks/sandbox.py $(RELEASE) .build/plugins-release
	@echo "bench: a million recents"
	@$(PYTHON) Benchmarks/recents.py $(RELEASE)
	@echo "bench: ten million numbers of a call directory"
	@$(PYTHON) Benchmarks/directory.py $(RELEASE) $(RELEASE)/directory-bench
	@echo "bench: the desktop agent"
	@$(PYTHON) Benchmarks/desktop.py $(RELEASE) .build/plugins-release
	@echo "bench: mobile calls"
	@$(PYTHON) Benchmarks/cellular.py $(RELEASE)
	@echo "bench: SIP calls"
	@$(PYTHON) Benchmarks/sip.py $(RELEASE)

install: setup ## build for release and install below PREFIX
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build-release.log $(RELEASED)
	@sh Scripts/install.sh $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

install-samples: setup ## install the sample plugins below PREFIX too; they only pretend to have a network
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build-release.log $(RELEASED)
	@sh Scripts/install.sh --samples $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove the installed files, samples too
	@sh Scripts/install.sh --remove "$(DESTDIR)" "$(PREFIX)"
