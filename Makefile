# OpenCallKit. `make help` lists what there is; demo and test do all their own set-up.

SWIFT ?= swift
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
DEBUG := .build/debug
RELEASE := .build/release

.PHONY: help setup build demo test check fmt bench install uninstall

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

test: build ## all tests, on private buses
	@$(SWIFT) test
	@echo "test: end to end, from outside: Python, gdbus, busctl, callctl"
	@OPENCALLKIT_BUILD=$(CURDIR)/$(DEBUG) OPENCALLKIT_PLUGINS=$(CURDIR)/.build/plugins \
		$(PYTHON) -m unittest discover -s Tests/EndToEnd -t Tests/EndToEnd
	@sh Scripts/check-units.sh

check: ## formatting and lint
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks

fmt: ## format the Swift sources
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Benchmarks

bench: setup ## measure the daemon against C floors, in one run
	@echo "bench: swift build -c release"
	@$(SWIFT) build -c release
	@sh Plugins/bundle.sh $(RELEASE) .build/plugins-release
	@$(PYTHON) Benchmarks/bench.py $(RELEASE) .build/plugins-release

install: setup ## build for release and install below PREFIX
	@$(SWIFT) build -c release
	@sh Scripts/install.sh $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what install put there
	@sh Scripts/install.sh --remove "$(DESTDIR)" "$(PREFIX)"
