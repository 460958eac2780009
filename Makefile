# OpenCallKit. `make help` lists the targets; demo and test install what they need.

SWIFT ?= swift
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
DEBUG := .build/debug
RELEASE := .build/release
# Release builds are optimized across modules, since a call passes through most of them.
# Names of files in them say where the sources are in packages of symbols, wherever they were built.
UNPLACED := $(CURDIR)=/usr/src/opencallkit
RELEASED := -c release -Xswiftc -cross-module-optimization -Xswiftc -file-prefix-map -Xswiftc $(UNPLACED) \
	-Xswiftc -file-compilation-dir -Xswiftc /usr/src/opencallkit -Xcc -ffile-prefix-map=$(UNPLACED)

# The number of steps and the seed of `make cells`; the same seed gives the same events.
STEPS ?= 1000000
SEED ?= 1
NIGHTLY_SECONDS ?= 1800
FUZZ_SECONDS ?= 60
SIMULATOR := $(RELEASE)/simulator
# Options of Benchmarks/bench.py.
BENCH ?=
# How many desktops are played side by side.
LIVE ?= 2

# The end-to-end tests, by pytest: folders below Tests/EndToEnd. K=NAME chooses those whose names match; that there are
# none is the exit code 5.
PYTEST := .build/pytest/bin/pytest
# The generator of the site.
SPHINX := .build/sphinx/bin/sphinx-build
DAEMON := daemon bus arbitration plugins store callctl sdk documents
# The parts that need programs of others. On Debian 13 ofono and modemmanager exclude each other.
PARTS := sip desktop cellular accounts clients disks sandbox phone
accounts := accounts
cellular := cellular --ignore cellular/test_ofono.py
clients := clients
desktop := desktop
disks := disks
ofono := cellular/test_ofono.py
phone := phone
sandbox := access sandbox
sip := sip
# $(call end_to_end,PATHS,VARIABLES)
end_to_end = cd Tests/EndToEnd && $(2) $(CURDIR)/$(PYTEST) $(1) $(if $(K),-k "$(K)") $(PYTEST_OPTIONS) \
	$(if $(K)$(PYTEST_OPTIONS),|| [ $$? -eq 5 ])
# $(call swift_test,OPTIONS,LOG,PATTERN) prints the lines with the pattern, and if it fails what was wrong. A target that
# imports another without declaring it would be built before it now and then.
swift_test = $(SWIFT) test --explicit-target-dependency-import-check error $(1) >$(2) 2>&1 || \
	{ grep -aE "✘|: error:|^error: Target" $(2) || cat $(2); exit 1; }; grep -aE "$(3)" $(2)

PART_TESTS := $(PARTS:%=test-%) test-ofono
PART_SETUPS := $(PARTS:%=setup-%) setup-ofono setup-desktops-live setup-deb
.NOTPARALLEL:
.PHONY: help setup setup-rest build pytest fuzz demo demo-mobile demo-sip sip-server try test test-all test-rest
.PHONY: test-simulation test-desktops-live $(PART_TESTS) $(PART_SETUPS) simulator cells nightly torture coverage mutants check fmt docs
.PHONY: setup-docs bench bench-compare release install install-samples deb test-packages uninstall

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1	/' | expand -t 18
	@echo "  test-PART       run one part of the tests, with what it needs: $(PARTS) ofono"

setup: ## install what is missing to build and run it, with apt
	@sh Scripts/setup.sh

build: ## build everything (debug) and bundle the plugins; it installs nothing
	@sh Scripts/setup.sh --check
	@SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build.log
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins
	@sh Scripts/translations.sh $(DEBUG)/translations

demo: setup build ## show one call held because another is answered, without a desktop
	@$(PYTHON) Demo/demo.py $(DEBUG) .build/plugins

demo-mobile: setup-cellular build ## show a mobile call that holds a call of Hotline, with ModemManager and a simulated modem
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/mobile.py

demo-sip: setup-sip build ## show a SIP call that is held because a mobile call is answered, with Kamailio, linphone and ModemManager
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins $(PYTHON) Demo/sip_story.py

