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

# The end-to-end tests, by pytest. K=NAME chooses those whose names match, and the unit tests too.
PYTEST := .build/pytest/bin/pytest
DAEMON_TESTS := arbitration bus callctl daemon documents plugins sdk store
PARTS := accounts cellular clients desktop disks ofono sandbox sip
accounts := accounts
cellular := cellular --ignore=cellular/test_ofono.py
clients := clients
desktop := desktop
disks := disks
ofono := cellular/test_ofono.py
sandbox := access sandbox
sip := sip
# $(call end_to_end,PATHS,VARIABLES)
end_to_end = cd Tests/EndToEnd && $(2) $(CURDIR)/$(PYTEST) $(1) $(if $(K),-k "$(K)") $(PYTEST_OPTIONS)

.NOTPARALLEL:
.PHONY: help setup build pytest fuzz demo demo-mobile demo-sip sip-server try test test-all test-rest test-simulation $(PARTS:%=test-%) \
	simulator simulate cells nightly torture coverage mutants check fmt docs bench install uninstall

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1	/' | expand -t 14

setup: ## install what is missing to build and run it, with apt
	@sh Scripts/setup.sh

build: ## build everything (debug) and bundle the plugins; it installs nothing
	@sh Scripts/setup.sh --check
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build.log
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins

demo: setup build ## show one call held because another is answered, without a desktop
	@$(PYTHON) Demo/demo.py $(DEBUG) .build/plugins

demo-mobile: setup-cellular build ## show a mobile call that holds a call of Hotline, with ModemManager and a simulated modem
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/mobile.py

demo-sip: setup-sip build ## show a SIP call that is held because a mobile call is answered, with Kamailio, linphone and ModemManager
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/sip.py

try: setup build ## run the daemon, the desktop agent and the sample plugins on your session bus, without installing, until Ctrl-C
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins-to-try MonkeyCall Hotline SIP
	@sh Scripts/try.sh $(DEBUG) .build/plugins-to-try

sip-server: setup-sip ## run a SIP server with two accounts and a phone that answers, on 127.0.0.1, until Ctrl-C
	@$(PYTHON) Demo/sip_server.py

test: setup build pytest ## run the tests of the daemon, the SDK and callctl, on private buses; K=NAME chooses some
	@$(SWIFT) test $(if $(K),--filter "$(K)",--skip DaemonTests) >.build/unit-tests.txt 2>&1 || \
		{ grep -E "✘|error:" .build/unit-tests.txt || cat .build/unit-tests.txt; false; }
	@grep "Test run with" .build/unit-tests.txt
ifndef K
	@$(SWIFT) test --skip-build --filter DaemonTests >.build/three-ways.txt 2>&1 || { cat .build/three-ways.txt; false; }
	@grep "three ways" .build/three-ways.txt
	@sh Scripts/check-units.sh
endif
	@$(call end_to_end,$(DAEMON_TESTS))

test-all: test test-simulation test-rest ## run all tests, with all that they need

test-rest: setup $(PARTS:%=setup-%) build pytest ## run the end-to-end tests that `make test` leaves out
	@$(call end_to_end,$(sort $(foreach part,$(PARTS),$(firstword $($(part))))))

$(PARTS:%=test-%): test-%: setup-% build pytest
	@$(call end_to_end,$($*))

$(PARTS:%=setup-%): setup-%:
	@sh Scripts/setup.sh $*

pytest: $(PYTEST)

$(PYTEST): Tests/EndToEnd/requirements.txt
	@$(PYTHON) -m venv --system-site-packages .build/pytest
	@.build/pytest/bin/pip install --quiet --disable-pip-version-check --ignore-installed --requirement $<
	@touch $@

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

torture: setup-all build pytest ## kill the daemon a thousand times and the parts of desktop and accounts 200 times each, fail each system call of the store with each error, make a thousand mobile calls and a thousand SIP calls, flood a release build
	@export OPENCALLKIT_SEED=$$(date +%s); $(call end_to_end,daemon/test_kills.py disks/test_failures.py,OPENCALLKIT_KILLS=1000 OPENCALLKIT_TORTURE=1)
	@export OPENCALLKIT_SEED=$$(date +%s); $(call end_to_end,desktop/test_kills.py accounts/test_kills.py,OPENCALLKIT_KILLS=200)
	@$(call end_to_end,cellular/test_endurance.py,OPENCALLKIT_MOBILE_CALLS=1000)
	@$(call end_to_end,sip/test_endurance.py,OPENCALLKIT_SIP_CALLS=1000)
	@$(SWIFT) build $(RELEASED) --product callkitd
	@$(call end_to_end,bus/test_flooding.py,OPENCALLKIT_BUILD=$(CURDIR)/$(RELEASE) OPENCALLKIT_TORTURE=1)

coverage: cells ## measure how much of the core the scenarios reach; fails unless they reach all of the arbiter
	@$(PYTHON) Scripts/coverage.py

mutants: cells ## plant 57 faults in the core, one at a time; fails unless the tests find at least 54
	@$(PYTHON) Tests/Simulation/Mutants/mutants.py

fuzz: setup ## fuzz the readers of compiled directories, lists, vCards and SIP, FUZZ_SECONDS each, with AddressSanitizer
	@sh Scripts/fuzz.sh $(FUZZ_SECONDS) .build/fuzz

check: ## check the format of the Swift sources, and the types for Qt in the bus contract
	@$(PYTHON) Scripts/qt_types.py --check
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

fmt: ## format the Swift sources, and write the types for Qt into the bus contract
	@$(PYTHON) Scripts/qt_types.py
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

docs: setup build ## build the SDK's reference and articles, and the bus reference, as a site in .build/docs
	@PYTHON=$(PYTHON) sh Scripts/docs.sh $(DEBUG) .build/docs

bench: setup-all ## measure the daemon against equivalent C programs, in one run
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

uninstall: ## remove the installed files
	@sh Scripts/install.sh --remove "$(DESTDIR)" "$(PREFIX)"