try: setup build ## run the daemon, the desktop agent and the sample plugins on your session bus, without installing, until Ctrl-C
	@sh Plugins/bundle.sh $(DEBUG) .build/plugins-to-try MonkeyCall Hotline SIP ListDirectory
	@sh Scripts/try.sh $(DEBUG) .build/plugins-to-try

sip-server: setup-sip ## run a SIP server with two accounts and a phone that answers, on 127.0.0.1, until Ctrl-C
	@$(PYTHON) Demo/sip_server.py

test: setup build pytest ## run the tests of the daemon, the SDK and callctl, on private buses; K=NAME runs those that match
	@$(call swift_test,$(if $(K),--filter "$(K)",--skip DaemonTests),.build/unit-tests.txt,Test run with)
ifndef K
	@$(DEBUG)/simulator play --seed $(SEED) >.build/once && $(DEBUG)/simulator play --seed $(SEED) >.build/again
	@cmp .build/once .build/again && echo "simulation: two runs of a seed are the same, byte by byte"
	@$(call swift_test,--skip-build --filter DaemonTests,.build/three-ways.txt,three ways)
	@sh Scripts/check-units.sh
endif
	@$(call end_to_end,--numprocesses $$((3 * $$(nproc))) $(DAEMON))

test-all: test test-rest test-ofono ## run all tests, with all that they need; `test-simulation` and `torture` take longer

test-simulation: build cells ## simulate, play the scenario of each case three ways, and compare two runs of a seed
	@export CELLS=1; $(call swift_test,--filter "CellTests|ScenarioTests|ThreeWays",.build/cells.txt,Test run with|three ways)
	@for run in once again; do \
		$(SIMULATOR) cells --steps 1000 --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells-$$run \
			>/dev/null || exit 1; \
	done
	@diff -r .build/cells-once .build/cells-again && echo "simulation: two runs of a seed are the same, byte by byte"

test-rest: setup-rest build pytest ## run the parts of the tests that `make test` leaves out, but for oFono's
	@$(call end_to_end,--numprocesses $$((3 * $$(nproc))) $(foreach part,$(PARTS),$($(part))))

test-desktops-live: setup-desktops-live build pytest ## play calls on GNOME, Plasma, Cinnamon, MATE, LXQt, Budgie and sway, without a screen, and write the table of docs/desktop.md
	@rm -rf .build/live
	@$(call end_to_end,--dist loadscope --numprocesses $(LIVE) live); status=$$?; \
		$(PYTHON) Tests/EndToEnd/live/table.py; exit $$status

setup-rest:
	@sh Scripts/setup.sh $(PARTS)

$(PART_TESTS): test-%: setup-% build pytest
	@$(call end_to_end,$($*))

$(PART_SETUPS): setup-%:
	@sh Scripts/setup.sh $*

pytest: $(PYTEST)

$(PYTEST): Tests/EndToEnd/requirements.txt
	@$(PYTHON) -m venv --system-site-packages .build/pytest
	@.build/pytest/bin/pip install --quiet --disable-pip-version-check --ignore-installed --requirement $<
	@touch $@

simulator: setup
	@$(SWIFT) build -c release --product simulator --quiet

cells: simulator ## simulate a million random steps (STEPS, SEED) and write a scenario per case to .build/cells
	@$(SIMULATOR) cells --steps $(STEPS) --seed $(SEED) --scenarios Tests/Scenarios/Files --to .build/cells

nightly: simulator ## simulate for half an hour (NIGHTLY_SECONDS), with today's date as the seed
	@$(SIMULATOR) run --steps 1000000000 --seconds $(NIGHTLY_SECONDS) --seed $$(date +%Y%m%d)000000

torture: export OPENCALLKIT_SEED ?= $(shell date +%s)
torture: export OPENCALLKIT_TORTURE := 1
torture: setup-rest build pytest test-simulation ## simulate, kill parts a thousand times, fail each system call of the store with each error, make a thousand calls of each network, flood a release build
	@$(call end_to_end,daemon/test_kills.py daemon/test_memory.py disks arbitration/test_races.py arbitration/test_silence.py bus,OPENCALLKIT_KILLS=1000)
	@$(call end_to_end,desktop/test_kills.py desktop/test_address_books.py accounts/test_kills.py accounts/test_floods.py cellular/test_faults.py,OPENCALLKIT_KILLS=200)
	@$(call end_to_end,cellular/test_endurance.py,OPENCALLKIT_MOBILE_CALLS=1000)
	@$(call end_to_end,sip/test_endurance.py sip/test_strangers.py sip/test_unanswered.py sip/test_jami.py sip/test_janus.py sip/test_gnome_calls.py,OPENCALLKIT_SIP_CALLS=1000)
	@for program in callkitd callkit-store callkit-contacts; do $(SWIFT) build $(RELEASED) --product $$program || exit 1; done
	@$(call end_to_end,bus/test_flooding.py store/test_looking.py,OPENCALLKIT_BUILD=$(CURDIR)/$(RELEASE))

coverage: cells ## measure how much of the core the scenarios reach; fails unless they reach all of the arbiter
	@$(PYTHON) Scripts/coverage.py

mutants: cells ## plant 65 faults in the core, one at a time; fails unless the tests find at least 62
	@$(PYTHON) Tests/Simulation/Mutants/mutants.py

fuzz: setup ## fuzz the readers of compiled directories, lists, vCards and SIP, FUZZ_SECONDS each, with AddressSanitizer
	@sh Scripts/fuzz.sh $(FUZZ_SECONDS) .build/fuzz

check: ## check the format of the Swift sources, what `make fmt` writes, and the places of `make mutants`
	@$(PYTHON) Scripts/qt_types.py --check
	@$(PYTHON) Scripts/member_names.py --check
	@$(PYTHON) Tests/Simulation/Mutants/mutants.py --check
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

fmt: ## format the Swift sources, write the types for Qt into the bus contract, and its names into Swift
	@$(PYTHON) Scripts/qt_types.py
	@$(PYTHON) Scripts/member_names.py
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Benchmarks Examples

docs: setup build setup-docs ## build the site in .build/docs: the guide, the references, the decision table and its scenarios
	@PYTHON=$(PYTHON) sh Scripts/docs.sh $(DEBUG) .build/docs

setup-docs: $(SPHINX)

$(SPHINX): Scripts/site/requirements.txt
	@$(PYTHON) -m venv .build/sphinx
	@.build/sphinx/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

bench: setup-rest release ## measure everything in one run, and fail if a row is over its limit; BENCH="--quick --only sip --json FILE"
	@sh Plugins/bundle.sh $(RELEASE) .build/plugins-release
	@$(PYTHON) Benchmarks/bench.py $(RELEASE) .build/plugins-release $(BENCH)

bench-compare: ## compare two runs of `make bench BENCH="--json FILE"` on one machine: A=FILE B=FILE
	@$(PYTHON) Benchmarks/compare.py $(A) $(B)

# The owner of the sources builds them, also where root installs.
release: ## build for release
	@owner=$$(stat -c %U .); if [ "$$(id -u)" -eq 0 ] && [ "$$owner" != root ]; then \
		exec runuser -u "$$owner" -- env PATH="$$PATH" $(MAKE) --no-print-directory release; fi; \
	SWIFT="$(SWIFT)" sh Scripts/build.sh .build/build-release.log $(RELEASED) && \
	$(SWIFT) build $(RELEASED) --product generate-manual --quiet

install: setup release ## build for release and install below PREFIX: /usr/local as root, or ~/.local
	@sh Scripts/install.sh $(RELEASE) "$(DESTDIR)" "$(PREFIX)"
	@sh Scripts/manuals.sh $(RELEASE) "$(DESTDIR)$(PREFIX)/share"

install-samples: setup release ## install the sample plugins below PREFIX too; they only pretend to have a network
	@sh Scripts/install.sh --samples $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

deb: setup-deb ## build packages for Debian in .build/packages, and check them with lintian
	@sh Scripts/deb.sh

test-packages: setup-deb setup-sip deb pytest ## install the packages in a Debian without a toolchain, call, upgrade and remove them, as root
	@$(call end_to_end,packages)

uninstall: ## remove the installed files, samples too
	@sh Scripts/install.sh --remove "$(DESTDIR)" "$(PREFIX)"
